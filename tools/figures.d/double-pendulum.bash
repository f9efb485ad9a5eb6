# SPDX-License-Identifier: Apache-2.0
paper="the index-3 divide-and-conquer paper (Nonlinear Dynamics, 2018), Figs. 4 and 5"

# the paper's step is 10 ms, its form Euler parameters with the penalty 1e6
draw() {
    local euler
    euler="$(variant paper-form double-pendulum \
        's/^solver:.*/solver: {formulation: ali3, coordinates: euler-parameters, penalty: 1e6, iterations: 3}/')"
    run own double-pendulum -s 0.01 -d 10
    run paper "$euler" -s 0.01 -d 10
    run fine double-pendulum -s 0.0001 -n 100 -d 10
    plot 1200 800 <<'GP'
set multiplot layout 2,2
set xlabel "time [s]" offset 0,0.7
set title "position of body a [m], and by steps of 0.1 ms (dots)"
plot for [c in "x y z"] file("own") using "time [s]":(column("a_pose.".c." [m]")) title c, \
     for [c in "x y z"] file("fine") using "time [s]":(column("a_pose.".c." [m]")) every 25 with points pt 6 ps 0.6 lc rgb "black" notitle
set title "force at joint 1 [N]"
plot for [c in "x y z"] file("own") using "time [s]":(column("joint_1_load.f".c." [N]")) title c, \
     for [c in "x y z"] file("fine") using "time [s]":(column("joint_1_load.f".c." [N]")) every 25 with points pt 6 ps 0.6 lc rgb "black" notitle
set title "violation of the joints at 10 ms"
set logscale y; set format y "%.0e"
plot file("own") using "time [s]":"residual.position [m]" title "positions [m], rotation group", \
     file("own") using "time [s]":"residual.velocity [m/s]" title "velocities [m/s], rotation group", \
     file("paper") using "time [s]":"residual.position [m]" title "positions [m], Euler parameters, penalty", \
     file("paper") using "time [s]":"residual.velocity [m/s]" title "velocities [m/s], Euler parameters, penalty"
unset logscale y; set format y "%g"
set title "total energy at 10 ms [J]"
plot file("own") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "rotation group", \
     file("paper") using "time [s]":(column("energy.kinetic [J]")+column("energy.potential [J]")) title "Euler parameters, penalty"
GP
    heading "double pendulum, penalty 1e6, 10 ms"
    row "violation of positions in 10 s [m] (Fig. 5)" "bounded" "$(number "$(largest "$(csv paper)" residual.position)")" \
        "$(check "$(largest "$(csv paper)" residual.position) < 1e-6")"
    row "energy in 10 s [J] (Fig. 5)" "about 0" "$(energy_drift paper)" "$(check "$(energy_drift paper) < 0.05")"
    verdict "$(check "$(largest "$(csv paper)" residual.position) < 1e-6 &&
        $(energy_drift paper) < 0.05")" "positions and forces on those of steps a hundred times as short; joints hold to" \
        "$(number "$(largest "$(csv own)" residual.position)") m, in the paper's form to" \
        "$(number "$(largest "$(csv paper)" residual.position)") m; the energy drifts by at most" \
        "$(energy_drift own) J, in the paper's form by $(energy_drift paper) J"
}
