# SPDX-License-Identifier: Apache-2.0
paper="M. Pekal, J. Fraczek, Comparison of natural complement formulations (2016), Fig. 5"

limit=10 # seconds of processor time that a run may take

# calls METHOD STRUT TOLERANCE STABILISATION: right-hand sides of 10 s
calls() {
    if run "$1" "$out/$name-$2.yaml" --formulation "complement:$1" --integrator dormand-prince \
        --tolerance "$3" --orientation euler --stabilisation "$4" -s 0.1 -n 100 -d 10 2>/dev/null; then
        number_before "$1" right-hand
    else
        echo "not done"
    fi
}

# times CALLS OF: "7.3 times", or what there is
times_of() { if [ "$1" = "not done" ]; then echo "no end"; else echo "$(ratio "$1" "$2") times"; fi; }

draw() {
    local tolerance qr threshold fixed plain good=()
    turned_strut strut >/dev/null
    turned_strut strut-redundant >/dev/null
    heading "right-hand sides, as many as of QR"
    for tolerance in 1e-3 1e-6 1e-8 1e-10; do
        qr="$(calls qr strut-redundant "$tolerance" position)"
        threshold="$(calls wang-huston strut-redundant "$tolerance" position)"
        fixed="$(calls wang-huston-fixed-rank strut-redundant "$tolerance" position)"
        plain="$(calls wang-huston strut "$tolerance" position)"
        row "redundant, $tolerance, rank by threshold" "many times" "$(times_of "$threshold" "$qr")" \
            "$([ "$threshold" = "not done" ] && echo yes || check "$threshold > 1.5 * $qr")"
        row "redundant, $tolerance, rank of the start" "" "$(times_of "$fixed" "$qr")"
        row "no redundant rows, $tolerance" "as QR" "$(times_of "$plain" "$qr")" "$(check "$plain < 1.1 * $qr")"
        if [ "$threshold" = "not done" ]; then good+=(yes); else
            good+=("$(check "$threshold > 1.5 * $qr")")
        fi
        good+=("$(check "$fixed < 1.1 * $qr && $plain < 1.1 * $qr")")
    done
    verdict "$(checks "${good[@]}")" "with stabilised positions alone and redundant rows, Wang-Huston takes" \
        "many more steps: drifted rows count as independent; with the rank of the start it does not"
}
