# SPDX-License-Identifier: Apache-2.0
paper="the index-3 divide-and-conquer paper (Nonlinear Dynamics, 2018), section 4.4, beside Figs. 8 to 11"

# the paper's chain and form; PENALTY "" is the automatic one; WORDS go into the solver
model() {
    variant "$2-$1" chain-128 \
        "s/^solver:.*/solver: {formulation: ali3, coordinates: euler-parameters, ${3:-}${1:+penalty: $1, }iterations: 3}/"
}

# far LABEL: largest distance of the free end from the run with automatic penalty, until 4 s
far() {
    paste -d ' ' <(columns "$(csv "$1")" time tip.x tip.y) <(columns "$(csv "automatic")" tip.x tip.y) |
        awk '$1 <= 4 { d = sqrt(($2 - $4) ^ 2 + ($3 - $5) ^ 2); if (d > m) m = d } END { print m }'
}

# outcome PENALTY LABEL WORDS: "fails at 0.57 s", "right to 1e-4 m", or "wrong by 0.9 m": more than a centimetre of
# 128 m
outcome() {
    local label="$2-$1" distance end
    run "$label" "$(model "$@")" -s 0.01 -d 4 2>/dev/null || true
    end="$(columns "$(csv "$label")" time | tail -n 1)"
    distance="$(number "$(far "$label")" %.2g)"
    if [ "$(check "$end < 3.995")" = yes ]; then
        printf 'fails at %s s' "$(number "$end")"
    elif [ "$(check "$distance < 0.01")" = yes ]; then
        printf 'right to %s m' "$distance"
    else
        printf 'wrong by %s m' "$distance"
    fi
}

# is WORD OUTCOME: yes or no
is() { [[ "$2" = "$1"* ]] && echo yes || echo no; }

draw() {
    local i penalties=(1e6 1e7 1e8 1e9 1e10) said=("no convergence" "no convergence" "wrong results" "used" "")
    local expected=(fails fails wrong right "")
    local printed=() default=()
    run automatic "$(model "" automatic)" -s 0.01 -d 4
    for i in "${!penalties[@]}"; do
        printed+=("$(outcome "${penalties[i]}" printed "variant: as-printed, ")")
        default+=("$(outcome "${penalties[i]}" default)")
    done
    heading "penalty, 128 links, 4 s at 10 ms"
    for i in "${!penalties[@]}"; do
        row "penalty ${penalties[i]}, as printed (sec. 4.4)" "${said[i]}" "${printed[i]}" "${expected[i]:+$(is "${expected[i]}" "${printed[i]}")}"
    done
    for i in "${!penalties[@]}"; do
        row "${penalties[i]}, variant default" "" "${default[i]}"
    done
    verdict "$(checks "$(is fails "${printed[0]}")" "$(is fails "${printed[1]}")" \
        "$(is wrong "${printed[2]}")" "$(is right "${printed[3]}")")" \
        "as printed, 1e6 and 1e7 fail, 1e8 goes on and is wrong and 1e9 serves, as in the paper. With rows of p / |p|" \
        "instead of p, the default variant, 1e8 serves, too: its rows do not stretch with the length of the parameters"
}
