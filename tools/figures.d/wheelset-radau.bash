# SPDX-License-Identifier: Apache-2.0
paper="M. Arnold, DAE aspects of multibody system dynamics (2016), Figs. 12 and 13"

# worst RUN: largest error of the lateral shift against the fine run, relative to its largest value
worst() {
    paste -d ' ' <(columns "$(csv "$1")" wheelset_pose.y) <(columns "$(csv fine)" wheelset_pose.y) |
        awk '{ d = $1 - $2; if (d < 0) d = -d; v = $2 < 0 ? -$2 : $2
            if (d > m) m = d; if (v > s) s = v } END { print m / s }'
}

# series INDEX KAPPA: tolerance, error and steps, as words; a run that does not get through has none
series() {
    local tolerance label
    for tolerance in 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8; do
        label="$1-kappa-$2-$tolerance"
        if run "$label" wheelset --formulation absolute --integrator "radau:$1" --kappa "$2" \
            --tolerance "$tolerance" -s 0.01 -d 1 2>/dev/null; then
            printf '%s %s %s\n' "$tolerance" "$(worst "$label")" "$(number_before "$label" steps)"
        fi
    done >"$out/$name-$1-kappa-$2.dat"
}

# at INDEX KAPPA: error and steps with 1e-6
at() {
    awk '$1 == "1e-6" { printf "%.2g in %d steps", $2, $3; n++ } END { if (!n) printf "no result" }' \
        "$out/$name-$1-kappa-$2.dat"
}

# small INDEX KAPPA: whether the error with 1e-6 is below 1e-4
small() {
    awk '$1 == "1e-6" && $2 < 1e-4 { n++ } END { print n ? "yes" : "no" }' "$out/$name-$1-kappa-$2.dat"
}

draw() {
    local index kappa
    run fine wheelset --formulation absolute --integrator dormand-prince --tolerance 1e-12 \
        --stabilisation projection -s 0.01 -d 1
    for index in index-3 index-2 ggl; do
        for kappa in 0.03 1e-5; do
            series "$index" "$kappa"
        done
    done
    plot 1200 800 <<'GP'
set datafile separator whitespace
set multiplot layout 2,2
set logscale xy
set xlabel "tolerance" offset 0,0.7
do for [kappa in "0.03 1e-5"] {
    set format "%.0e"
    set title sprintf("largest error of the lateral shift, relative, kappa %s", kappa)
    plot [1e-9:1e-2] for [i in "index-3 index-2 ggl"] rows(i."-kappa-".kappa) using 1:2 with linespoints title i, x with lines dt 2 lc rgb "gray" title "tolerance"
    set format y "%g"
    set title sprintf("steps, kappa %s", kappa)
    plot [1e-9:1e-2] for [i in "index-3 index-2 ggl"] rows(i."-kappa-".kappa) using 1:3 with linespoints title i
}
GP
    # the paper: small kappa gives errors of the tolerance in both, the usual one in index 2 alone
    verdict "$(checks "$(small index-3 1e-5)" "$(small index-2 1e-5)" "$(small index-2 0.03)" \
        "$(small index-3 0.03 | sed 's/yes/large/; s/no/yes/; s/large/no/')")" "errors with tolerance 1e-6, Newton iterations that end at 0.03 and 1e-5 of it:" \
        "index 3 $(at index-3 0.03) and $(at index-3 1e-5), index 2 $(at index-2 0.03) and" \
        "$(at index-2 1e-5) (paper: 1e-3 to 1e-2, and the tolerance; the tolerance in index 2), stabilised index 2 $(at ggl 0.03) and $(at ggl 1e-5)"
}
