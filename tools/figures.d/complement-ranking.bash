# SPDX-License-Identifier: Apache-2.0
paper="M. Pekal, J. Fraczek, Comparison of natural complement formulations (2016), Figs. 2 to 5"

methods=(qr zero-eigenvalue schur svd putd-h putd-g putd-h-explicit putd-g-explicit coordinate-partitioning wang-huston)
limit=20

# microseconds METHOD STRUT STABILISATION: processor time of a right-hand side with what belongs to
# it, the least of three runs; "none" if one has no end
microseconds() {
    local i parameters=()
    [ "$3" != baumgarte ] || parameters=(--baumgarte 10,10)
    for i in 1 2 3; do
        run "$1" "$out/$name-$2.yaml" --formulation "complement:$1" --integrator dormand-prince \
            --tolerance 1e-6 --orientation euler --stabilisation "$3" "${parameters[@]}" \
            -s 0.1 -n 100 -d 10 || { echo none; break; }
        awk -v t="$(number_behind "$1" 'processor time')" -v n="$(number_before "$1" right-hand)" \
            'BEGIN { print 1e6 * t / n }'
    done | sort -g | head -n 1 # a word is before the numbers
}

# mean METHODS [STRUT]: of times of a call, QR = 1
mean() {
    awk -v m="^($1)\$" -v s="${2:-.*}" '$1 == "qr" { base[$2, $3] = $4 }
        $1 ~ m && $2 ~ "^(" s ")$" && $4 != "none" { t += $4 / base[$2, $3]; n++ } END { printf "%.2f", n ? t / n : 0 }' \
        "$out/$name.dat"
}

draw() {
    local strut stabilisation method
    turned_strut strut >/dev/null
    turned_strut strut-redundant >/dev/null
    : >"$out/$name.dat"
    printf '    %-24s' "time of a call, QR = 1"
    printf ' %10s %10s %10s' none baumgarte position none baumgarte position
    printf '\n'
    for method in "${methods[@]}"; do
        for strut in strut strut-redundant; do
            for stabilisation in none baumgarte position; do
                printf '%s %s %s %s\n' "$method" "$strut" "$stabilisation" \
                    "$(microseconds "$method" "$strut" "$stabilisation")" >>"$out/$name.dat"
            done
        done
    done
    for method in "${methods[@]}"; do
        awk -v m="$method" '$1 == "qr" { base[$2, $3] = $4 }
            $1 == m { line = line sprintf(" %10s", $4 == "none" ? "no end" : sprintf("%.2f", $4 / base[$2, $3])) }
            END { printf "    %-24s%s\n", m, line }' "$out/$name.dat"
    done
    printf '    %-24s %32s %32s\n' "" "(strut)" "(strut with redundant rows)"
    row "PUTD by LAPACK, time of a call, QR = 1" "slowest" "$(mean 'putd-[hg]')" \
        "$(check "$(mean 'putd-[hg]') > $(mean 'zero-eigenvalue|schur|svd')")" \
        "cause not found: by LAPACK it costs as QR does; for the cause that the paper suspects see the next row (\`./tools/figures complement-ranking\`)"
    row "PUTD with H formed as in (3.20), QR = 1" "slowest" "$(mean 'putd-[hg]-explicit')" \
        "$(check "$(mean 'putd-[hg]-explicit') > $(mean 'svd')")" \
        "cause not found: forming H as in (3.20), which the paper suspects, costs less than SVD here (\`./tools/figures complement-ranking\`)"
    row "eigenvalues, Schur, SVD, time of a call, QR = 1" "close to 1" "$(mean 'zero-eigenvalue|schur|svd')" \
        "$(check "$(mean 'zero-eigenvalue|schur|svd') < 1.3" | sed 's/no/partly/')" \
        "cause not found: in LAPACK what iterates costs more than QR (\`./tools/figures complement-ranking\`)"
    row "Wang-Huston, no redundant rows, QR = 1" "below 1 at times" "$(mean wang-huston strut)" "$(check "$(mean wang-huston strut) < 1")"
    verdict "$(checks "$(check "$(mean 'putd-[hg]') > $(mean 'zero-eigenvalue|schur|svd')")" \
        "$(check "$(mean 'zero-eigenvalue|schur|svd') > 1")" "$(check "$(mean wang-huston strut) < 1")")" \
        "QR is among the cheapest, and Wang-Huston cheaper without redundant rows; PUTD, the slowest in the" \
        "paper, which suspects its own transformation of H, costs as QR does in LAPACK, and what iterates" \
        "(eigenvalues, Schur, SVD) more; ratios vary from run to run"
}
