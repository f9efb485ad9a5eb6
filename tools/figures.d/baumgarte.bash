# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), eq. (87), beside Fig. 14"

# drift INTEGRATOR SECONDS: largest violation of the rod in a pendulum with steps of 20 ms [m]
drift() {
    local label="${1/:/-}-$2"
    run "$label" pendulum-aside --formulation absolute --integrator "$1" -s 0.02 -d "$2"
    number_behind "$label" position
}

draw() {
    local method plain longer held held_longer good=yes
    heading "violation after 20 s, 80 s, 20 ms [m]"
    for method in bdf-2 generalized-alpha hht-alpha; do
        plain="$(drift "$method:index-2" 20)" longer="$(drift "$method:index-2" 80)"
        held="$(drift "$method:index-2-baumgarte" 20)" held_longer="$(drift "$method:index-2-baumgarte" 80)"
        row "$method:index-2" "drifts" "$plain, $longer"
        row "$method:index-2-baumgarte, violation [m] (eq. 87)" "does not drift" "$held, $held_longer" \
            "$(check "$held < 0.5 * $plain && $held_longer < 1.01 * $held")"
        [ "$(check "$held < 0.5 * $plain && $held_longer < 1.01 * $held")" = yes ] || good=no
    done
    verdict "$good" "alpha_0 = C / h, C = 1 (bdf) and 0.5 (alpha methods), with fixed steps: the violation" \
        "does not add up, and is smaller at once"
}
