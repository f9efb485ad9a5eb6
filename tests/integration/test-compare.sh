#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage run with methods of the laboratory, linkage methods, linkage compare: exit status,
# refusals, tables and files.
# usage: test-compare.sh LINKAGE JSON_CHECK MODELS-DIRECTORY REFERENCES-DIRECTORY
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1")
json_check=$(realpath "$2")
models=$(realpath "$3")
references=$(realpath "$4")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# holds WHAT AWK-CONDITION: of the numbers that awk finds in the line
holds() {
    awk "BEGIN { exit !($2) }" && return
    printf 'FAIL %s: %s\n' "$1" "$2"
    failed=1
}

# ---- run with a method ----

# the library's own step has the same bits, asked for by name or by the model
expect 0 'run' "$linkage" run "$models/four-bar.yaml" -d 0.3 -n 10 -o plain.csv
expect 0 'run rattle' "$linkage" run "$models/four-bar.yaml" -d 0.3 -n 10 --formulation rattle -o rattle.csv
cmp -s plain.csv rattle.csv || { echo 'FAIL run rattle: other bits than without a method'; failed=1; }

# another formulation ends where order 4 of the default step does
expect 0 'run order 4' "$linkage" run "$models/double-pendulum.yaml" -d 0.5 -n 100 --formulation ali3:order-4 -o a.csv
expect 0 'run recursive' "$linkage" run "$models/double-pendulum.yaml" -d 0.5 -n 100 \
    --formulation recursive --integrator dormand-prince --tolerance 1e-10 -o b.csv
same 'run: columns' "$(head -n 1 a.csv)" "$(head -n 1 b.csv)"
same 'run: rows' 7 "$(wc -l <b.csv)"
has 'run: method' 'recursive, dormand-prince, tolerance 1e-10' out
has 'run: work' 'right-hand sides' out
# the sixth column is a position; every other one of the last row is as near, or a residual
holds 'run: the same motion' "$(paste -d, a.csv b.csv | awk -F, 'END {
    n = NF / 2; for (i = 2; i <= 8; i++) { d = $i - $(n + i); if (d < 0) d = -d; if (d > m) m = d }
    printf "%.3g < 1e-8", m }')"
expect 0 'run to the standard output' "$linkage" run "$models/pendulum.yaml" -d 0.1 --integrator rk4 -o -
same 'run to the standard output: rows' 102 "$(wc -l <out)"
has 'run to the standard output: summary' '100 steps of 1 ms' err

# the last row is on the grid of rows, as without a method
expect 0 'run, half a row' "$linkage" run "$models/pendulum.yaml" -d 0.25 -n 100 --formulation dca -o -
same 'run, half a row' 4 "$(wc -l <out)"

# contacts: the fixed passes of the default step beside exact forces
expect 0 'compare contacts' "$linkage" compare "$models/box-on-platform.yaml" --formulations rattle,rattle:exact-contact \
    --steps 0.002,0.001 -d 0.04 --limit 60 -o contacts
has 'compare contacts: reference' 'reference   rattle:exact-contact at' out
same 'compare contacts: runs' 4 "$(grep -c '^  [12]ms ' out)"
holds 'compare contacts: errors' "$(awk '/^  [12]ms/ && $3 > m { m = $3 } END { printf "%.3g < 1e-4 && %.3g > 0", m, m }' out)"
expect 0 'compare without contacts' "$linkage" compare "$models/pendulum.yaml" --formulations rattle,rattle:exact-contact -d 0.1 -o without
has 'compare without contacts' 'rattle:exact-contact is for contacts, of which the model has none' out

# a model that asks for what only the laboratory has
sed 's/solver: {/solver: {formulation: complement:svd, /' "$models/pendulum.yaml" >offline.yaml
expect 0 'run offline' "$linkage" run offline.yaml -d 0.1
has 'run offline' 'method              complement:svd' out
expect 0 'compare offline' "$linkage" compare offline.yaml --formulations ali3,dca --duration 0.1 --output o

# steps of another length at first, a row for each: 3 of 10 ms, then 5 of 1 ms
expect 0 'run, first steps' "$linkage" run "$models/pendulum.yaml" -s 0.001 -d 0.035 \
    --integrator bdf-2:index-2 --first-steps 0.01,0.03 -o -
same 'run, first steps' '0 0.01 0.02 0.03 0.031 0.035' \
    "$(awk -F, 'NR > 1 && (NR < 7 || NR == 10) { printf "%s%g", (NR > 2 ? " " : ""), $1 }' out)"
