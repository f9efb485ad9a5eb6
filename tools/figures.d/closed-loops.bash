# SPDX-License-Identifier: Apache-2.0
paper="K. Chadaj, P. Malczyk, J. Fraczek, A parallel Hamiltonian formulation (2016), Figs. 5, 8 and 9"

cases=(closed-loop-four closed-loop-eight double-closed-loop-eight)
methods=(hdca hdca:as-printed dca)

# label METHOD CASE: without the colon, which file names had better not have
label() { printf '%s-%s' "${1/:/-}" "$2"; }

draw() {
    local case method words ahead=() line=""
    for case in "${cases[@]}"; do
        for method in "${methods[@]}"; do
            run "$(label "$method" "$case")" "$case" --formulation "$method" \
                --integrator dormand-prince --tolerance 1e-6 -s 0.1 -d 10
            energy_changes "$(label "$method" "$case")"
        done
        line="$line; $case $(compared "$case")"
        for words in position velocity 'energy drift'; do
            row "$case: $words, Hamilton's / accelerations" "below 1" \
                "$(ratio "$(number_behind "hdca-$case" "$words")" "$(number_behind "dca-$case" "$words")")" \
                "$(check "$(number_behind "hdca-$case" "$words") < $(number_behind "dca-$case" "$words")")"
            ahead+=("$(check "$(number_behind "hdca-$case" "$words") < $(number_behind "dca-$case" "$words")")")
        done
    done
    plot 1400 1300 <<'GP'
set multiplot layout 4,3
cases = "closed-loop-four closed-loop-eight double-closed-loop-eight"
methods = "hdca hdca-as-printed dca"
set xlabel "time [s]" offset 0,0.7
set title "case 1: y of K [m] (Fig. 6)"
plot for [m in methods] file(m."-closed-loop-four") using "time [s]":"K.y [m]" title m
set title "case 1: y velocity of K [m/s] (Fig. 7)"
plot for [m in methods] file(m."-closed-loop-four") using "time [s]":"K_velocity.vy [m/s]" title m
set multiplot next
set logscale y; set format y "%.0e"
set xlabel "time [s]" offset 0,0.7
do for [c in cases] {
    set title sprintf("%s: error of the energy [J]", c)
    set datafile separator whitespace
    plot for [m in methods] rows(m."-".c) using 1:(abs($2) + 1e-17) title m
    set datafile separator ","
    set title "violation of velocities [m/s]"
    plot for [m in methods] file(m."-".c) using "time [s]":(column("residual.velocity [m/s]") + 1e-18) title m
    set title "violation of positions [m]"
    plot for [m in methods] file(m."-".c) using "time [s]":(column("residual.position [m]") + 1e-18) title m
}
GP
    verdict "$(checks "${ahead[@]}")" "violation of positions and velocities and error of the energy, Hamilton's equations with" \
        "impulses reset, as printed, and dca (in the paper the first is ahead in all three):${line#;}"
}

# largest values of the three methods, of all steps
compared() {
    local method words comma=""
    for method in "${methods[@]}"; do
        words="$(label "$method" "$1")"
        printf '%s%s m, %s m/s, %s J' "$comma" "$(number_behind "$words" position)" \
            "$(number_behind "$words" velocity)" "$(number_behind "$words" 'energy drift')"
        comma=" / "
    done
}
