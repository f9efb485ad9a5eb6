# SPDX-License-Identifier: Apache-2.0
paper="ISO 3888-1, a double lane change by the recorded steer of a driver"
. "$root/tools/figures.d/cars/functions.bash"

# speed, throttle or push, width of the car [m/s, m]; its driver's steer is cars/CAR.csv (cars/steer.py)
speed() { case "$1" in strut-car | iltis) echo 22.2 ;; sedan) echo 11 ;; esac; }
level() { case "$1" in strut-car) echo push=150,0,0 ;; sedan) echo throttle=0.08 ;; iltis) echo push=50,0,0 ;; esac; }
width() { case "$1" in strut-car) echo 1.6 ;; sedan) echo 1.84 ;; iltis) echo 1.52 ;; esac; }

# driven CAR: along the track, to the side of both axles, lateral acceleration, time, loads; the track
# begins 40 m ahead of the start
driven() {
    columns "$(csv "$1")" time motion.vx motion.vy motion.wz contact_fl.x contact_fl.y contact_fr.x \
        contact_fr.y contact_rl.x contact_rl.y contact_rr.x contact_rr.y tyre_fl.fz tyre_fr.fz |
        awk '{ print ($5 + $7) / 2 - 40, ($6 + $8) / 2, ($9 + $11) / 2 - 40, ($10 + $12) / 2,
            sqrt($2 * $2 + $3 * $3) * $4, $1, $13, $14 }' >"$out/$name-$1.dat"
}

# room CAR: what is left beside the axles in the three gates, as wide as 1.1, 1.2 and 1.3 b + 0.25 m;
# largest lateral acceleration, least load of a front wheel
room() {
    awk -v b="$(width "$1")" '
        function see(x, y,  k, middle, left) {
            k = x >= 0 && x <= 15 ? 1 : x >= 45 && x <= 70 ? 2 : x >= 95 && x <= 125 ? 3 : 0
            if (k == 0) return
            middle = k == 2 ? 3.5 : 0
            left = ((1 + k / 10) * b + 0.25 - b) / 2 - (y > middle ? y - middle : middle - y)
            if (!(k in least) || left < least[k]) least[k] = left
        }
        BEGIN { light = 1e9 }
        { see($1, $2); see($3, $4); a = $5 < 0 ? -$5 : $5; if (a > most) most = a
            if ($7 < light) light = $7; if ($8 < light) light = $8 }
        END { printf "%.2f %.2f %.2f %.1f %.0f\n", least[1], least[2], least[3], most, light }' \
        "$out/$name-$1.dat"
}

draw() {
    local car first second third most light all=()
    row "a double lane change" "room in the gates [m]" "most, least load"
    for car in $cars; do
        run "$car" "$(moving "$car" "$(speed "$car")")" -d "$(tail -n 1 "$root/tools/figures.d/cars/$car.csv" |
            cut -d , -f 1)" --interpolate -n 10 --set "$(level "$car")" --inputs "$root/tools/figures.d/cars/$car.csv"
        driven "$car"
        read -r first second third most light <<<"$(room "$car")"
        row "$car at $(speed "$car") m/s" "$first, $second, $third" "$most m/s^2, $light N"
        all+=("$(check "$first > 0 && $second > 0 && $third > 0 && $light > 0")")
    done
    plot 1200 800 <<GP
cars = "$cars"
set datafile separator whitespace
set multiplot layout 3,1
set xrange [-40:130]
set xlabel "along the track [m]" offset 0,0.9
set title "middles of the axles [m]; grey: room for them in the gates of a car 1.6 m wide"
set object 1 rectangle from 0,-0.205 to 15,0.205 fc rgb "#e0e0e0" fs solid noborder behind
set object 2 rectangle from 45,3.215 to 70,3.785 fc rgb "#e0e0e0" fs solid noborder behind
set object 3 rectangle from 95,-0.365 to 125,0.365 fc rgb "#e0e0e0" fs solid noborder behind
plot for [i=1:3] rows(word(cars, i)) using 1:2 lc i title word(cars, i), \\
     for [i=1:3] rows(word(cars, i)) using 3:4 lc i dt 2 notitle
unset object
set title "lateral acceleration v r [m/s^2]"
plot for [i=1:3] rows(word(cars, i)) using 1:5 lc i title word(cars, i)
set title "loads of the front wheels [kN], left and (dashed) right"
plot for [i=1:3] rows(word(cars, i)) using 1:(\$7/1000) lc i title word(cars, i), \\
     for [i=1:3] rows(word(cars, i)) using 1:(\$8/1000) lc i dt 2 notitle
GP
    verdict "$(checks "${all[@]}")" "all cars pass the three gates on four wheels, by recorded steer;" \
        "strut-car and iltis at 80 km/h"
}
