# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), Figs. 2 and 3"

# two masses on rods without mass, the first 5 degrees from the vertical (Example 2)
double_pendulum() {
    cat >"$out/$name-double.yaml" <<'YAML'
linkage: 1
name: two-pendulums
gravity: [0, -9.81, 0]
bodies:
  one: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.0871557427476582, -0.996194698091746, 0]}
  two: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.0871557427476582, -1.996194698091746, 0]}
joints:
  rod_1: {type: distance, bodies: [ground, one], points: [[0, 0, 0], [0.0871557427476582, -0.996194698091746, 0]], length: 1}
  rod_2: {type: distance, bodies: [one, two],
    points: [[0.0871557427476582, -0.996194698091746, 0], [0.0871557427476582, -1.996194698091746, 0]], length: 1}
outputs:
  one: {type: body-pose, body: one}
  two: {type: body-pose, body: two}
  one_velocity: {type: body-velocity, body: one}
  two_velocity: {type: body-velocity, body: two}
  energy: {type: energy}
YAML
    printf '%s' "$out/$name-double.yaml"
}

# far X V: how far the phase plot of the single pendulum is from its closed curve: the energy fixes v over x
off_the_curve() {
    columns "$(csv single)" mass_pose.x mass_velocity.vx | awk '
        { y = -sqrt(1 - $1 * $1); v2 = 2 * 9.81 * (-cos(atan2(0, -1) / 36) - y); if (v2 < 0) v2 = 0
          d = sqrt(v2) * -y; e = $2 < 0 ? -$2 : $2; f = e > d ? e - d : d - e; if (f > m) m = f } END { print m }'
}

draw() {
    run single mathematical-pendulum -s 0.002 -d 20
    run double "$(double_pendulum)" -s 0.002 -d 60
    run exact "$out/$name-double.yaml" --formulation absolute --integrator dormand-prince --tolerance 1e-11 \
        --stabilisation projection -s 0.002 -d 10
    plot 1200 500 <<'GP'
set multiplot layout 1,3
set xlabel "x [m]" offset 0,0.7
set title "pendulum: x, x' (Fig. 2)"
plot file("single") using "mass_pose.x [m]":"mass_velocity.vx [m/s]" notitle
set title "double pendulum: x_1, x_1' (Fig. 3)"
plot file("double") using "one.x [m]":"one_velocity.vx [m/s]" notitle
set title "x_2, x_2'"
plot file("double") using "two.x [m]":"two_velocity.vx [m/s]" notitle
GP
    heading "phase plots"
    row "pendulum: a closed curve, x up to [m] (Fig. 2)" "0.087" "$(number "$(largest "$(csv single)" mass_pose.x)" %.4f)" \
        "$(check "$(largest "$(csv single)" mass_pose.x) > 0.0871 && $(largest "$(csv single)" mass_pose.x) < 0.0872 && $(off_the_curve) < 1e-4")"
    row "double pendulum: x_1, x_2 up to [m] (Fig. 3)" "about 0.1, 0.15" \
        "$(number "$(largest "$(csv double)" one.x)" %.3f), $(number "$(largest "$(csv double)" two.x)" %.3f)" \
        "$(check "$(largest "$(csv double)" one.x) < 0.12 && $(largest "$(csv double)" two.x) < 0.2")"
    verdict "$(check "$(off_the_curve) < 1e-4")" "the pendulum stays on its closed curve to $(number "$(off_the_curve)" %.1e) m/s in 20 s; the double" \
        "pendulum fills an area"
}
