# SPDX-License-Identifier: Apache-2.0
paper="the index-3 divide-and-conquer paper (Nonlinear Dynamics, 2018), Figs. 9 to 11"

# time and value where a column of kinetic energy is largest
peak() {
    columns "$1" time energy.kinetic |
        awk '$2 > m { m = $2; t = $1 } END { printf "%.1f kJ at %.2f s", m / 1000, t }'
}

# how far the total energy drops, and where it stays in the last seconds
dip() {
    columns "$1" time energy.kinetic energy.potential |
        awk '{ e = $2 + $3 } NR == 1 { start = e } e - start < m { m = e - start }
            $1 > 8 { sum += e - start; n++ } END { printf "%.3g J, and stays at %.3g J", m, sum / n }'
}

draw() {
    local euler time dips
    euler="$(variant paper-form chain-128 \
        's/^solver:.*/solver: {formulation: ali3, coordinates: euler-parameters, penalty: 1e9, iterations: 3}/')"
    run own chain-128 -s 0.01 -d 10
    run paper "$euler" -s 0.01 -d 10
    plot 1200 800 <<'GP'
set multiplot layout 2,2
set xlabel "time [s]" offset 0,0.7
set title "free end of the chain [m]"
plot file("own") using "time [s]":"tip.x [m]" title "x", file("own") using "time [s]":"tip.y [m]" title "y"
set title "force at joint 1 [N]"
plot file("own") using "time [s]":"joint1_load.fx [N]" title "x", file("own") using "time [s]":"joint1_load.fy [N]" title "y"
set title "energies [J]"
plot file("own") using "time [s]":"energy.kinetic [J]" title "kinetic", \
     file("own") using "time [s]":"energy.potential [J]" title "potential", \
     file("own") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "total"
set title "total energy [J]"
plot file("own") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "rotation group", \
     file("paper") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "Euler parameters, penalty 1e9"
GP
    read -r time _ <<<"$(peak "$(csv paper)" | sed 's/.*at \([0-9.]*\) s/\1/')"
    read -ra dips <<<"$(dip "$(csv paper)" | tr -cd '0-9. eJ-' | tr J ' ')"
    verdict "$(checks "$(check "$time > 5.2 && $time < 5.24")" \
        "$(check "${dips[0]} > -48 && ${dips[0]} < -45")" "$(check "${dips[1]} > -26 && ${dips[1]} < -24")")" \
        "128 links swing down; the kinetic energy is largest, $(peak "$(csv own)"), in the paper at" \
        "5.22 s; there the total energy drops to $(dip "$(csv own)"), in the paper's form to" \
        "$(dip "$(csv paper)"); the paper has -46.84 J and -25 J"
}
