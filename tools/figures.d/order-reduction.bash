# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), Fig. 10"

# one METHOD START MODEL STEP(in ms)
one() {
    local label="$1-$2-$4ms"
    run "$label" "$3" --formulation absolute --integrator "generalized-alpha:$1" -s "0.0$4" -d 2
    pendulum_errors "$label" "exact-$2-$4ms" >"$out/$name-$label.dat"
}

draw() {
    local start model h method
    for h in 20 10; do
        for start in bottom aside; do
            model="pendulum-$start"
            run "exact-$start-${h}ms" "$model" --formulation absolute --integrator dormand-prince \
                --tolerance 1e-13 --stabilisation projection -s "0.0$h" -d 2
            for method in index-3 index-3-modified-start ggl; do
                one "$method" "$start" "$model" "$h"
            done
        done
    done
    plot 1200 800 <<'GP'
set datafile separator whitespace
set multiplot layout 2,2
set xlabel "time [s]" offset 0,0.7
set title "error of the reaction [N], start at the bottom, index 3"
plot rows("index-3-bottom-20ms") title "20 ms", rows("index-3-bottom-10ms") title "10 ms"
set title "start aside, index 3: order 1 for a while"
plot rows("index-3-aside-20ms") title "20 ms", rows("index-3-aside-10ms") title "10 ms"
set title "start aside, velocities started with a correction of order 2"
plot rows("index-3-modified-start-aside-20ms") title "20 ms", rows("index-3-modified-start-aside-10ms") title "10 ms"
set title "start aside, stabilised index 2 (Gear, Gupta, Leimkuhler)"
plot rows("ggl-aside-20ms") title "20 ms", rows("ggl-aside-10ms") title "10 ms"
GP
    heading "error of the reaction, index 3, 20 and 10 ms [N] (Fig. 10)"
    row "from the bottom" "4.0e-3, 1.0e-3" "$(pair index-3-bottom)" "$(near index-3-bottom 4.0e-3 1.0e-3)"
    row "from aside" "0.24, 0.12" "$(pair index-3-aside)" "$(near index-3-aside 0.24 0.12)"
    row "from aside, corrected start" "order 2" "$(pair index-3-modified-start-aside)" \
        "$(check "$(worst "$out/$name-index-3-modified-start-aside-20ms.dat") / $(worst "$out/$name-index-3-modified-start-aside-10ms.dat") > 3")"
    verdict "$(checks "$(near index-3-bottom 4.0e-3 1.0e-3)" "$(near index-3-aside 0.24 0.12)")" \
        "largest error of the reaction with 20 and 10 ms: from the bottom $(pair index-3-bottom)" \
        "(paper: 4.0e-3, 1.0e-3), from aside $(pair index-3-aside) (paper: 0.24, 0.12), with" \
        "corrected start $(pair index-3-modified-start-aside), stabilised $(pair ggl-aside)"
}

pair() {
    printf '%s, %s' "$(number "$(worst "$out/$name-$1-20ms.dat")")" \
        "$(number "$(worst "$out/$name-$1-10ms.dat")")"
}

# near LABEL COARSE FINE: whether both errors are the paper's, to a tenth
near() {
    check "$(worst "$out/$name-$1-20ms.dat") / $2 > 0.9 && $(worst "$out/$name-$1-20ms.dat") / $2 < 1.1 &&
        $(worst "$out/$name-$1-10ms.dat") / $3 > 0.9 && $(worst "$out/$name-$1-10ms.dat") / $3 < 1.1"
}
