# SPDX-License-Identifier: Apache-2.0
paper="ISO 4138, steady circles by a steer that rises slowly, against the linear single-track model"
. "$root/tools/figures.d/cars/functions.bash"

# turning CAR RATIO: time, wheel angle, v, r, lateral acceleration by how fast the way turns, and the
# moments about the way [N m] that the loads of the front and of all wheels have over the track, and
# m a h + m g y, y how far the car hangs aside
turning() {
    columns "$(csv "$1")" time motion.vx motion.vy motion.wz tyre_fl.fz tyre_fr.fz tyre_rl.fz \
        tyre_rr.fz chassis.x chassis.y contact_fl.x contact_fl.y contact_fr.x contact_fr.y \
        contact_rl.x contact_rl.y contact_rr.x contact_rr.y |
        awk -v most="$(most "$1")" -v ratio="$2" -v numbers="$(numbers "$1")" '
        BEGIN { split(numbers, p, " "); side = ratio < 0 ? -1 : 1 }
        {
            course = atan2($3, $2)
            turned = course - last; dt = $1 - then; last = course; then = $1
            if ($1 < 3) next
            if (turned > 3) turned -= 8 * atan2(1, 1)
            if (turned < -3) turned += 8 * atan2(1, 1)
            v = sqrt($2 * $2 + $3 * $3); a = v * turned / dt
            fx = ($11 + $13) / 2; fy = ($12 + $14) / 2; rx = ($15 + $17) / 2; ry = ($16 + $18) / 2
            L = sqrt((fx - rx) ^ 2 + (fy - ry) ^ 2)
            aside = ((fx - rx) * ($10 - ry) - (fy - ry) * ($9 - rx)) / L
            front = ($6 - $5) / 2 * sqrt(($11 - $13) ^ 2 + ($12 - $14) ^ 2)
            rear = ($8 - $7) / 2 * sqrt(($15 - $17) ^ 2 + ($16 - $18) ^ 2)
            print $1, most * ($1 - 1) / 40 * ratio * side, v, side * $4, side * a, side * front,
                side * (front + rear), side * (p[1] * a * p[12] - p[1] * 9.81 * aside) }' \
        >"$out/$name-$1.dat"
}

# linear CAR: from 0.5 to 2.5 m/s^2, by least squares: understeer gradient; yaw gain at the mean speed
# and that of the single-track model; load transfer over its moment; share of the front; last
# acceleration
linear() {
    awk -v numbers="$(numbers "$1")" -v K0="$(gradient "$1")" '
        BEGIN { split(numbers, p, " "); L = p[2] + p[3] }
        $5 > 0.5 && $5 < 2.5 { d = $2 - L * $4 / $3; x += $5; y += d; xx += $5 * $5; xy += $5 * d
            v += $3; moved += $7 / $8; front += $6 / $7; n++ }
        { last = $5 }
        END { v /= n; K = (n * xy - x * y) / (n * xx - x * x)
            printf "%.5f %.3f %.3f %.4f %.3f %.1f\n", K, v / (L + K * v * v), v / (L + K0 * v * v),
                moved / n, front / n, last }' "$out/$name-$1.dat"
}

draw() {
    local car K gain model moved front last share all=()
    for car in $cars; do
        run "$car" "$(moving "$car" 20)" -d 41 --interpolate -n 20 --set "$(pace "$car")" --inputs \
            "$(steer "$car" "$car" 41 "$(most "$car") / 40 * (t < 1 ? 0 : t - 1)")"
        turning "$car" "$(crawl "$car")"
    done
    row "at 20 m/s, 0.5 to 2.5 m/s^2" "single-track model" "here"
    for car in $cars; do
        read -r K gain model moved front last <<<"$(linear "$car")"
        row "$car: understeer gradient [rad s^2/m]" "$(number "$(gradient "$car")" %.5f)" "$K"
        row "$car: yaw gain [1/s]" "$model" "$gain"
        row "$car: load transfer over m a h + m g y" 1 "$moved"
        row "$car: front's share; most [m/s^2]" "" "$front; $last"
        all+=("$(check "$moved > 0.97 && $moved < 1.03")")
        share="$(check "$gain / $model > 0.98 && $gain / $model < 1.02")"
        [ "$car" != strut-car ] || all+=("$share")
    done
    plot 1200 800 <<GP
L = "$(for car in $cars; do wheelbase "$car"; done | tr '\n' ' ')"
K = "$(for car in $cars; do gradient "$car"; done | tr '\n' ' ')"
cars = "$cars"
set datafile separator whitespace
set multiplot layout 2,2
set xlabel "lateral acceleration [m/s^2]" offset 0,0.7
set xrange [0:6]
set title "wheel angle beyond L r / v [mrad]; dashed: single-track model"
plot for [i=1:3] rows(word(cars, i)) using 5:(1000*(\$2 - word(L, i)*\$4/\$3)) lc i title word(cars, i), \\
     for [i=1:3] 1000*word(K, i)*x lc i dt 2 notitle
set title "yaw rate by wheel angle, times L / v; dashed: single-track model"
set yrange [0:1.2]
plot for [i=1:3] rows(word(cars, i)) using 5:(\$5 > 0.3 ? \$4/\$2*word(L, i)/\$3 : 1/0) lc i title word(cars, i), \\
     for [i=1:3] rows(word(cars, i)) using 5:(word(L, i)/(word(L, i) + word(K, i)*\$3**2)) lc i dt 2 notitle
set yrange [*:*]
set title "moment of the loads, all wheels and (thin) the front [kN m]; dashed: m a h + m g y"
plot for [i=1:3] rows(word(cars, i)) using 5:(\$7/1000) lc i lw 2 title word(cars, i), \\
     for [i=1:3] rows(word(cars, i)) using 5:(\$6/1000) lc i notitle, \\
     for [i=1:3] rows(word(cars, i)) using 5:(\$8/1000) lc i dt 2 notitle
set title "speed [m/s]"
plot for [i=1:3] rows(word(cars, i)) using 5:3 lc i title word(cars, i)
GP
    verdict "$(checks "${all[@]}")" "strut-car, whose wheels only steer, has the yaw gain of the" \
        "single-track model within 2 %, the others are as their suspensions make them; the loads carry" \
        "the moment of all cars within 3 %"
}