has 'run, first steps' 'pendulum: 8 steps' err
expect 1 'run, first steps of dca' "$linkage" run "$models/pendulum.yaml" --formulation dca --first-steps 0.01,0.03
has 'run, first steps of dca' 'rk4 keeps its step, expected one of bdf-1 to bdf-6' err

# what a run without a method refuses, one with a method does: a drive against a bolt that locks it
cat >locked.yaml <<'END'
linkage: 1
name: locked
bodies:
  arm: {mass: 0.34, inertia: [0.022, 0.024, 0.019], position: [1, 0.4, 0]}
  part: {mass: 0.38, inertia: [0.027, 0.028, 0.016], position: [0.6, 0.4, 0]}
joints:
  base: {type: revolute, bodies: [ground, arm], point: [0.65, 0.6, 0], axis: [0, 0, 1]}
  hinge: {type: revolute, bodies: [part, arm], point: [0.73, 0.36, 0], axis: [0, 0, 1],
    drive: {harmonic: {amplitude: 0.066, omega: 5.4, phase: 0}}}
  bolt: {type: spherical, bodies: [part, arm], point: [0.29, 0.24, 0]}
solver: {step: 0.001}
END
expect 1 'run locked' "$linkage" run locked.yaml -d 1
for method in '--formulation rk4' '--formulation ali3' '--formulation rattle:order-4' '--formulation recursive' \
    '--formulation absolute --integrator rk4' '--tolerance 1e-6'; do
    # shellcheck disable=SC2086 # several options
    expect 1 "run locked $method" "$linkage" run locked.yaml -d 1 $method -o locked.csv
    has "run locked $method" 'locked.yaml: a joint was violated by 0.' err
    has "run locked $method: what it drifted by" 'energy drift  ' out
done

# without rows an integrator stops nowhere: the tolerance alone makes its steps
expect 0 'run, no rows' "$linkage" run "$models/four-bar.yaml" -d 1 --tolerance 1e-4
holds 'run, no rows' "$(sed -n 's/^four-bar: \([0-9]*\) steps, 1 s$/\1 > 1 \&\& \1 < 20/p' out)"

expect 1 'run newton' "$linkage" run "$models/pendulum.yaml" --formulation newton
has 'run newton' "no formulation 'newton', expected one of ali3, rattle, rk4, dca" err
same 'run newton: one line' 1 "$(wc -l <err)"
expect 1 'run misfit' "$linkage" run "$models/pendulum.yaml" --formulation hdca --integrator generalized-alpha
has 'run misfit' 'expected formulation absolute' err
expect 1 'run blocks' "$linkage" run "$models/motor.yaml" --formulation recursive
has 'run blocks' "motor.yaml: 'error' is a block, expected formulation rattle for it" err
expect 1 'run friction' "$linkage" run "$models/steering.yaml" --formulation recursive
has 'run friction' 'expected formulation rattle' err
for bad in '--tolerance 0' '--tolerance x' '--tolerance 1' '--baumgarte 5' '--baumgarte 5,0' \
    '--formulation ali3 --workers 2' '--formulation ali3 --iterations 3' '--integrator' '--first-steps 0.01' \
    '--first-steps 0.01,0.015' '--first-steps 0.01,20' '--first-steps 0.0025,0.0025'; do
    # shellcheck disable=SC2086
    expect 2 "run $bad" "$linkage" run "$models/pendulum.yaml" $bad
done

# ---- methods ----

expect 0 'methods' "$linkage" methods
for name in ali3:order-4 rk4 dca hdca recursive complement:qr complement:wang-huston absolute \
    dormand-prince generalized-alpha half-explicit radau ida bdf-1 bdf-6:index-3 \
    bdf-2:index-2-baumgarte generalized-alpha:index-2-baumgarte; do
    has "methods: $name" "  $name" out
done
for name in lie parameters angles euler none baumgarte projection; do
    has "methods: $name" "  $name " out
done
expect 2 'methods x' "$linkage" methods x

# ---- compare ----

expect 0 'compare' "$linkage" compare "$models/double-pendulum.yaml" --duration 0.4 --steps 0.01,0.005 \
    --formulations ali3,recursive,ali3:order-4 --integrators rk4,generalized-alpha --output c
