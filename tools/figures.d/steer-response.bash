# SPDX-License-Identifier: Apache-2.0
paper="ISO 7401, a step and a sweep of the steer at 20 m/s, against the linear single-track model"
. "$root/tools/figures.d/cars/functions.bash"

SWEEP=40 # [s], from 0.2 to 4 Hz, each octave as long

# stepped CAR RATIO: time, yaw rate over that at the end, roll [deg]; prints the gain at the end, the
# time until 90 % from half of the steer on, and the largest over the last
stepped() {
    columns "$(csv "$1-step")" time motion.wz chassis.qw chassis.qx chassis.qy chassis.qz |
        awk -v to="$(most "$1")" -v ratio="$2" -v file="$out/$name-$1-step.dat" '
        { n++; t[n] = $1; r[n] = $2
          roll[n] = 45 / atan2(1, 1) * atan2(2 * ($3 * $4 + $5 * $6), 1 - 2 * ($4 * $4 + $5 * $5)) }
        END { last = r[n]
            for (i = 1; i <= n; i++) {
                part = r[i] / last
                if (part > most) most = part
                if (!(rise > 0) && part > 0.9) rise = t[i] - 1.05
                print t[i], part, (last < 0 ? -1 : 1) * roll[i] >file
            }
            printf "%.3f %.2f %.3f\n", last / (0.4 * to * ratio), rise, most }'
}

# swept CAR RATIO: a row for each turn of the sweep: frequency [Hz], gain [1/s] and phase [deg] of the yaw
# rate by the wheel angle
swept() {
    columns "$(csv "$1-sweep")" time motion.wz |
        awk -v s="$SWEEP" -v size="$(awk -v m="$(most "$1")" -v r="$2" 'BEGIN { print 0.1 * m * r }')" '
        BEGIN { pi = 4 * atan2(1, 1); k = log(20) / s; h = 0.005 }
        { a = 2 * pi * 0.2 * (exp(k * $1) - 1) / k; f = 0.2 * exp(k * $1)
          if (int(a / (2 * pi)) > turn && n > 0) {
              turn = int(a / (2 * pi))
              phase = 180 / pi * atan2(c, i)
              if (freq / n > 1 && phase > 90) phase -= 360
              if (turn > 1) print freq / n, 2 * sqrt(i * i + c * c) / (n * size < 0 ? -n * size : n * size), \
                  size < 0 ? (phase > 0 ? phase - 180 : phase + 180) : phase
              i = c = n = freq = 0
          }
          i += $2 * sin(a); c += $2 * cos(a); freq += f; n++ }' >"$out/$name-$1-sweep.dat"
}

# model: gnuplot: G(car, f), yaw rate by wheel angle of the single-track model whose tyres lag by their
# lengths of relaxation; p: numbers of the cars one after another
model() {
    cat <<GP
p = "$(for car in $cars; do numbers "$car"; done | tr '\n' ' ')"
v = 20.0
q(c, i) = real(word(p, 12*(c - 1) + i))
lagged(c, i, s) = 2*q(c, 4 + i)/(1 + s*q(c, 8 + i)/v)
a1(c) = q(c, 2) - q(c, 7)
b1(c) = q(c, 3) + q(c, 8)
A11(c, s, f, r) = q(c, 1)*s + (f + r)/v
A12(c, s, f, r) = q(c, 1)*v + (q(c, 2)*f - q(c, 3)*r)/v
A21(c, s, f, r) = (a1(c)*f - b1(c)*r)/v
A22(c, s, f, r) = q(c, 4)*s + (a1(c)*q(c, 2)*f + b1(c)*q(c, 3)*r)/v
R(c, s, f, r) = f*(A11(c, s, f, r)*a1(c) - A21(c, s, f, r))/(A11(c, s, f, r)*A22(c, s, f, r) - A12(c, s, f, r)*A21(c, s, f, r))
G(c, hz) = R(c, {0,1}*2*pi*hz, lagged(c, 1, {0,1}*2*pi*hz), lagged(c, 2, {0,1}*2*pi*hz))
GP
}

# beside: largest difference of strut-car and the model below 1 Hz, of the gain and in degrees
beside() {
    { model
      printf 'set print "-"\nset datafile separator whitespace\ngain = 0\nturn = 0\n'
      printf 'stats "%s" using (hz = $1, d = abs($2/abs(G(1, hz)) - 1), e = abs($3 - 180/pi*arg(G(1, hz))), hz < 1 && d > gain ? gain = d : 0, hz < 1 && e > turn ? turn = e : 0) nooutput\n' \
          "$out/$name-strut-car-sweep.dat"
      printf 'print sprintf("%%.3f %%.1f", gain, turn)\n'; } >"$out/$name-beside.gp"
    gnuplot "$out/$name-beside.gp"
}

draw() {
    local car ratio gain rise over off turn
    row "a step at 20 m/s" "yaw gain [1/s]" "90 % after, overshoot"
    for car in $cars; do
        ratio="$(crawl "$car")"
        run "$car-step" "$(moving "$car" 20)" -d 4 --interpolate -n 5 --set "$(pace "$car")" --inputs \
            "$(steer "$car-step" "$car" 4 "0.4 * $(most "$car") * (t < 1 ? 0 : t < 1.1 ? 10 * (t - 1) : 1)")"
        run "$car-sweep" "$(moving "$car" 20)" -d "$SWEEP" --interpolate -n 5 --set "$(pace "$car")" --inputs \
            "$(steer "$car-sweep" "$car" "$SWEEP" \
                "0.1 * $(most "$car") * sin(2 * pi * 0.2 * (exp(log(20) / $SWEEP * t) - 1) * $SWEEP / log(20))")"
        read -r gain rise over <<<"$(stepped "$car" "$ratio")"
        swept "$car" "$ratio"
        row "$car" "$gain" "$rise s, $over"
    done
    read -r off turn <<<"$(beside)"
    plot 1200 800 <<GP
$(model)
cars = "$cars"
set datafile separator whitespace
set multiplot layout 2,2
set xlabel "time [s]" offset 0,0.7
set xrange [0.8:3]
set title "step of steer within 0.1 s: yaw rate over that at the end"
plot for [i=1:3] rows(word(cars, i)."-step") using 1:2 lc i title word(cars, i)
set title "roll [deg]"
plot for [i=1:3] rows(word(cars, i)."-step") using 1:3 lc i title word(cars, i)
set xlabel "frequency [Hz]" offset 0,0.7
set xrange [0.2:4]
set logscale x
set title "sweep: yaw rate by wheel angle [1/s]; dashed: single-track model with relaxation"
plot for [i=1:3] rows(word(cars, i)."-sweep") using 1:2 lc i title word(cars, i), \\
     for [i=1:3] '+' using 1:(abs(G(i, \$1))) with lines lc i dt 2 notitle
set title "phase [deg]"
plot for [i=1:3] rows(word(cars, i)."-sweep") using 1:3 lc i title word(cars, i), \\
     for [i=1:3] '+' using 1:(180/pi*arg(G(i, \$1))) with lines lc i dt 2 notitle
GP
    verdict "$(check "$off < 0.08 && $turn < 5")" "below 1 Hz strut-car follows the single-track model with" \
        "relaxation within $(number "$(awk -v x="$off" 'BEGIN { print 100 * x }')") % and $turn deg; sedan and" \
        "iltis roll, and steer by it"
}
