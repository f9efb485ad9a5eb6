# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), eqs. (75), (92), beside Fig. 10"

steps=(0.001 0.005 0.01 0.0125 0.025 0.025) # of order 1 to 6 [s]

# error ORDER FORM STEP: largest of the height of the mass in 1 s
error() {
    local label="$1-$2-$3"
    run "exact-$3" pendulum-aside --formulation absolute --integrator dormand-prince \
        --tolerance 1e-13 --stabilisation projection -s "$3" -d 1
    run "$label" pendulum-aside --formulation absolute --integrator "bdf-$1:$2" -s "$3" -d 1
    paste -d ' ' <(columns "$(csv "$label")" mass_pose.y) <(columns "$(csv "exact-$3")" mass_pose.y) |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > m) m = d } END { print m }'
}

draw() {
    local k form h half coarse fine rate good=yes
    heading "order of the height of the mass"
    for k in 1 2 3 4 5 6; do
        h="${steps[k - 1]}"
        half="$(awk -v h="$h" 'BEGIN { print h / 2 }')"
        for form in index-3 index-2 ggl; do
            coarse="$(error "$k" "$form" "$h")"
            fine="$(error "$k" "$form" "$half")"
            rate="$(order "$coarse" "$fine")"
            row "bdf-$k:$form: order of positions (eq. 75)" "$k" "$rate ($(number "$coarse" %.1e) m)" \
                "$([ "$form" != index-3 ] || check "$rate > $k - 0.5 && $rate < $k + 0.7")"
            [ "$(check "$rate > $k - 0.5 && $rate < $k + 0.7")" = yes ] || good=no
        done
    done
    verdict "$good" "backward differentiation of order 1 to 6 has its order in every index; what its multipliers do when the step changes is the figure changing-steps"
}