has 'compare: who confirms' 'errors below that say nothing' out
has 'compare: head' 'x end  x max  v max' out
has 'compare: row' 'recursive:pseudo-inverse, rk4' out
has 'compare: misfits' 'do not fit' out
has 'compare: reason' 'expected formulation absolute' out
same 'compare: misfits once' 1 "$(grep -c 'recursive:pseudo-inverse, generalized-alpha' out)"
holds 'compare: width' "$(awk 'length > n { n = length } END { print n " <= 100" }' out)"
holds 'compare: table width' "$(awk '/ms / && length > n { n = length } END { print n " <= 80" }' out)"

# rk4 is of order 4, ali3 of order 2: what halving the step gains
orders=$(awk -F, 'NR > 1 { gsub(/"/, ""); e[$2 " " $3 " " $7] = $11 }
    END { printf "%.1f %.1f", log(e["ali3  0.01"] / e["ali3  0.005"]) / log(2),
          log(e["recursive:pseudo-inverse rk4 0.01"] / e["recursive:pseudo-inverse rk4 0.005"]) / log(2) }' c/compare.csv)
holds "compare: orders $orders" "$(echo "$orders" | awk '{ print $1 " > 1.8 && " $1 " < 2.2 && " $2 " > 3.7 && " $2 " < 4.3" }')"
same 'compare: columns of compare.csv' 27 "$(awk -F, 'NR == 1 { print NF }' c/compare.csv)"
same 'compare: runs' 8 "$(awk 'END { print NR - 1 }' c/compare.csv)"
same 'compare: drift' 3 "$(awk -F, 'NR > 1 { m[$1] = 1 } END { for (i in m) n++; print n }' c/drift.csv)"
if command -v gnuplot >/dev/null; then
    for picture in work-precision drift; do
        [ -s "c/$picture.png" ] || { echo "FAIL compare: no $picture.png"; failed=1; }
    done
fi

# what is zero throughout, and what there is none of; one reason for many methods is said once
rm -rf z
expect 0 'compare free body' "$linkage" compare "$models/free-body.yaml" --duration 0.1 --steps 0.01 \
    --formulations rk4,dca --integrators generalized-alpha,generalized-alpha:index-2 --output z
if grep -q nan out; then echo 'FAIL compare free body: nan'; cat out; failed=1; fi
same 'compare free body: reasons' 1 "$(grep -c 'integrator generalized-alpha takes' out)"
has 'compare free body: methods' 'dca:plain, generalized-alpha:ggl; dca:plain, generalized-alpha:index-2' out
if command -v gnuplot >/dev/null; then
    has 'compare free body: pictures' 'drift.png' out
fi

# who is asked for twice runs once
expect 0 'compare twice' "$linkage" compare "$models/pendulum.yaml" --duration 0.1 --steps 0.01 \
    --tolerances 1e-6 --formulations absolute,absolute:index-1 --integrators radau,radau:ggl,rk4 --output z
same 'compare twice' 'radau radau:ggl rk4 ' "$(awk -F, 'NR > 1 { gsub(/"/, ""); printf "%s ", $3 }' z/compare.csv)"

# a tolerance is met by more steps
expect 0 'compare --tolerances' "$linkage" compare "$models/double-pendulum.yaml" --duration 1 \
    --formulations recursive --tolerances 1e-5,1e-10 --output t
holds 'compare --tolerances' "$(awk -F, 'NR > 1 { gsub(/"/, ""); e[NR] = $11; n[NR] = $21; f[NR] = $3 }
    END { print (f[2] == "dormand-prince") " && " e[3] " * 10 < " e[2] " && " n[3] " > " n[2] }' t/compare.csv)"

# a file of right values, mapped by the names of its columns
expect 0 'compare --reference' "$linkage" compare "$models/double-pendulum.yaml" --formulations rk4 \
    --steps 0.01 --duration 2 --reference "$references/double-pendulum/reference.csv" --output r
has 'compare --reference' 'ignored     F1.x, F1.y, F1.z, T, V, E' out
holds 'compare --reference: error' "$(awk -F, 'NR == 2 { print $11 " > 1e-10 && " $11 " < 1e-6 && " $13 " < 1e-5" }' r/compare.csv)"
same 'compare --reference: no reactions' nan "$(awk -F, 'NR == 2 { print $15 }' r/compare.csv)"
expect 0 'compare --map' "$linkage" compare "$models/double-pendulum.yaml" --formulations rk4 \
    --steps 0.01 --duration 2 --reference "$references/double-pendulum/reference.csv" --output r \
    --map F1.x=joint_1.fx --map F1.y=joint_1.fy
