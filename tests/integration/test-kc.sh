#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage kc: text, CSV, JSON, pictures, refusals. The numbers: tests/physics/test_suspension.c.
# usage: test-kc.sh LINKAGE JSON_CHECK MODELS
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1") json_check=$(realpath "$2") models=$(realpath "$3")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# text of a car with double wishbones
expect 0 "sedan" "$linkage" kc "$models/sedan.yaml" --brake-share 0.65 --drive-share 0
has "sedan" "chassis chassis, steering column" out
has "sedan: axles" "rear axle in the design position" out
has "sedan: springs" "ratio of spring_fl" out
has "sedan: anti-dive" "anti-dive, front, braking" out
has "sedan: anti-squat" "anti-squat, rear, driving" out
same "sedan: nothing to say" "" "$(cat err)"

# CSV and JSON: a row for each height, in the middle the design position
expect 0 "csv" "$linkage" kc "$models/sedan.yaml" -n 11 -r 0.05 -o kc.csv --steer-output steer.csv
same "csv: rows" 12 "$(wc -l <kc.csv)"
same "csv: columns" "height [m],front_toe.left [rad],front_toe.right [rad]" "$(head -n 1 kc.csv | cut -d, -f1-3)"
same "csv: steering" "steer [rad]" "$(head -n 1 steer.csv | cut -d, -f1)"
same "csv: design position" 0 "$(sed -n 7p kc.csv | cut -d, -f1)"
! grep -q nan kc.csv || { echo "FAIL csv: nan"; failed=1; }
same "csv: no steering axis at the rear" "" "$(head -n 1 kc.csv | grep -o 'rear_caster')"
expect 0 "csv on the standard output" "$linkage" kc "$models/sedan.yaml" -n 3 -o -
same "csv on the standard output" 4 "$(wc -l <out)"
expect 0 "json" "$linkage" kc "$models/sedan.yaml" -n 5 --json
{ tr -d '\n' <out; echo; } >json
expect 0 "json: is JSON" "$json_check" <json
has "json" '"wheel_rate": [' json
has "json: no steering axis at the rear" '"caster": [null' json
expect 2 "no option" "$linkage" kc "$models/sedan.yaml" --range -1
expect 2 "no model" "$linkage" kc

# an output never replaces an input
cp -r "$models/parts" .
cp "$models/sedan.yaml" own.yaml
expect 1 "own model" "$linkage" kc own.yaml -o own.yaml
has "own model" "expected another name for its output" err
cmp -s own.yaml "$models/sedan.yaml" || { echo "FAIL own model: it was replaced"; failed=1; }

# an axle that steers by an input of two joints; one that drives its wheels
expect 0 "struts" "$linkage" kc "$models/strut-car.yaml"
expect 0 "struts, roll" "$linkage" kc "$models/strut-car.yaml" --opposite
has "struts, roll" "opposite" out
expect 0 "arms and leaves" "$linkage" kc "$models/iltis.yaml" --param bodies.chassis.mass=2000
expect 0 "rig" "$linkage" kc "$models/four-post.yaml" --steer none
expect 0 "corner" "$linkage" kc "$models/damper-rig.yaml"
has "corner" "chassis mount, steering none" out
has "corner" "axle over wheel travel" out

# curves that end say where
awk '/^forces:/ {print; for (i = 1; i < 19; i++) print "  extra" i ": {type: spring-damper, bodies: [chassis, lower_fl], points: [[1.4, 0.5, 0.9], [1.4, 0.6, 0.2]], stiffness: 1}"; next} 1' \
    "$models/sedan.yaml" >springs.yaml
expect 0 "many springs" "$linkage" kc springs.yaml -n 3
has "many springs" "more than 16 springs" err
expect 0 "far" "$linkage" kc "$models/sedan.yaml" --range 0.4 -o far.csv
has "far" "front axle: height -0.21" err
has "far" "of -0.4 m was reached" err
has "far: gaps where the axles differ" "," far.csv

