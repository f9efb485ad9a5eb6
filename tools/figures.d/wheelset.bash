# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), Fig. 11"

# at_speed LABEL SPEED: the wheelset at another speed, with a start of 0.1 mm
at_speed() {
    variant "$1" wheelset "s/speed: 30, rail_speed: -30/speed: $2, rail_speed: -$2/" \
        "s/angular_velocity: \[0, 300, 0\]/angular_velocity: [0, ${2}0, 0]/" \
        's/position: \[0, 0.0015, 0\]/position: [0, 0.0001, 0]/' \
        's/\[0, 0.1521, 0\]/[0, 0.1507, 0]/' 's/\[0, -0.1491, 0\]/[0, -0.1505, 0]/' \
        's/\[0, 0.1915, 0\]/[0, 0.1901, 0]/' 's/\[0, -0.1885, 0\]/[0, -0.1899, 0]/'
}

# growth LABEL: of the swings, 1/s, from the largest shifts of two half seconds
growth() {
    columns "$(csv "$1")" time wheelset_pose.y | awk '
        { v = $2 < 0 ? -$2 : $2 }
        $1 > 0.5 && $1 <= 1 && v > a { a = v }
        $1 > 1 && $1 <= 1.5 && v > b { b = v }
        END { printf "%+.2f", log(b / a) / 0.5 }'
}

draw() {
    local slow fast
    slow="$(at_speed slow 24)"
    fast="$(at_speed fast 26)"
    run hunting wheelset -d 10
    run below "$slow" -d 3
    run above "$fast" -d 3
    plot 1200 800 <<'GP'
set multiplot layout 2,1
set xlabel "time [s]" offset 0,0.7
set title "lateral shift at 30 m/s [mm]"
plot file("hunting") using "time [s]":(1000*column("wheelset_pose.y [m]")) notitle
set title "small shifts below and above the critical speed [mm]"
plot file("below") using "time [s]":(1000*column("wheelset_pose.y [m]")) title "24 m/s", \
     file("above") using "time [s]":(1000*column("wheelset_pose.y [m]")) title "26 m/s"
GP
    heading "wheelset (Fig. 11)"
    row "growth at 24 m/s, at 26 m/s [1/s]" "fades, grows" "$(growth below), $(growth above)" "$(check "$(growth below) < 0 && $(growth above) > 0")"
    verdict "$(check "$(growth below) < 0 && $(growth above) > 0")" "a small lateral shift grows to a hunting motion of" \
        "$(number "$(columns "$(csv hunting)" time wheelset_pose.y | awk '$1 > 9 && $2 > m { m = $2 }
            END { print 1000 * m }')") mm; it grows or fades with $(growth below) 1/s at 24 m/s and" \
        "$(growth above) 1/s at 26 m/s"
}
