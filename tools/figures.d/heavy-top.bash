# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), Figs. 5 to 7"

# one ORIENTATION: with error control, rows for the picture
one() {
    run "$1" heavy-top --formulation absolute --integrator dormand-prince --tolerance 1e-6 \
        --orientation "$1" -s 0.001 -n 10 -d 2
}

# steps_with ORIENTATION: of a run whose steps no rows cut short
steps_with() {
    run "steps-$1" heavy-top --formulation absolute --integrator dormand-prince --tolerance 1e-6 \
        --orientation "$1" -s 0.1 -d 2
    number_before "steps-$1" steps
}

# spin in body axes, nutation, rates of angles and quaternion: from quaternion and angular velocity
kinematics() {
    columns "$(csv lie)" time top_pose.qw top_pose.qx top_pose.qy top_pose.qz \
        top_velocity.wx top_velocity.wy top_velocity.wz | awk '
        {
            w = $2; x = $3; y = $4; z = $5
            # R^T w
            bx = (1 - 2 * (y * y + z * z)) * $6 + 2 * (x * y + w * z) * $7 + 2 * (x * z - w * y) * $8
            by = 2 * (x * y - w * z) * $6 + (1 - 2 * (x * x + z * z)) * $7 + 2 * (y * z + w * x) * $8
            bz = 2 * (x * z + w * y) * $6 + 2 * (y * z - w * x) * $7 + (1 - 2 * (x * x + y * y)) * $8
            # angles z-y-z, as in the paper: R = Rz(psi) Ry(theta) Rz(phi)
            s = 2 * sqrt((w * w + z * z) * (x * x + y * y))
            theta = atan2(s, w * w + z * z - x * x - y * y)
            phi = atan2(2 * (y * z + w * x), -2 * (x * z - w * y))
            psi = atan2(2 * (y * z - w * x), 2 * (x * z + w * y))
            # phi and psi without the jumps of atan2
            if (NR > 1) {
                phi += 6.283185307179586 * int((last_phi - phi) / 6.283185307179586 + (last_phi > phi ? 0.5 : -0.5))
                psi += 6.283185307179586 * int((last_psi - psi) / 6.283185307179586 + (last_psi > psi ? 0.5 : -0.5))
            }
            last_phi = phi; last_psi = psi
            # body: bx = -psi sin(theta) cos(phi) + theta sin(phi), and so on
            dpsi = (-bx * cos(phi) + by * sin(phi)) / sin(theta)
            dphi = bz - dpsi * cos(theta)
            print $1, bx, by, bz, phi, theta, psi, dphi, dpsi, w, x, y, z
        }'
}

draw() {
    local nutation lie parameters angles
    run lie heavy-top --formulation absolute --integrator dormand-prince --tolerance 1e-10 \
        -s 0.001 -d 2
    kinematics >"$out/$name-kinematics.dat"
    lie="$(steps_with lie)"
    parameters="$(steps_with parameters)"
    angles="$(steps_with euler)"
    plot 1200 800 <<'GP'
set datafile separator whitespace
set multiplot layout 2,2
set xlabel "time [s]" offset 0,0.7
set title "angular velocity in body axes [rad/s]"
plot rows("kinematics") using 1:2 title "x", "" using 1:3 title "y", "" using 1:4 title "z"
set title "Euler angles z-y-z [rad]"
plot rows("kinematics") using 1:5 title "phi (precession)", "" using 1:6 title "theta (nutation)", "" using 1:7 title "psi (spin)"
set title "rates of the angles [rad/s]"
plot rows("kinematics") using 1:8 title "phi", "" using 1:9 title "psi"
set title "unit quaternion"
plot rows("kinematics") using 1:10 title "w", "" using 1:11 title "x", "" using 1:12 title "y", "" using 1:13 title "z"
GP
    nutation="$(awk 'NR == 1 || $6 < m { m = $6; t = $1 } END { printf "%.3f rad at %.2f s", m, t }' \
        "$out/$name-kinematics.dat")"
    heading "heavy top (Figs. 5 to 7)"
    row "least nutation [rad]" 0.059 "${nutation%% *}" "$(check "${nutation%% *} > 0.058 && ${nutation%% *} < 0.06")"
    row "rates of the angles over angular velocity" 10 "$(rate_ratio)" "$(check "$(rate_ratio) >= 9")"
    verdict "$(check "${nutation%% *} > 0.058 && ${nutation%% *} < 0.06 && $(rate_ratio) >= 9")" \
        "precession and spin turn over where the nutation is least, $nutation (paper: 0.059 rad at" \
        "1.1 s); the rates of the angles are $(rate_ratio) times as large as the angular velocity" \
        "(paper: 10); dormand-prince at 1e-6 takes $lie steps on the group, $parameters with" \
        "parameters, $angles with Euler angles"
}

rate_ratio() {
    awk '{ a = sqrt($8 * $8 + $9 * $9); b = sqrt($2 * $2 + $3 * $3 + $4 * $4)
        if (a > m) m = a; if (b > n) n = b } END { printf "%.0f", m / n }' "$out/$name-kinematics.dat"
}