holds 'compare --map: reactions' "$(awk -F, 'NR == 2 { print $15 " > 0 && " $15 " < 1e-4" }' r/compare.csv)"
# the output of a run is a reference, too
expect 0 'compare with a run' "$linkage" compare "$models/four-bar.yaml" --formulations rattle \
    --steps 0.001 --reference rattle.csv --output r
holds 'compare with a run: the same bits' "$(awk -F, 'NR == 2 { print $11 " + " $13 " + " $15 " == 0" }' r/compare.csv)"

# what fails is a row, what takes too long as well, what does not meet the samples does not fit
expect 0 'compare --limit' "$linkage" compare "$models/chain-128.yaml" --formulations absolute,ali3 \
    --steps 0.01 --limit 0.05 --duration 0.2 --reference "$references/chain-128/reference.csv" --output l
has 'compare --limit' 'over the limit of 0.05 s at t = ' out
has 'compare --limit: the other' 'ali3' out
# between two samples a run sees itself that it took too long
expect 0 'compare --limit at a sample' "$linkage" compare "$models/four-bar.yaml" --formulations absolute \
    --steps 0.0001,0.00005 --limit 0.02 --reference plain.csv --output l
same 'compare --limit at a sample' 'limit limit' "$(awk -F, 'NR > 1 { gsub(/"/, ""); printf "%s%s", s, $6; s = " " }' l/compare.csv)"
holds 'compare --limit at a sample: reached' "$(awk -F, 'NR == 2 { print $9 " > 0 && " $9 " < 0.3" }' l/compare.csv)"
has 'compare --limit: not tried' 'not tried: 0.1ms is over the limit' out
expect 0 'compare off the grid' "$linkage" compare "$models/pendulum.yaml" --formulations ali3,rk4 \
    --steps 0.01,0.003 --duration 0.5 --output l
has 'compare off the grid' 'steps of 0.003 s do not meet the sample' out
expect 0 'compare friction' "$linkage" compare "$models/steering.yaml" --formulations ali3,absolute \
    --steps 0.001,0.0005 --duration 0.1 --output l
has 'compare friction: reason' 'expected formulation rattle' out

expect 0 'compare --json' "$linkage" compare "$models/pendulum.yaml" --formulations ali3,rk4 \
    --duration 0.2 --json --output j
has 'compare --json: outcome' '"outcome":"done"' out
mv out json
expect 0 'compare --json: is JSON' "$json_check" <json

for bad in '--formulations newton' '--integrators euler' '--orientations up' '--stabilisations ggl' \
    '--steps 0' '--steps 1,x' '--tolerances 1' '--duration 0' '--limit 0' '--map a=b' '--set' 'x'; do
    # shellcheck disable=SC2086
    expect 2 "compare $bad" "$linkage" compare "$models/pendulum.yaml" $bad --output n
done
expect 2 'compare --map x' "$linkage" compare "$models/pendulum.yaml" --reference r --map x --output n
expect 2 'compare nothing' "$linkage" compare
expect 1 'compare no model' "$linkage" compare none.yaml
expect 1 'compare no file' "$linkage" compare "$models/pendulum.yaml" --reference none.csv --output n
has 'compare no file' 'none.csv: No such file' err
printf 'time [s],phi [rad]\n0,0\n0.1,x\n' >bad.csv
expect 1 'compare bad file' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare bad file' 'bad.csv:3: field 2 is no finite number, expected 2 numbers' err
printf 'time [s],angle [rad]\n0,0\n0.1,1\n' >bad.csv
expect 1 'compare strange file' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare strange file' 'none of its columns is a body, a joint or an output of the model' err
expect 1 'compare --map nowhere' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv \
    --map angle=psi --output n
