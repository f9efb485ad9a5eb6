# SPDX-License-Identifier: Apache-2.0
# What the figures of handling share: the shipped cars on the move, their steer, and the linear
# single-track model (P. Riekert, T. E. Schunck, 1940) with the pneumatic trails and the stiffness of
# their tyres without slip at the load at rest.

cars="strut-car sedan iltis"

# input CAR: which one steers;  unit CAR
input() { case "$1" in iltis) echo rack ;; *) echo steer ;; esac; }

# moving CAR SPEED: the car at a speed [m/s], all that turns with its wheels too, with a force that
# pushes it where it has no engine; prints its file
moving() {
    local v="$2" body='s/^\(  [a-z_]*: {mass: [^}]*\)}$/\1, velocity: ['"$2"', 0, 0]}/'
    local spin push='s/^inputs:/inputs:\n  push: {type: body-force, body: chassis, point: [0, 0, 0.4], frame: body}/'
    case "$1" in
    strut-car)
        spin="$(awk -v v="$v" 'BEGIN { print v / 0.3345 }')"
        variant "$1-$v" "$1" "$body" "$push" \
            "s/^\\(  wheel_[a-z]*: {mass: .*\\)}$/\\1, angular_velocity: [0, $spin, 0]}/"
        ;;
    sedan)
        spin="$(awk -v v="$v" 'BEGIN { print v / 0.3185 }')"
        variant "$1-$v" "$1" "$body" \
            "s/^\\(  wheel_[a-z]*: {mass: .*\\)}$/\\1, angular_velocity: [0, $spin, 0]}/" \
            "s/^\\(  flange_[lr]: {mass: .*\\)}$/\\1, angular_velocity: [0, $spin, 0]}/" \
            "s/^\\(  shaft_[lr]: {mass: .*\\)}$/\\1, angular_velocity: [0, $spin, 0]}/" \
            "s/^\\(  propshaft: {mass: .*\\)}$/\\1, angular_velocity: [$(awk -v w="$spin" \
                'BEGIN { print 5 * w }'), 0, 0]}/" \
            "s/^\\(  crank: {mass: .*\\)}$/\\1, angular_velocity: [$(awk -v w="$spin" \
                'BEGIN { print 5 * w / 0.784 }'), 0, 0]}/"
        ;;
    iltis) # as shipped it is at 20 m/s
        [ "$v" != 20 ] || { variant "$1-$v" "$1" "$push"; return; }
        variant "$1-$v" "$1" "$push" "s/velocity: \\[20, 0, 0\\]/velocity: [$v, 0, 0]/" \
            "s/54.8960406/$(awk -v v="$v" 'BEGIN { printf "%.9g", v / 0.364325 }')/g" \
            "s/54.9734478/$(awk -v v="$v" 'BEGIN { printf "%.9g", v / 0.363812 }')/g"
        ;;
    esac
}

# steer LABEL CAR SECONDS AWK-EXPRESSION: inputs over time to a CSV, prints its file; the expression
# is the value at the time t [s], 100 a second
steer() {
    local file="$out/$name-$1-steer.csv"
    awk -v name="$(input "$2")" -v end="$3" 'BEGIN {
        pi = 4 * atan2(1, 1)
        print "time," name
        for (i = 0; i <= 100 * end; i++) { t = i / 100; printf "%.2f,%.9g\n", t, '"$4"' }
    }' >"$file"
    printf '%s' "$file"
}

# numbers CAR: of the single-track model, as the words m a b I Cf Cr tf tr sf sr, mass, lengths to the
# axles, inertia about the vertical, of a wheel in front and behind stiffness [N/rad], trail and length
# of relaxation [m]; and track, height of the centre of mass [m]
numbers() {
    case "$1" in
    strut-car) # MF 5.2: Ky without slip, trail Dt, sy
        awk 'function K(F) { return 21.92 * 4850 * sin(2 * atan2(F, 2.0012 * 4850)) }
            function trail(F) {
                return F * (0.093509 - 0.0092183 * (F - 4850) / 4850) * 0.344 / 4850 }
            function lag(F) { return 2.1439 * sin(2 * atan2(F, 1.9829 * 4850)) * 0.344 }
            BEGIN { f = 2926.06; r = 2436.57; L = 2.5789
                print 1093.3, L * r / (f + r), L * f / (f + r), 2053, K(f), K(r), trail(f), trail(r),
                    lag(f), lag(r), 1.376, 0.5811 }' ;;
    sedan) # TMeasy: the slope without slip, trail nu L, stiffness of the carcass
        awk 'function K(F,  z) { z = F / 8562.8266
                return z * (2 * 50931.693 - 94293.847 / 2 - (50931.693 - 94293.847 / 2) * z) }
            function trail(F) {
                return (0.178 + 0.012 * (F / 8562.8266 - 1)) * 2 * sqrt(0.3266 * F / 411121) }
            BEGIN { f = 3499.77; r = 3447.48; L = 2.776
                print 1416.36, L * r / (f + r), L * f / (f + r), 1406, K(f), K(r), trail(f), trail(r),
                    K(f) / 164448, K(r) / 164448, 1.596, 0.528 }' ;;
    iltis) # Calspan without slip
        awk 'function K(F) { return 2625 + 14.47 * F - 14.47 * F * F / 12930 }
            BEGIN { f = 3831.3; r = 3591.9; L = 2.017
                print 1513.4, L * r / (f + r), L * f / (f + r), 2024, K(f), K(r), 1.71e-5 * f,
                    1.71e-5 * r, 0, 0, 1.23, 0.527 }' ;;
    esac
}

wheelbase() { numbers "$1" | awk '{ print $2 + $3 }'; }

# gradient CAR: understeer K of delta = L r / v + K v r, by the single-track model [rad s^2/m]
gradient() {
    numbers "$1" | awk '{ a = $2 - $7; b = $3 + $8
        print $1 / (a + b) * (b / (2 * $5) - a / (2 * $6)) }'
}

# pace CAR: an input that about keeps its speed
pace() { case "$1" in sedan) echo throttle=0.11 ;; strut-car) echo push=150,0,0 ;; iltis) echo push=50,0,0 ;; esac; }

# most CAR: steer at the end: some 5 m/s^2 at 20 m/s
most() { case "$1" in strut-car) echo 0.06 ;; sedan) echo 1.8 ;; iltis) echo 0.012 ;; esac; }

# crawl CAR: wheel angle by the input: L r / v at 3 m/s, where the tyres hardly slip
crawl() {
    local model
    model="$(moving "$1" 3)"
    run "$1-crawl" "$model" -d 4 --inputs "$(steer "$1-crawl" "$1" 4 \
        "$(most "$1") / 10 * (t < 1 ? t : 1)")" --interpolate -n 10 --set "$(pace "$1")"
    columns "$(csv "$1-crawl")" time motion.vx motion.vy motion.wz |
        awk -v input="$(most "$1")" -v L="$(wheelbase "$1")" -v K="$(gradient "$1")" '
        $1 > 3 { v += sqrt($2 * $2 + $3 * $3); r += $4; n++ }
        END { print (L / v * n + K * v / n) * r / n / (input / 10) }'
}
