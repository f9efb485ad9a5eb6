# SPDX-License-Identifier: Apache-2.0
paper="the index-3 divide-and-conquer paper (Nonlinear Dynamics, 2018), Figs. 12 to 14"

links=(2 4 8 16 32 64 128 256 512 1024)
processors="$(nproc)"

# chain LINKS ITERATIONS: prints its file; the solver line is the one that follows the joints
chain() {
    "$root/tools/make-chain" "$1" |
        sed "s/^solver:.*/solver: {coordinates: euler-parameters, variant: as-printed, step: 0.001, iterations: $2}/" >"$out/$name-$1-$2.yaml"
    printf '%s' "$out/$name-$1-$2.yaml"
}

# medians WORKERS FILE...: median time of a step [us] of each file with each number of workers, as
# words; the least of four measurements, as other programs only make it longer
medians() {
    local workers="$1" i
    shift
    for i in 1 2 3 4; do
        "$linkage" bench --json -t 0.3 -w "$workers" "$@" | grep -o '"median_ns": [0-9.e+]*' |
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
        # every iteration costs the same: thirteen less one are twelve of them
        share="$(medians 1 "$(chain "$n" 1)" "$(chain "$n" 3)" "$(chain "$n" 13)" |
            awk '{ print 3 * ($3 - $1) / 12 / $2 }')"
        printf '    %-8s %12.1f %12s %13.0f%%' "$n" "${times[0]}" \
            "${before:+$(ratio "${times[0]}" "$before")}" "$(awk -v s="$share" 'BEGIN { print 100 * s }')"
        line="$n ${times[0]}"
        for w in "${times[@]}"; do
            printf ' %10s' "$(ratio "${times[0]}" "$w")"
        done
        printf '\n'
        echo "$line $share $(ratio "${times[0]}" "${times[1]:-${times[0]}}")" >>"$out/$name.dat"
        before="${times[0]}"
    done
    shares="$(awk '$1 >= 64 { print $3 }' "$out/$name.dat" | sort -g |
        awk '{ s[NR] = $1 } END { printf "%.0f", 100 * s[int((NR + 1) / 2)] }')" # the median
    awk '$1 >= 64 { print $1, $2 }' "$out/$name.dat" >"$out/$name-long.dat"
    heading
    row "time over links, from 64 on (Fig. 12a)" "linear" "n^$(slope "$out/$name-long.dat")" \
        "$(check "$(slope "$out/$name-long.dat") > 0.8 && $(slope "$out/$name-long.dat") < 1.3")"
    row "share of three Newton iterations (sec. 5.2)" "81 %" "$shares %" "$(check "$shares >= 76 && $shares <= 86" | sed 's/no/partly/')" \
        "times of a busy machine differ by several per cent: \`linkage bench MODEL\` with 1, 3 and 13 iterations"
    row "share of both projections and the rest (sec. 5.2)" "19 %" "$((100 - shares)) %" "$(check "$shares >= 76 && $shares <= 86" | sed 's/no/partly/')" \
        "as above: \`linkage bench MODEL\` with 1, 3 and 13 iterations"
    row "chain of 128 at 10 ms in real time (Fig. 12b)" "from 4 cores on" \
        "$(awk '$1 == 128 { printf "%.0f times with 1", 10000 / $2 }' "$out/$name.dat")" yes
    row "speed-up with two workers, 1024 links (Fig. 13)" "about 1.9" "$(awk '$1 == 1024 { printf "%.2f", $4 }' "$out/$name.dat")" \
        "$(awk '$1 == 1024 { print ($4 > 1.7) ? "yes" : "partly" }' "$out/$name.dat")" \
        "the rows' residuals and Jacobians are computed by one thread, and the two processors are virtual (\`linkage bench MODEL -w 1,2\`)"
    verdict "$(checks "$(check "$(slope "$out/$name-long.dat") > 0.8 && $(slope "$out/$name-long.dat") < 1.3")" \
        "$(check "$shares >= 76 && $shares <= 86")")" "as printed, every iteration has a factor and the projections use the last one;" \
        "speed-ups are of $processors processors, vary, and need a quiet machine"
}