# pictures
if command -v gnuplot >/dev/null; then
    expect 0 "plot" "$linkage" kc "$models/sedan.yaml" -n 5 --plot kc.svg
    has "plot" "wheel_rate [N/mm]" kc.svg
    expect 0 "plot of the table" "$linkage" plot far.csv front_toe,rear_toe -o toe.svg
    has "plot of the table" "height [m]" toe.svg
    expect 0 "plot of the steering" "$linkage" plot steer.csv front_wheel_angle -o angle.svg
    has "plot of the steering" "steer [rad]" angle.svg
    expect 1 "picture of what" "$linkage" kc "$models/sedan.yaml" --plot kc.pdf
fi

# ---- refusals ----

refuses() {
    text=$1
    shift
    expect 1 "$text" "$linkage" kc "$@"
    has "$text" "$text" err
    same "$text: one line" 1 "$(wc -l <err)"
}

refuses "no wheels: no force of type tyre" "$models/four-bar.yaml"
refuses "no joint 'axle_lf', did you mean 'axle_fl'?" "$models/sedan.yaml" --wheel axle_lf
refuses "joint 'head_fl' is no wheel" "$models/sedan.yaml" --wheel head_fl --radius 0.3
refuses "--steer: no joint 'columm', did you mean 'column'?" "$models/sedan.yaml" --steer columm
refuses "--chassis: no body 'chasis', did you mean 'chassis'?" "$models/sedan.yaml" --chassis chasis
refuses "has no coordinate" "$models/sedan.yaml" --steer rod_fl
refuses "body 'tube' moves most" "$models/damper-rig.yaml" --chassis ground
refuses "expected two for --brake-share" "$models/sedan.yaml" --wheel axle_fl,axle_fr --brake-share 0.6
refuses "nothing steers a wheel" "$models/sedan.yaml" --wheel axle_rl,axle_rr --steer-output none.csv
refuses "a part of the chassis" "$models/sedan.yaml" --chassis wheel_fl
expect 2 "one file for two tables" "$linkage" kc "$models/sedan.yaml" -n 3 -o both.csv --steer-output both.csv
has "one file for two tables" "are both 'both.csv'" err
refuses "no tyre gives the radius of wheel 'lower_fl'" "$models/sedan.yaml" --wheel lower_fl

# two inputs that drive; a free steering; a suspension that is locked
sed 's/^  crank: {type: revolute.*axis: \[1, 0, 0\]}/  crank: {type: revolute, bodies: [chassis, crank], point: [1.2, 0, 0.45], axis: [1, 0, 0], drive: {input: spin}}/
    s/^inputs:/&\n  spin: {type: drive}/' "$models/sedan.yaml" >two.yaml
refuses "inputs 'steer' and 'spin' both drive joints, expected --steer JOINT" two.yaml
expect 0 "one of two inputs" "$linkage" kc two.yaml --steer column -n 3
sed 's/^\(  column: {type: revolute.*\), drive: {[^}]*}}/\1}/; s/^  steer: {type: drive.*/  steer: {type: joint-torque, joint: column}/
    /steering_torque/d' "$models/sedan.yaml" >loose.yaml
refuses "wheel 'axle_fl' can move in more than one way while its height is held" loose.yaml
expect 0 "steering by name" "$linkage" kc loose.yaml --steer rack -n 3
sed 's/^joints:/&\n  lock: {type: distance, bodies: [chassis, upright_rl], points: [[-1.4, 0.4, 0.6], [-1.388, 0.75, 0.3]]}/' \
    "$models/sedan.yaml" >locked.yaml
refuses "wheel 'axle_rl' cannot move up and down" locked.yaml
sed 's/^gravity:.*/gravity: [0, -9.81, 0]/; s/^start: .*//' "$models/strut-car.yaml" >aside.yaml
refuses "expected it along -z" aside.yaml

exit "$failed"
