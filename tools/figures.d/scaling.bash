# SPDX-License-Identifier: Apache-2.0
paper="the index-3 divide-and-conquer paper (Nonlinear Dynamics, 2018), Figs. 12 to 14"

links=(2 4 8 16 32 64 128 256 512 1024)
processors="$(nproc)"

# chain LINKS ITERATIONS: prints its file; the solver line is the one that follows the joints
chain() {
    "$root/tools/make-chain" "$1" |
        sed "s/^solver:.*/solver: {formulation: ali3, step: 0.01, iterations: $2}/" >"$out/$name-$1-$2.yaml"
    printf '%s' "$out/$name-$1-$2.yaml"
}

# medians WORKERS FILE...: median time of a step [us] of each file with each number of workers, as
# words; the least of three measurements, as other programs only make it longer
medians() {
    local workers="$1" i
    shift
    for i in 1 2 3; do
        "$linkage" bench --json -t 0.1 -w "$workers" "$@" | grep -o '"median_ns": [0-9.e+]*' |
            awk '{ printf "%s%g", sep, $2 / 1000; sep = " " } END { print "" }'
    done | awk '{ for (i = 1; i <= NF; i++) if (NR == 1 || $i < t[i]) t[i] = $i; n = NF }
        END { for (i = 1; i <= n; i++) printf "%s ", t[i] }'
}

draw() {
    local n workers=(1) w before="" times share shares=0 line
    for w in 2 4 8; do
        [ "$w" -gt "$processors" ] || workers+=("$w")
    done
    printf '    %-8s %12s %12s %14s' links "us a step" "x of half" "share of Newton"
    printf ' %10s' "${workers[@]/%/ workers}"
    printf '\n'
    : >"$out/$name.dat"
    for n in "${links[@]}"; do
        read -ra times <<<"$(medians "$(paste -sd , <<<"$(printf '%s\n' "${workers[@]}")")" \
            "$(chain "$n" 3)")"
        # every iteration costs the same: five less one are four of them
        share="$(medians 1 "$(chain "$n" 1)" "$(chain "$n" 3)" "$(chain "$n" 5)" |
            awk '{ print 3 * ($3 - $1) / 4 / $2 }')"
        printf '    %-8s %12.1f %12s %13.0f%%' "$n" "${times[0]}" \
            "${before:+$(ratio "${times[0]}" "$before")}" "$(awk -v s="$share" 'BEGIN { print 100 * s }')"
        line="$n ${times[0]}"
        for w in "${times[@]}"; do
            printf ' %10s' "$(ratio "${times[0]}" "$w")"
        done
        printf '\n'
        echo "$line $share" >>"$out/$name.dat"
        before="${times[0]}"
    done
    shares="$(awk '$1 >= 64 { s += $3; n++ } END { printf "%.0f", 100 * s / n }' "$out/$name.dat")"
    awk '$1 >= 64 { print $1, $2 }' "$out/$name.dat" >"$out/$name-long.dat"
    heading
    row "time over links, from 64 on" "linear" "n^$(slope "$out/$name-long.dat")"
    row "share of three iterations" "81 % with factors" "$shares %"
    row "chain of 128 at 10 ms in real time" "from 4 cores on" \
        "$(awk '$1 == 128 { printf "%.0f times with 1", 10000 / $2 }' "$out/$name.dat")"
    verdict "$(checks "$(check "$(slope "$out/$name-long.dat") > 0.8 && $(slope "$out/$name-long.dat") < 1.3")" \
        "$(check "$shares > 70")")" "time grows with the links; the share here is of residuals and solutions alone, as one" \
        "factor serves all iterations, and another both projections; speed-ups are of $processors" \
        "processors, vary, and need a quiet machine"
}