has 'compare --map nowhere' 'the model has no psi' err
printf 'time [s],phi [rad]\n0,0\n0.1,0\n0.1,0\n' >bad.csv
expect 1 'compare times' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare times' 'bad.csv:4: time is 0.1 s, expected more' err
# what does not fit shifts no column
printf 'time [s],,phi [rad]\n0,1,0\n0.1,1,0\n' >bad.csv
expect 1 'compare no name' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare no name' 'bad.csv:1: column 2 has no name' err
printf 'time [s],phi [rad],\n0,1,0\n0.1,1,0\n' >bad.csv
expect 1 'compare no last name' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare no last name' 'bad.csv:1: column 3 has no name' err
printf 'time [s],x,phi [rad]\n0,,0\n0.1,,0\n' >bad.csv
expect 1 'compare no value' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare no value' 'bad.csv:2: field 2 is no finite number' err
printf 'time [s],x,phi [rad]\n0,0,0,0\n0.1,0,0,0\n' >bad.csv
expect 1 'compare too many' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare too many' 'bad.csv:2: more than 3 fields' err
printf 'time [s],phi [rad]\n0,0\n0.1,0rad\n' >bad.csv
expect 1 'compare more than a number' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare more than a number' 'bad.csv:3: field 2 is no finite number' err
printf 'torque [N m],phi [rad]\n0,0\n0.1,0\n' >bad.csv
expect 1 'compare no time' "$linkage" compare "$models/pendulum.yaml" --reference bad.csv --output n
has 'compare no time' 'bad.csv:1: expected a header that begins with the time' err
expect 1 'compare no folder' "$linkage" compare "$models/pendulum.yaml" --formulations ali3 \
    --duration 0.1 --output none/here
has 'compare no folder' 'none/here: No such file or directory' err

# ---- modes ----

expect 0 'modes' "$linkage" modes "$models/mass-spring.yaml" -o ms
has 'modes: head' 'mass-spring, 1 degrees of freedom, about its static equilibrium' out
has 'modes: eigenvalue' '   1         -0.25 +- 9.99687        1.592   0.0250  block along x 100 %' out
has 'modes: names of columns' ',push [N]' ms-B.csv
same 'modes: A' 'guide travel (prismatic; ground to block) rate' "$(tail -n 1 ms-A.csv | cut -d, -f1)"
a21=$(tail -n 1 ms-A.csv | cut -d, -f2)
holds 'modes: stiffness over mass' "$a21 + 100 < 1e-6 && $a21 + 100 > -1e-6"
same 'modes: rows of C' "$(head -n 1 "$dir/ms-C.csv" | tr -cd , | wc -c)" 2
expect 0 'modes: free' "$linkage" modes "$models/free-body.yaml" --still
has 'modes: free' '0                    free           rotor along x 100 %' out
expect 0 'modes: what is free' "$linkage" modes "$models/strut.yaml" --pose
has 'modes: what is free' 'free: not faster than ' out
# slow modes of a model with fast ones: a load on a rope 1e6 times slower than the beams of the crane
expect 0 'modes: slow' "$linkage" modes "$models/tower-crane.yaml"
has 'modes: slow' '+- 0.67404' out
expect 0 'modes: slow beam' "$linkage" modes "$models/tower-crane.yaml" --json
holds 'modes: zero' "$(sed -n 's/.*"zero_per_s": \([^,]*\),.*/\1/p' out) < 0.01"
expect 0 'modes: off rest' "$linkage" modes "$models/pendulum-aside.yaml" --pose
has 'modes: off rest' 'note: it does not rest there' out
expect 1 'modes: rolling' "$linkage" modes "$models/iltis.yaml"
has 'modes: rolling' "iltis.yaml: body 'chassis' moves at 20 m/s: small motions of a model with tyres" err
expect 1 'modes: no folder' "$linkage" modes "$models/mass-spring.yaml" -o none/here
has 'modes: no folder' 'none/here-A.csv: No such file or directory' err
expect 0 'modes: blocks' "$linkage" modes "$models/motor.yaml" -o mo
has 'modes: blocks' '2      -30.0961 +- 13.4207' out
has 'modes: states of blocks' ',block speed,block integral,block current' mo-A.csv
expect 0 'modes: picture' "$linkage" modes "$models/quarter-car.yaml" -m 2 -s wheel.svg
has 'modes: picture' 'quarter-car, mode 2: 11.32 Hz, damping 0.511' wheel.svg
expect 1 'modes: no such mode' "$linkage" modes "$models/quarter-car.yaml" -m 3 -s none.svg
has 'modes: no such mode' 'mode is 3, expected 1 to 2, its number in the table' err
expect 2 'modes: no file' "$linkage" modes "$models/quarter-car.yaml" -m 1
expect 2 'modes: no number' "$linkage" modes "$models/quarter-car.yaml" -m first -s none.svg
has 'modes: no number' "mode is 'first'" err
expect 2 'modes of nothing' "$linkage" modes

[ $failed -eq 0 ] && echo 'all as expected'
exit $failed
