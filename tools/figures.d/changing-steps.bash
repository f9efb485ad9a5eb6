# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), Example 9 (after Figs. 10 and 11)"

# a block on a slide, moved as z(t) = 0.5 sin t; its mass is 1 kg, so the drive pulls with z''
model() {
    cat >"$out/$name.yaml" <<'YAML'
linkage: 1
name: moved-block
gravity: [0, 0, 0]
bodies: {block: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}
joints: {slide: {type: prismatic, bodies: [ground, block], axis: [1, 0, 0], point: [0, 0, 0], drive: {harmonic: {amplitude: 0.5, omega: 1}}}}
outputs: {pull: {type: drive-force, joint: slide}}
solver: {formulation: ali3, step: 0.001}
YAML
}

# factor INTEGRATOR H: force of the first step of H after one of 10 ms, in times of the exact one
factor() {
    local label="${1/:/-}-$2" pull
    run "$label" "$out/$name.yaml" --integrator "$1" --first-steps 0.01,1 -s "$2" \
        -d "$(awk -v h="$2" 'BEGIN { printf "%.9g", 1 + h }')"
    pull="$(columns "$(csv "$label")" time pull | tail -n 1)"
    awk -v row="$pull" 'BEGIN { split(row, x, " "); printf "%.4g", x[2] / (-0.5 * sin(x[1])) }'
}

draw() {
    local h ours formula good=yes index_2
    model
    heading "step after one of 10 ms, index 3"
    for h in 0.005 0.001 0.0001 0.00001; do
        ours="$(factor bdf-1:index-3 "$h")"
        formula="$(awk -v h="$h" 'BEGIN { printf "%.4g", (h + 0.01) / (2 * h) }')"
        row "multiplier after a step of 10 ms, then $h s (Ex. 9)" "$formula times" "$ours times" \
            "$(check "$ours / $formula > 0.97 && $ours / $formula < 1.03")"
        [ "$(check "$ours / $formula > 0.97 && $ours / $formula < 1.03")" = yes ] || good=no
    done
    index_2="$(factor bdf-1:index-2 0.00001)"
    row "0.00001 s, index 2" 1 "$index_2 times"
    row "0.00001 s, stabilised index 2" 1 "$(factor bdf-1:ggl 0.00001) times"
    verdict "$good" "the multiplier of the backward Euler method in index 3 is (h_n + h_n-1) / 2 h_n times the right one, without limit as the step shrinks; in index 2 it is right"
}
