# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, A recursive multibody formalism for systems with small mass and inertia terms (2013), Fig. 2"

masses=(1e-2 1e-3 1e-4 1e-5 1e-6)

# with_mass MASS: the two blocks with that light one
with_mass() {
    if [ "$1" = 0 ]; then
        variant "mass-$1" small-mass-oscillator 's/mass: 1e-6/mass: 0/' \
            's/\[1e-8, 1e-8, 1e-8\]/[0, 0, 0]/'
    else
        variant "mass-$1" small-mass-oscillator "s/mass: 1e-6/mass:  $1/"
    fi
}

# bdf_steps MASS: of BDF with tolerance 1e-6 in 2 s, weakly damped
bdf_steps() {
    sed 's/damping: 0.1/damping: 1e-5/' "$out/$name-mass-$1.yaml" >"$out/$name-weak-$1.yaml"
    run "bdf-$1" "$out/$name-weak-$1.yaml" --formulation recursive --integrator cvode:bdf --tolerance 1e-6 -s 0.1 -d 2
    number_before "bdf-$1" steps
}

# far MASS: largest distance of the heavy block from where it is with no light mass at all, after 3 s
far() {
    paste -d ' ' <(columns "$(csv "exact-$1")" time p1 stretch) \
        <(columns "$(csv exact-0)" p1 stretch) |
        awk '$1 > 3 { d = $2 + $3 - $4 - $5; if (d < 0) d = -d; if (d > m) m = d } END { print m }'
}

# steps_of MASS INTEGRATOR: with tolerance 1e-6
steps_of() {
    local label="${2/:/-}-$1"
    run "$label" "$out/$name-mass-$1.yaml" --formulation recursive --integrator "$2" \
        --tolerance 1e-6 -s 0.1 -d 2
    number_before "$label" steps
}

draw() {
    local mass limit_slope bdf_slope without
    for mass in 0 "${masses[@]}"; do
        with_mass "$mass" >/dev/null
        run "exact-$mass" "$out/$name-mass-$mass.yaml" --formulation recursive --integrator radau \
            --tolerance 1e-11 -s 0.01 -d 5
    done
    for mass in 0 1e-2 1e-3; do # rows near enough to see the light block swing
        run "early-$mass" "$out/$name-mass-$mass.yaml" --formulation recursive --integrator radau \
            --tolerance 1e-9 -s 0.0005 -d 0.3
    done
    : >"$out/$name-limit.dat"
    for mass in "${masses[@]}"; do
        printf '%s %s %s %s %s\n' "$mass" "$(far "$mass")" "$(steps_of "$mass" dormand-prince)" \
            "$(steps_of "$mass" cvode:bdf)" "$(steps_of "$mass" radau)" >>"$out/$name-limit.dat"
    done
    with_mass 1e-1 >/dev/null
    for mass in 1e-1 1e-2 1e-3 1e-4; do
        printf '%s %s\n' "$mass" "$(bdf_steps "$mass")"
    done >"$out/$name-bdf.dat"
    without="$(bdf_steps 0)"
    plot 1200 800 <<'GP'
set multiplot layout 2,2
set xlabel "time [s]" offset 0,0.7
set title "light block [m], at first"
set xrange [0:0.3]
plot for [m in "1e-2 1e-3 0"] file("early-".m) using "time [s]":"p1 [m]" title m." kg"
set xrange [0:5]
set title "heavy block [m]"
plot for [m in "1e-2 1e-4 0"] file("exact-".m) using "time [s]":(column("p1 [m]")+column("stretch [m]")) title m." kg"
unset xrange; set autoscale x
set datafile separator whitespace
set logscale xy; set format "%.0e"
set xlabel "light mass [kg]" offset 0,0.7
set title "distance of the heavy block from the limit [m]"
plot rows("limit") using 1:2 with linespoints title "after 3 s", 0.2*x with lines dt 2 lc rgb "gray" title "in proportion to the mass"
set title "steps in 2 s, tolerance 1e-6"
set format y "%g"
plot rows("limit") using 1:3 with linespoints title "dormand-prince", "" using 1:4 with linespoints title "cvode:bdf", "" using 1:5 with linespoints title "radau", \
     rows("bdf") using 1:2 with linespoints title "cvode:bdf, dampers of 1e-5 N s/m"
GP
    run "limit-radau" "$out/$name-mass-0.yaml" --formulation recursive --integrator radau \
        --tolerance 1e-6 -s 0.1 -d 2
    limit_slope="$(slope "$out/$name-limit.dat")"
    bdf_slope="$(slope "$out/$name-bdf.dat")"
    heading "light mass m, tolerance 1e-6, 2 s"
    row "steps of BDF from m = 1e-1 to 1e-4 kg" "rise significantly" "as m^$bdf_slope" \
        "$(check "$bdf_slope > -0.6 && $bdf_slope < -0.4")"
    row "steps of BDF without mass" "large steps" "$without" "$(check "$without < 300")"
    row "distance from the motion without mass" "" "as m^$limit_slope" "$(check "$limit_slope > 0.9 && $limit_slope < 1.1")"
    verdict "$(checks "$(check "$limit_slope > 0.9 && $limit_slope < 1.1")" \
        "$(check "$bdf_slope > -0.6 && $bdf_slope < -0.4")" "$(check "$without < 300")")" \
        "with dampers that do not damp the light block, 1e-5 N s/m, its frequency decides the steps of BDF, and without" \
        "mass they are few; with 0.1 N s/m implicit methods pass the swing at any mass (radau:" \
        "$(awk 'NR == 1 { printf "%d", $5 } END { printf " to %d", $5 }' "$out/$name-limit.dat") steps, explicit" \
        "$(awk 'NR == 1 { printf "%d", $3 } END { printf " to %d", $3 }' "$out/$name-limit.dat"))"
}
