#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/figures: two fast figures, two tables and a manoeuvre, with the numbers that the paper has; what
# cannot be drawn is said and is a failure.
#
# usage: test-figures.sh FIGURES LINKAGE
set -euo pipefail

figures=$1 linkage=$2
command -v gnuplot >/dev/null || { echo "left out: no gnuplot; install the package gnuplot-nox"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LINKAGE=$linkage FIGURES_OUTPUT=$work/out

fail() {
    echo "FAILED: $*"
    [ ! -s "$work/said" ] || cat "$work/said"
    exit 1
}

# between VALUE LEAST MOST
between() { awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(v != "" && v >= a && v <= b) }'; }

# is_picture FILE: a PNG of 1200 by 800 with more in it than empty axes
is_picture() {
    local head
    head=$(head -c 24 "$1" | od -An -tx1 | tr -d ' \n')
    [ "${head:0:16}" = 89504e470d0a1a0a ] || fail "$1 is no PNG"
    [ "${head:32:16}" = 000004b000000320 ] || fail "$1 has another size: $head"
    [ "$(stat -c %s "$1")" -gt 20000 ] || fail "$1 is next to empty"
}

# rows FILE N: a CSV with N rows below its names, all with as many numbers as names
rows() {
    awk -F, -v n="$2" 'NR == 1 { width = NF } NF != width || /nan|inf/ { bad = 1 }
        END { exit bad || width < 2 || NR - 1 != n }' "$1" ||
        fail "$1: $(wc -l <"$1") rows, expected $2 whole ones below the names"
}

# ---- every figure says what it is ----

"$figures" list >"$work/said" || fail "figures list"
for file in "$(dirname "$figures")"/figures.d/*.bash; do
    name=$(basename "$file" .bash)
    [ "$name" = common ] || grep -A 1 -x "$name" "$work/said" | tail -n 1 | grep -qE 'Fig|ISO' ||
        fail "$name is not in the list with paper and figure"
done

# ---- two of them ----

"$figures" order-reduction wheelset-drift >"$work/said" 2>&1 || fail "figures"
[ "$(grep -c ': reproduced: ' "$work/said")" = 2 ] || fail "expected a line for each figure, reproduced"
is_picture "$work/out/order-reduction.png"
is_picture "$work/out/wheelset-drift.png"
rows "$work/out/order-reduction-index-3-aside-20ms.csv" 101
rows "$work/out/order-reduction-index-3-aside-10ms.csv" 201
rows "$work/out/wheelset-drift-index-1.csv" 1001

# the paper: 4.0e-3 and 1.0e-3 from the bottom, 0.24 and 0.12 from aside; cured as from the bottom
errors=$(grep '^order-reduction' "$work/said" | sed 's/(paper[^)]*)//g' |
    grep -oE '[0-9.]+(e-[0-9]+)?, [0-9.]+(e-[0-9]+)?' | tr -d ,)
[ "$(wc -l <<<"$errors")" = 4 ] || fail "expected four pairs of errors"
while read -r least most order coarse fine; do
    between "$coarse" "$least" "$most" && between "$(awk "BEGIN { print $coarse / $fine }")" \
        "$(awk "BEGIN { print 0.93 * 2 ^ $order }")" "$(awk "BEGIN { print 1.07 * 2 ^ $order }")" ||
        fail "errors $coarse and $fine, expected $least to $most, order $order"
done < <(paste -d ' ' <(printf '%s\n' '3.9e-3 4.1e-3 2' '0.23 0.26 1' '2e-3 5e-3 2' '2e-3 5e-3 2') \
    <(echo "$errors"))

# linear and quadratic
powers=$(grep '^wheelset-drift' "$work/said" | grep -oE 't\^[0-9.]+' | tr -d 't^')
between "$(sed -n 1p <<<"$powers")" 0.7 1.4 || fail "index 2 drifts as t^${powers%%$'\n'*}"
between "$(sed -n 2p <<<"$powers")" 1.7 2.4 || fail "index 1 drifts as t^${powers##*$'\n'}"

# ---- two tables ----

"$figures" stabilised changing-steps >"$work/said" 2>&1 || fail "tables"
for name in stabilised changing-steps; do
    grep -q "^$name: .*: reproduced: " "$work/said" || fail "$name is not reproduced"
done
between "$(awk '/then 0.00001 s/ { print $(NF - 1) }' "$work/said")" 490 510 || fail "Example 9: not 500 times"
between "$(awk '/x0 = 0.2, 20 ms/ { print $NF }' "$work/said")" 1.8e-3 2.2e-3 || fail "Fig. 16: not 2e-3 N"

# ---- a manoeuvre of three cars ----

"$figures" lane-change >"$work/said" 2>&1 || fail "lane-change"
grep -q '^lane-change: .*: reproduced: all cars pass the three gates' "$work/said" || fail "a car hit a gate"
is_picture "$work/out/lane-change.png"

# the outcome of several checks, two of them or three
outcomes=$(root=/ bash -c '. "$1"; checks yes no; checks no yes no; checks no no; checks yes yes; check "2 < 1"' \
    outcomes "$(dirname "$figures")/figures.d/common.bash" | paste -sd ' ')
[ "$outcomes" = 'partly partly no yes no' ] || fail "outcomes of checks: $outcomes"

# ---- what cannot be drawn ----

! "$figures" no-such-figure >"$work/said" 2>&1 || fail "a figure that is none was drawn"
grep -q "no figure 'no-such-figure', expected" "$work/said" || fail "no word about the unknown figure"
printf '#!/bin/sh\necho "no such model" >&2\nexit 1\n' >"$work/broken"
chmod +x "$work/broken"
! LINKAGE=$work/broken "$figures" wheelset-drift >"$work/said" 2>&1 || fail "drawn without runs"
grep -q 'wheelset-drift: linkage run .*: no such model' "$work/said" || fail "no word about the run"
echo "all as expected"
