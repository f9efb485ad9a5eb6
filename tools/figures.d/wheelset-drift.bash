# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), Fig. 14"

# the solvers of the paper's remarks 9 and 10 for these two formulations, with one tolerance
draw() {
    local index
    for index in 1 2; do
        run "index-$index" wheelset --formulation absolute --integrator "half-explicit:index-$index" \
            --tolerance 1e-5 -s 0.01 -d 10
        columns "$(csv "index-$index")" time residual.position >"$out/$name-index-$index.dat"
    done
    run projected wheelset --formulation absolute --integrator dormand-prince --tolerance 1e-5 \
        --stabilisation projection -s 0.01 -d 10
    plot 1200 800 <<'GP'
set multiplot layout 2,2
set xlabel "time [s]" offset 0,0.7
set format y "%.1e"
set title "distance of a wheel from its rail [m], index 2"
plot file("index-2") using "time [s]":"residual.position [m]" notitle
set title "index 1"
plot file("index-1") using "time [s]":"residual.position [m]" notitle
set title "both, and a projection after each step"
set logscale xy
set xrange [0.1:10]
plot file("index-1") using "time [s]":"residual.position [m]" title "index 1", \
     file("index-2") using "time [s]":"residual.position [m]" title "index 2", \
     file("projected") using "time [s]":"residual.position [m]" title "index 1, projected"
unset logscale
set xrange [0:10]; set format y "%g"
set title "lateral shift [mm]"
plot file("index-1") using "time [s]":(1000*column("wheelset_pose.y [m]")) title "index 1", \
     file("index-2") using "time [s]":(1000*column("wheelset_pose.y [m]")) title "index 2"
GP
    heading "drift of the contact in 10 s, tolerance 1e-5 (Fig. 14)"
    row "index 2 [m], power of the time" "1e-6, linear" "$(number "$(largest "$(csv index-2)" residual.position)"), t^$(power 2)" \
        "$(check "$(largest "$(csv index-2)" residual.position) < 2e-6 && $(power 2) > 0.7 && $(power 2) < 1.4" | sed 's/no/partly/')" \
        "the size of the drift depends on the error control, the power does not (\`./tools/figures wheelset-drift\`)"
    row "index 1 [m], power of the time" "5e-4, quadratic" "$(number "$(largest "$(csv index-1)" residual.position)"), t^$(power 1)" \
        "$(check "$(largest "$(csv index-1)" residual.position) < 2e-3 && $(power 1) > 1.7 && $(power 1) < 2.4" | sed 's/no/partly/')" \
        "the size of the drift depends on the error control, the power does not (\`./tools/figures wheelset-drift\`)"
    verdict "$(checks "$(check "$(power 2) > 0.7 && $(power 2) < 1.4")" \
        "$(check "$(power 1) > 1.7 && $(power 1) < 2.4")" \
        "$(check "$(largest "$(csv index-2)" residual.position) < 2e-6")" \
        "$(check "$(largest "$(csv index-1)" residual.position) < 2e-3")")" \
        "with tolerance 1e-5 the contact drifts off by" \
        "$(number "$(largest "$(csv index-2)" residual.position)") m in index 2, as t^$(power 2), and" \
        "by $(number "$(largest "$(csv index-1)" residual.position)") m in index 1, as t^$(power 1)" \
        "(paper: 1e-6 m and linear, 5e-4 m and quadratic); projected: at most" \
        "$(number "$(largest "$(csv projected)" residual.position)") m"
}

# power INDEX: of the time, once the motion has its final size
power() {
    awk '$1 >= 2' "$out/$name-index-$1.dat" >"$out/$name-late.dat"
    slope "$out/$name-late.dat"
    rm "$out/$name-late.dat"
}
