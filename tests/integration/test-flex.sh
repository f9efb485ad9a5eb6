#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage flex: mode file, table, JSON, refusals. The numbers: tests/physics/test_flex.c, test_flex_solid.c.
# usage: test-flex.sh LINKAGE JSON_CHECK MODELS
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1") json_check=$(realpath "$2") models=$(realpath "$3")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# a beam of a model
beam=$models/spin-up-beam.yaml
expect 0 "beam" "$linkage" flex "$beam" --beam beam -o beam.modes
has "beam: table" "participation about node root" out
same "beam: nothing to say" "" "$(cat err)"
same "beam: first line" "# linkage flex spin-up-beam.yaml --beam beam -o beam.modes" "$(head -n 1 beam.modes)"
has "beam: mass" "mass: 12 #" beam.modes
same "beam: keys" "mass center inertia frequency inertia_first second nodes" \
    "$(grep -o '^[a-z_]*:' beam.modes | tr -d : | tr '\n' ' ' | sed 's/ $//')"
same "beam: nodes" "root tip" "$(grep -o '^  [a-z]*:$' beam.modes | tr -d ' :' | tr '\n' ' ' | sed 's/ $//')"
same "beam: modes" 20 "$(grep '^frequency' beam.modes | tr -cd , | wc -c | awk '{print $1 + 1}')"
! grep -q 'nan\|inf' beam.modes || { echo "FAIL beam: no number"; failed=1; }
expect 0 "again" "$linkage" flex "$beam" --beam beam -o beam.modes
expect 0 "all nodes" "$linkage" flex "$beam" --beam beam --all-nodes --second 2 --modes 8 --damping 0.01 -o -
has "all nodes" "  n16:" out
has "all nodes: damping" "damping: [0.01, 0.01, " out
has "all nodes: table" "mode           Hz" err
expect 0 "limit" "$linkage" flex "$beam" --beam beam --to 100 --json
{ tr -d '\n' <out; echo; } >json
expect 0 "limit: is JSON" "$json_check" <json
has "limit" '"nodes": ["root", "tip"]' json
expect 0 "free" "$linkage" flex "$beam" --beam beam --free -m 2 --param flexible.beam.damping=1e-4 -o free.modes
has "free: damping of the elements" "damping: [0.0011" free.modes
expect 0 "few" "$linkage" flex "$beam" --beam beam -m 3
has "few" "--modes 3 omits static modes" err

# matrices; this mesh is a tetrahedron of bars
cat >nodes.csv <<'CSV'
id, x, y, z
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
CSV
awk 'BEGIN {
    split("0 0 0 1 0 0 0 1 0 0 0 1", x, " ")
    for (a = 0; a < 4; a++) for (b = a + 1; b < 4; b++) {
        l = 0; for (i = 1; i <= 3; i++) { e[i] = x[3*b+i] - x[3*a+i]; l += e[i]^2 }
        for (i = 1; i <= 3; i++) for (k = 1; k <= 3; k++) {
            v = e[i] * e[k] / l^1.5 * 1e6
            K[3*a+i, 3*a+k] += v; K[3*b+i, 3*b+k] += v; K[3*a+i, 3*b+k] -= v; K[3*b+i, 3*a+k] -= v } }
    print "%%MatrixMarket matrix coordinate real general\n12 12 144" >"K.mtx"
    for (i = 1; i <= 12; i++) for (k = 1; k <= 12; k++) printf "%d %d %.17g\n", i, k, K[i, k] >"K.mtx"
    print "%%MatrixMarket matrix coordinate real symmetric\n12 12 12" >"M.mtx"
    for (i = 1; i <= 12; i++) print i, i, 0.25 >"M.mtx" }' </dev/null
matrices="--mass M.mtx --stiffness K.mtx --nodes nodes.csv"
# shellcheck disable=SC2086 # several options
if "$linkage" flex $matrices --free -m 1 2>&1 | grep -q "not in this build"; then
    echo "left out: flex of matrices; install libarpack2-dev and libsuitesparse-dev"
