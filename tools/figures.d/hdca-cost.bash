# SPDX-License-Identifier: Apache-2.0
paper="K. Chadaj, P. Malczyk, J. Fraczek, A parallel Hamiltonian formulation (2016), Tables 1 and 2, Figs. 10 and 11"

cases=(closed-loop-four closed-loop-eight double-closed-loop-eight)
solvers=(ode45 ode113 ode23)
declare -A ours=([ode45]=dormand-prince [ode113]=adams [ode23]=arkode-erk:order-3)
# Table 1 [ms a call], and Table 2 at 1e-3, 1e-6, 1e-9 [s], HDCA then DCA
declare -A call=([0]="5.203 7.394" [1]="8.806 13.388" [2]="15.278 15.501")
declare -A seconds=(
    [0,ode45]="2.72 2.07 6.83 5.95 24.46 144.94" [0,ode113]="1.62 1.97 3.16 4.68 5.76 34.34"
    [0,ode23]="2.84 3.22 18.85 28.54 183.88 498.54"
    [1,ode45]="9.70 8.03 31.49 25.38 124.01 95.72" [1,ode113]="5.18 8.98 11.84 19.43 21.99 63.60"
    [1,ode23]="8.49 13.30 70.55 122.22 697.14 1257.17"
    [2,ode45]="8.43 4.84 26.16 14.73 99.90 115.96" [2,ode113]="5.23 4.66 10.96 10.49 18.39 86.90"
    [2,ode23]="9.55 7.18 80.01 65.53 799.48 721.92"
)

# one CASE FORMULATION SOLVER TOLERANCE: calls, microseconds of processor time a call, and seconds, as words
one() {
    local label="${2/:/-}"
    run "$label" "${cases[$1]}" --formulation "$2" --integrator "${ours[$3]}" --tolerance "$4" \
        -s 0.1 -n 100 -d 10
    awk -v t="$(number_behind "$label" 'processor time')" -v n="$(number_before "$label" right-hand)" \
        'BEGIN { print n, 1e6 * t / n, t }'
}

# calls_of CASE SOLVER WHICH: of the paper, by its two tables; WHICH: 0, 2, 4 for the tolerances
calls_of() {
    local s t
    read -ra s <<<"${seconds[$1,$2]}"
    read -ra t <<<"${call[$1]}"
    awk -v a="${s[$3]}" -v b="${s[$3 + 1]}" -v x="${t[0]}" -v y="${t[1]}" \
        'BEGIN { printf "%.0f %.0f %.2f", 1000 * a / x, 1000 * b / y, b / y / (a / x) }'
}

draw() {
    local i solver k tolerance hdca dca theirs near=() alike=() ratio_here close=()
    row "calls of HDCA, DCA, ratio DCA/HDCA" "by Tables 1 and 2" "hdca:as-printed, dca"
    for solver in "${solvers[@]}"; do
        for i in 0 1 2; do
            for k in 0 1 2; do
                tolerance=(1e-3 1e-6 1e-9)
                read -ra hdca <<<"$(one "$i" hdca:as-printed "$solver" "${tolerance[k]}")"
                read -ra dca <<<"$(one "$i" dca "$solver" "${tolerance[k]}")"
                theirs="$(calls_of "$i" "$solver" $((2 * k)))"
                ratio_here="$(awk -v a="${dca[0]}" -v b="${hdca[0]}" 'BEGIN { printf "%.2f", a / b }')"
                row "case $((i + 1)), $solver, ${tolerance[k]}" "$theirs" "${hdca[0]} ${dca[0]} $ratio_here"
                [ "$k" = 2 ] || close+=("$(check "${hdca[0]} / ${theirs%% *} < 1.35 && ${theirs%% *} / ${hdca[0]} < 1.54")")
                [ "$k" = 2 ] || near+=("$(check "${theirs##* } / $ratio_here < 1.35 &&
                    $ratio_here / ${theirs##* } < 1.35")")
            done
        done
        row "calls of HDCA with $solver (${ours[$solver]}), 1e-3 and 1e-6" "by Tables 1, 2" \
            "within 35 % in $(grep -o yes <<<"${close[*]}" | wc -l) of ${#close[@]}" \
            "$(check "$(grep -o yes <<<"${close[*]}" | wc -l) >= ${#close[@]} - 1" | sed 's/no/partly/')" \
            "tolerances are not those of Matlab: \`./tools/figures hdca-cost\`"
        row "ratio of calls DCA/HDCA with $solver" "by Tables 1, 2" \
            "within 35 % in $(grep -o yes <<<"${near[*]}" | wc -l) of ${#near[@]}" \
            "$(check "$(grep -o yes <<<"${near[*]}" | wc -l) >= ${#near[@]} - 1")"
        alike+=("$(check "$(grep -o yes <<<"${near[*]}" | wc -l) >= ${#near[@]} - 1")")
        near=() close=()
    done
    for i in 0 1 2; do
        read -ra hdca <<<"$(one "$i" hdca:as-printed ode45 1e-6)"
        read -ra dca <<<"$(one "$i" dca ode45 1e-6)"
        read -ra theirs <<<"${seconds[$i,ode45]}"
        row "case $((i + 1)), ode45, 1e-6: seconds HDCA, DCA, ratio (Fig. 10)" \
            "${theirs[2]} ${theirs[3]} $(ratio "${theirs[3]}" "${theirs[2]}")" \
            "${hdca[2]} ${dca[2]} $(ratio "${dca[2]}" "${hdca[2]}")"
        read -ra theirs <<<"${call[$i]}"
        row "case $((i + 1)): time of a call, DCA/HDCA" "$(ratio "${theirs[1]}" "${theirs[0]}")" \
            "$(ratio "${dca[1]}" "${hdca[1]}")" no \
            "cause not found: both share one factor per call here, and HDCA has a second sweep (\`./tools/figures hdca-cost\`)"
    done
    verdict "$(checks "${alike[@]}")" "the ratios of calls are the paper's with all three solvers; DCA has no outliers at 1e-9 here: its f" \
        "is smooth, and that of the paper's pseudo-inverses may not be. Times of a call differ, as both methods share one" \
        "factor here, and HDCA has a second sweep"
}
