# SPDX-License-Identifier: Apache-2.0
paper="the index-3 divide-and-conquer paper (Nonlinear Dynamics, 2018), Figs. 9 to 11"

# time and value where a column of kinetic energy is largest
peak() {
    columns "$1" time energy.kinetic |
        awk '$2 > m { m = $2; t = $1 } END { printf "%.1f kJ at %.2f s", m / 1000, t }'
}

# how far the total energy drops, and its mean after 8 s, as words [J]
dip() {
    columns "$1" time energy.kinetic energy.potential |
        awk '{ e = $2 + $3 } NR == 1 { start = e } e - start < m { m = e - start }
            $1 > 8 { sum += e - start; n++ } END { printf "%.3g %.3g", m, sum / n }'
}

# snapshots: the chain at five times, from points of every fourth link; blocks of "x y" for gnuplot
snapshots() {
    local n words=""
    for n in $(seq 4 4 128); do
        words="$words  p$n: {type: point-position, body: link$n, point: [$n, 0, 0]}\\n"
    done
    run snapshots "$(variant snapshots chain-128 "s/^outputs:/outputs:\\n$words/" \
        "s/^solver:.*/solver: {formulation: ali3, coordinates: euler-parameters, variant: as-printed, penalty: 1e9, iterations: 3}/")" \
        -s 0.01 -n 10 -d 10
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^p[0-9]+.x/) x[++n] = i } next }
        { t = sprintf("%.1f", $1) }
        t == "0.0" || t == "2.0" || t == "4.0" || t == "5.2" || t == "6.0" || t == "8.0" {
            print "0 0"; for (k = 1; k <= n; k++) print $x[k], $(x[k] + 1); print ""; print "" }' \
        "$(csv snapshots)" >"$out/$name-snapshots.dat"
}

# chain-128 in the paper's form with its penalty; WORDS go into the solver
paper_form() {
    variant "$1" chain-128 \
        "s/^solver:.*/solver: {formulation: ali3, coordinates: euler-parameters, ${2:-}penalty: 1e9, iterations: 3}/"
}

draw() {
    local time own form printed
    run own chain-128 -s 0.01 -d 10
    run paper "$(paper_form paper)" -s 0.01 -d 10
    run printed "$(paper_form printed "variant: as-printed, ")" -s 0.01 -d 10
    snapshots
    plot 1500 1200 <<'GP'
set multiplot layout 3,3
set title "the chain [m] at 0, 2, 4, 5.2, 6 and 8 s (Fig. 9)"
set datafile separator whitespace
set size ratio -1
plot for [i=0:5] rows("snapshots") index i using 1:2 title word("0 2 4 5.2 6 8", i + 1)
set size noratio
set datafile separator ","
set xlabel "time [s]" offset 0,0.7
set title "free end of the chain [m]"
plot file("own") using "time [s]":"tip.x [m]" title "x", file("own") using "time [s]":"tip.y [m]" title "y"
set title "its velocity [m/s]"
plot file("own") using "time [s]":"tip_velocity.vx [m/s]" title "x", file("own") using "time [s]":"tip_velocity.vy [m/s]" title "y"
set title "force at joint 1 [N]"
plot file("own") using "time [s]":"joint1_load.fx [N]" title "x", file("own") using "time [s]":"joint1_load.fy [N]" title "y"
set title "energies [J]"
plot file("own") using "time [s]":"energy.kinetic [J]" title "kinetic", \
     file("own") using "time [s]":"energy.potential [J]" title "potential", \
     file("own") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "total"
set title "total energy [J]"
plot file("own") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "default step", \
     file("paper") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "Euler parameters, penalty 1e9", \
     file("printed") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "the same, as printed"
set title "violation of the joints, as printed"
set logscale y; set format y "%.0e"
plot file("printed") using "time [s]":"residual.position [m]" title "positions [m]", \
     file("printed") using "time [s]":"residual.velocity [m/s]" title "velocities [m/s]"
GP
    read -r time _ <<<"$(peak "$(csv printed)" | sed 's/.*at \([0-9.]*\) s/\1/')"
    read -ra own <<<"$(dip "$(csv own)")"
    read -ra form <<<"$(dip "$(csv paper)")"
    read -ra printed <<<"$(dip "$(csv printed)")"
    heading "energy of 128 links at 10 ms [J]"
    row "kinetic energy largest at (Fig. 10)" "5.22 s" "$time s" "$(check "$time > 5.2 && $time < 5.24")"
    row "lowest total energy, as printed [J] (Fig. 11)" "-46.84" "${printed[0]}" \
        "$(check "${printed[0]} > -48 && ${printed[0]} < -46")"
    row "total energy after 8 s, as printed [J] (Fig. 11)" "about -25" "${printed[1]}" \
        "$(check "${printed[1]} > -26 && ${printed[1]} < -24")"
    run method "$out/$name-printed.yaml" --formulation ali3:as-printed -s 0.01 -d 10
    row "violation of x, v, a, as printed (Fig. 11)" "bounded" \
        "$(number_behind method position) m, $(number_behind method velocity) m/s, $(number_behind method acceleration) m/s^2" \
        "$(check "$(number_behind method position) < 1e-6")"
    row "the same, variant default" "" "${form[0]}, ${form[1]}"
    row "the same, default step (rattle)" "" "${own[0]}, ${own[1]}"
    verdict "$(checks "$(check "$time > 5.2 && $time < 5.24")" \
        "$(check "${printed[0]} > -48 && ${printed[0]} < -46")" \
        "$(check "${printed[1]} > -26 && ${printed[1]} < -24")")" \
        "128 links swing down; as printed the projections of velocities and accelerations start from the same" \
        "rates, and the total energy stays where the paper has it. The default variant projects the" \
        "accelerations with the projected velocities and ends at ${form[1]} J, nearer to the true 0"
}