else
    expect 0 "matrices" "$linkage" flex $matrices --interface hub=1-3 --modes 3 -o body.modes
    has "matrices: warning" "geometric stiffening is not contained" err
    has "matrices: comment" "geometric stiffening is not contained" body.modes
    has "matrices: mass" "mass: 1 #" body.modes
    expect 0 "average" "$linkage" flex $matrices --interface "hub~1,2,3,4@0,0,0" --modes 2
    expect 1 "line" "$linkage" flex $matrices --interface hub=1,2
    has "line" "expected at least three that are not on a line" err
    expect 1 "no node" "$linkage" flex $matrices --interface hub=1,2,7
    has "no node" "there is no node 7" err
    expect 1 "no set" "$linkage" flex $matrices --interface hub=HOLE
    has "no set" "there is no set of nodes 'HOLE'" err
    sed 's/^1 1 .*/1 1 9e6/' K.mtx >held.mtx
    expect 1 "held" "$linkage" flex --mass M.mtx --stiffness held.mtx --nodes nodes.csv --interface hub=1-3
    has "held" "held.mtx: a rigid motion along or about x needs a force at node 1" err
    sed 's/^1 1 .*/1 1 0/' K.mtx >loose.mtx
    expect 1 "loose" "$linkage" flex --mass M.mtx --stiffness loose.mtx --nodes nodes.csv --interface hub=1-3
    has "loose" "node 1 has stiffness 0 in direction x" err
    sed 's/general/symmetric/; s/^2 1 .*/2 1 1e6/' K.mtx >twice.mtx
    expect 1 "both triangles" "$linkage" flex --mass M.mtx --stiffness twice.mtx --nodes nodes.csv --interface hub=1-3
    head -n 9 K.mtx >short.mtx
    expect 1 "short" "$linkage" flex --mass M.mtx --stiffness short.mtx --nodes nodes.csv --interface hub=1-3
    has "short" "short.mtx:9: expected as many entries as the file says" err
    head -n 4 nodes.csv >three.csv
    expect 1 "three" "$linkage" flex --mass M.mtx --stiffness K.mtx --nodes three.csv --interface hub=1-3
    has "three" "expected 3 or 6 rows for each node" err
    expect 1 "no file" "$linkage" flex --mass none.mtx --stiffness K.mtx --nodes nodes.csv --interface hub=1-3
    has "no file" "none.mtx: No such file" err
    # files of CalculiX: the same body
    { echo "*NODE"; tail -n 4 nodes.csv; echo "9, 5, 5, 5"; echo "*NSET, NSET=HOLE"; echo "1, 2,"; echo 3; } >job.inp
    for i in 1 2 3 4; do printf '%s\n' $i.1 $i.2 $i.3; done >job.dof
    awk 'NR > 2 && $1 <= $2' K.mtx >job.sti
    tail -n 12 M.mtx >job.mas
    expect 0 "CalculiX" "$linkage" flex job.inp --interface hub=hole --modes 3 -o job.modes
    same "CalculiX" "$(grep '^frequency' body.modes | cut -c1-20)" "$(grep '^frequency' job.modes | cut -c1-20)"
fi

# refusals
expect 1 "no beam" "$linkage" flex "$beam" --beam boom
has "no beam" "there is no beam 'boom', expected --beam with one of: beam" err
expect 1 "no beams" "$linkage" flex "$models/four-bar.yaml" --beam boom
has "no beams" "the model has no beam" err
expect 2 "no option" "$linkage" flex "$beam"
expect 2 "no source" "$linkage" flex
expect 2 "part of matrices" "$linkage" flex --mass M.mtx
expect 2 "no interface" "$linkage" flex job.inp
expect 1 "mnf" "$linkage" flex arm.mnf --interface hub=1
has "mnf" "modal neutral files are a closed format" err
cp "$beam" own.yaml
expect 1 "own model" "$linkage" flex own.yaml --beam beam -o own.yaml
cmp -s own.yaml "$beam" || { echo "FAIL own model: it was replaced"; failed=1; }

exit $failed
