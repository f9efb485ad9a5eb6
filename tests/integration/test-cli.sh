#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The offline tool on real files: exit status, refusals, CSV and summaries.
# usage: test-cli.sh LINKAGE MODELS-DIRECTORY
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1")
models=$(realpath "$2")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# help and usage
expect 0 'help' "$linkage" --help
has 'help' 'usage: linkage run MODEL' out
expect 0 'help of run' "$linkage" run --help
expect 0 'version' "$linkage" --version
expect 2 'no subcommand' "$linkage"
expect 2 'unknown subcommand' "$linkage" fly
has 'unknown subcommand' "'fly' is no subcommand" err
expect 2 'no model' "$linkage" run
expect 2 'two models' "$linkage" check a b
LINKAGE_ENGINE=none expect 0 'engine none' "$linkage" run --duration 0.01 "$models/pendulum.yaml"
LINKAGE_ENGINE=fast expect 1 'unknown engine' "$linkage" run --duration 0.01 "$models/pendulum.yaml"
expect 2 'unknown option' "$linkage" check --fast x
for bad in '--step 0' '--step x' '--step 1' '--duration -1' '--duration nan' '--iterations 0' \
    '--iterations 2.5' '--every 0' '--duration 1e300' '--workers 0' '--workers 65' '--workers two'; do
    # shellcheck disable=SC2086
    expect 2 "run $bad" "$linkage" run $bad "$models/pendulum.yaml"
done

# what turns too far in a step is said, whatever the increments are
crank=$(realpath "$models/../../tests/physics/machines/crank.yaml")
expect 0 'turns' "$linkage" run "$crank" --step 1e-3 --duration 0.05
has 'turns' "largest turn        0.37" out
has 'turns' "body 'crank'" out
same 'turns' '' "$(cat err)"
expect 0 'turns far' "$linkage" run "$crank" --step 2.2e-3 --duration 0.05
has 'turns far' "body 'crank' turned by up to 0.8" err

# where there is no equilibrium, the line that asks for it is named; other failures have no such line
cat >falls.yaml <<'TEXT'
linkage: 1
name: falls
gravity: [0, 0, -9.81]
start: equilibrium
bodies:
  a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, 0]}
TEXT
expect 1 'no equilibrium' "$linkage" run falls.yaml
has 'no equilibrium' "falls.yaml:4:8: no static equilibrium found: body 'a' is left with 9.81 N along z" err
expect 1 'no equilibrium of check' "$linkage" check falls.yaml
has 'no equilibrium of check' "falls.yaml:4:8: no static equilibrium found" err
sed '/^start/d' falls.yaml >drawn.yaml
expect 1 'none asked for by the file' "$linkage" equilibrium drawn.yaml
has 'none asked for by the file' "drawn.yaml: no static equilibrium found" err

# what the step itself takes from a mechanism is said, where it is not little
machines=$(dirname "$crank")
expect 0 'hoist' "$linkage" run "$machines/hoist.yaml" --duration 5
same 'hoist' '' "$(cat err)"
expect 0 'hoist, long steps' "$linkage" run "$machines/hoist.yaml" --step 5e-3 --duration 5
has 'hoist, long steps' 'the step itself took 1.9' err

# so is a beam that bends more than its elements describe
cat >bent.yaml <<'YAML'
linkage: 1
name: bent
flexible:
  rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], elements: 4, EA: 1e6, EI: [900, 900], GJ: 100, mass_per_length: 1, damping: 1e-3}
joints:
  root: {type: fixed, bodies: [ground, rod@0], point: [0, 0, 0]}
forces:
  push: {type: constant-force, body: rod@1, force: [0, 500, 0]}
YAML
expect 0 'bent' "$linkage" run bent.yaml --duration 0.5
has 'bent' "the beam was strained by 4" err
has 'bent' "at body 'rod.0', t = " err

# a start deep in a stop is said with joint, place and limit, whether a step of it fails or not
cat >deep.yaml <<'TEXT'
linkage: 1
name: deep
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, 0]}
joints:
  j: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0]}
forces:
  s: {type: stop, joint: j, lower: 0.8, upper: 5.4, stiffness: 1e6, damping: 1e4}
TEXT
deep='joint j starts 0.8 rad beyond the stop s, at 0 rad, where its lower limit is 0.8 rad'
expect 1 'deep in a stop, check' "$linkage" check deep.yaml
has 'deep in a stop, check' "$deep" err
expect 1 'deep in a stop, run' "$linkage" run deep.yaml
has 'deep in a stop, run' "$deep" err
expect 0 'deep in a stop, short steps' "$linkage" run deep.yaml --step 1e-4 --duration 0.01
has 'deep in a stop, short steps' "$deep" err
expect 0 'between the stops' "$linkage" run deep.yaml --duration 0.01 --param forces.s.lower=-0.8
same 'between the stops' '' "$(cat err)"

# ropes of any length, which the step follows
make_chain=$(realpath "$models/../../tools/make-chain")
"$make_chain" 20 rope >rope.yaml
expect 0 'rope' "$linkage" check --strict rope.yaml
has 'rope' 'tension             of 20 rods and springs is in the matrix of the step' out
expect 0 'rope, ten tonnes' "$linkage" run rope.yaml --duration 2 --param bodies.load.mass=10000
has 'rope, ten tonnes' ', 2 s' out
same 'rope, ten tonnes' '' "$(cat err)"
expect 2 'no such chain' "$make_chain" 20 cord

# what the compiler made of it, and without that
expect 0 'treatment' "$linkage" check --treatment "$models/four-bar.yaml"
has 'treatment' 'body crank         turns about z alone (planar reduction)' out
has 'treatment' 'joint pin_c        2 of 5 rows: those of a point in the plane' out
has 'treatment' 'reductions          planar; ' out
sed 's/^solver: {/&reductions: none, /' "$models/four-bar.yaml" >whole.yaml
expect 0 'no reductions' "$linkage" check -T whole.yaml
has 'no reductions' 'reductions          none' out
expect 0 'treatment for programs' "$linkage" check --json "$models/four-bar.yaml"
has 'treatment for programs' '"reductions": ["planar"]' out
expect 2 'treatment of a drawing' "$linkage" check --dot --treatment "$models/four-bar.yaml"

# every shipped model is good and runs
for model in "$models"/*.yaml; do
    expect 0 "check $model" "$linkage" check --strict "$model"
    has "check $model" 'is a good model' out
    has "check $model" 'warnings            none' out
    expect 0 "run $model" "$linkage" run "$model" --duration 0.02
    has "run $model" ', 0.02 s' out
done

# a run in two parts is the run
model=$models/steering.yaml
expect 0 'whole run' "$linkage" run "$model" -d 0.2 -o whole.csv
expect 0 'first part' "$linkage" run "$model" -d 0.12 --save-state half.state
expect 0 'second part' "$linkage" run "$model" -d 0.08 --start-state half.state -o rest.csv
same 'two parts' "$(tail -n 1 whole.csv)" "$(tail -n 1 rest.csv)"
expect 1 'state twice' "$linkage" run "$model" -d 0.1 --save-state half.state
has 'state twice' 'is there already' err
expect 1 'state of another' "$linkage" run "$models/strut.yaml" --start-state half.state
has 'state of another' 'of another model' err
expect 1 'no state' "$linkage" run "$model" --start-state "$model"
has 'no state' 'not a state of a linkage model' err
expect 2 'state of a method' "$linkage" run "$model" --formulation absolute --start-state half.state


# a number from outside is the number written in the file
sed 's/stiffness: 100,/stiffness: 250,/' "$models/mass-spring.yaml" >stiff.yaml
expect 0 'written' "$linkage" run stiff.yaml -d 0.1 -o written.csv
expect 0 'set' "$linkage" run "$models/mass-spring.yaml" -d 0.1 -o set.csv \
    --param forces.spring.stiffness=250
cmp -s written.csv set.csv || { echo 'FAIL a parameter set and written differ'; failed=1; }
expect 0 'a state with it' "$linkage" run "$models/mass-spring.yaml" -d 0.1 \
    --param forces.spring.stiffness=250 --save-state stiff.state
expect 1 'a state without it' "$linkage" run "$models/mass-spring.yaml" --start-state stiff.state
has 'a state without it' 'another model' err
expect 0 'list' "$linkage" params "$models/mass-spring.yaml" -p bodies.block.mass=2
has 'list' 'bodies.block.mass = 2 kg' out
expect 0 'list for programs' "$linkage" params --json "$models/mass-spring.yaml"
has 'list for programs' '"path": "bodies.block.mass", "value": 1, "unit": "kg"' out
expect 1 'wrong path' "$linkage" check "$models/mass-spring.yaml" -p bodies.blok.mass=2
has 'wrong path' "did you mean 'block'" err
expect 2 'no number' "$linkage" equilibrium "$models/mass-spring.yaml" -p bodies.block.mass=two
has 'no number' 'expected PATH=NUMBER' err
# tyre property files
tyres=$(realpath "$models/../../tests/reference/tyres")
expect 0 'a tyre' "$linkage" tyre "$tyres/set-b.tir"
has 'a tyre' 'type: mf61' out
has 'a tyre: parameters' 'PCX1: 1.5482' out
has 'a tyre: unused' 'without effect here: Q_RA1' err
# roads from measurement: made, named by a model, and refused with their line
roads=$(realpath "$models/../../tests/fuzz")
expect 0 'a road' "$linkage" road "$roads/binary.crg" -o arc.road --step 0.25 --margin 0.5
has 'a road' '9 rows of 3 sections over 4 m' out
expect 0 'a road as text' "$linkage" road "$roads/text.crg" -o text.road
sed -e 's/type: plane/type: grid, file: arc.road/' "$models/strut-car.yaml" >on-road.yaml
expect 0 'a car on it' "$linkage" run on-road.yaml --duration 0.01
sed -e 's/LONG_SECTION_V_LEFT = 1/LONG_SECTION_V_LEFT = one/' "$roads/text.crg" >bad.crg
expect 1 'a bad road' "$linkage" road bad.crg -o bad.road
has 'a bad road' "bad.crg:8: LONG_SECTION_V_LEFT is 'one', expected a number" err
expect 2 'a road to nowhere' "$linkage" road bad.crg
expect 1 'no such road' "$linkage" road none.crg -o bad.road

# The time is in proportion to the nodes: a second for 2.5 million of them beside 10001 rows. A search along
# the line for each node took 40 s.
{
    printf '$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 0.01\n$\n$KD_DEFINITION\n#:LRFI\n'
    printf 'D:long section at v = -3,m\nD:long section at v = 3,m\n$\n$$\n'
    awk 'BEGIN { for (i = 0; i <= 10000; i++) printf "%10.7f%10.7f\n", sin(i / 500) / 10, 0 }'
} >long.crg
expect 0 'a long road' timeout 20 "$linkage" road long.crg -o long.road --step 0.016
has 'a long road' '10001 rows of 2 sections' out
expect 1 'a road beyond the limit' timeout 10 "$linkage" road long.crg -o huge.road --step 0.001
has 'a road beyond the limit' 'expected at most 64 MiB: try --step 0.0' err
expect 1 'nothing of it is left' test -e huge.road

expect 2 'no tyre' "$linkage" tyre
expect 1 'no such tyre' "$linkage" tyre none.tir
has 'no such tyre' 'none.tir: No such file' err
echo 'FITTYP = 7' >bad.tir
expect 1 'a bad tyre' "$linkage" tyre bad.tir
has 'a bad tyre' "bad.tir:1: FITTYP is '7', expected 5, 52 or 6" err

# what check finds out
expect 0 'check four-bar' "$linkage" check "$models/four-bar.yaml"
has 'check four-bar' 'bodies              3, 3 kg in all' out
has 'check four-bar' 'joints              4, 8 rows' out
has 'check four-bar' 'degrees of freedom  1' out
has 'check four-bar: coordinate' '  pin_a angle (revolute, ground to crank)' out
has 'check four-bar' 'redundant rows      3, in pin_a, pin_b, pin_c, pin_d' out
expect 0 'check motor' "$linkage" check "$models/motor.yaml"
has 'check motor: blocks' 'blocks              11 with 3 states' out
expect 0 'check quarter-car' "$linkage" check "$models/quarter-car.yaml"
has 'check quarter-car: limits, delay' '[m], -0.2 to 0.2, at most 20 a second, a sample every 5 ms, 10 ms behind' out
expect 0 'check quarter-car --json' "$linkage" check --json "$models/quarter-car.yaml"
has 'check quarter-car --json: delay' '"delay_s": 0.01' out
has 'check quarter-car --json: limits' '"type": "drive"' out
has 'check quarter-car --json: limits' '"high": 0.20000000000000001, "rate": 20, "initial": 0' out
expect 0 'check four-bar' "$linkage" check "$models/four-bar.yaml"
has 'check four-bar' 'coupler_pose       x y z [m]  qw qx qy qz [1]' out
has 'check four-bar: rows' 'pin_b             shift along z, turn about x, turn about y' out
has 'check four-bar: reactions' 'smallest norm' out
has 'check four-bar: pose' 'pose                regular' out
has 'check four-bar: condition' 'condition           smallest singular value 0.' out
expect 0 'check sedan' "$linkage" check "$models/sedan.yaml"
has 'check sedan: a hub' 'to save work what hangs on chassis is solved for branch by branch' out
expect 0 'check sedan --tree' "$linkage" check --tree "$models/sedan.yaml"
has 'check sedan: its motion' 'eliminates the motion of chassis: 6 rows' out
has 'check sedan: what remains' 'remain, of the motion of chassis' out
expect 0 'check chain-8' "$linkage" check "$models/chain-8.yaml"
has 'check chain-8' 'degrees of freedom  24' out
has 'check chain-8: more' 'and 4 more, see --json' out
has 'check chain-8' 'redundant rows      0' out
has 'check chain-8' 'no loops' out

# where a model rests: two kilograms on 500 N/m
cat >resting.yaml <<'END'
linkage: 1
name: resting
gravity: [0, 0, -10]
bodies:
  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}
joints:
  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], axis: [0, 0, 1]}
forces:
  spring: {type: joint-spring-damper, joint: guide, stiffness: 500}
outputs:
  x: {type: joint-position, joint: guide}
  f: {type: force, force: spring}
END
expect 0 'equilibrium' "$linkage" equilibrium resting.yaml
has 'equilibrium' 'resting.yaml: resting rests after' out
has 'equilibrium: moved' 'moved               0.04 m at most' out
has 'equilibrium: output' '  x                 -0.04 m' out
has 'equilibrium: force' '  f                 20 N' out
sed -i '/forces:/d; /spring/d' resting.yaml
expect 1 'equilibrium of what falls' "$linkage" equilibrium resting.yaml
has 'equilibrium of what falls' "body 'block' is left with 20 N along z" err
expect 2 'equilibrium of nothing' "$linkage" equilibrium

# inputs over time: a block of 2 kg without gravity, pushed
cat >pushed.yaml <<'END'
linkage: 1
name: pushed
bodies:
  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}
joints:
  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], axis: [1, 0, 0]}
inputs:
  push: {type: joint-force, joint: guide, limits: [-5, 5]}
  slow: {type: joint-force, joint: guide, limits: [-5, 5], rate: 10}
outputs:
  v: {type: joint-velocity, joint: guide}
solver: {step: 0.001}
END
speed() { tail -n 1 out.csv | cut -d, -f2 | awk '{printf "%.9f", $1}'; }
printf 'time [s],push [N]\n0,2\n0.5,-1\n' >push.csv
expect 0 'inputs held' "$linkage" run pushed.yaml -d 1 --inputs push.csv -o out.csv
same 'inputs held' 0.250000000 "$(speed)"
expect 0 'inputs interpolated' "$linkage" run pushed.yaml -d 1 --inputs push.csv --interpolate -o out.csv
same 'inputs interpolated' -0.125000000 "$(speed)"
printf '\357\273\277t, push [N]\r\n0, 0\r\n2, 4\r\n' >push.csv # on its way to a row behind the end
expect 0 'inputs beyond' "$linkage" run pushed.yaml -d 1 --inputs push.csv --interpolate -o out.csv
same 'inputs beyond' 0.500000000 "$(speed)"
printf 't,push\n0.5,2\n' >push.csv
expect 0 'inputs later' "$linkage" run pushed.yaml -d 1 --set push=-4 --inputs push.csv -o out.csv
same 'inputs later' -0.500000000 "$(speed)"
printf 't,slow\n0,2\n' >push.csv
expect 0 'inputs limited' "$linkage" run pushed.yaml -d 1 --inputs push.csv -o out.csv
same 'inputs limited' 0.900500000 "$(speed)"
for text in 'time;push\n0;1\n' 'Time\tpush [N]\n0\t1\n' '"time","push"\n"0","1"\n'; do
    printf '%b' "$text" >push.csv
    expect 0 "inputs: $text" "$linkage" run pushed.yaml -d 1 --inputs push.csv -o out.csv
    same "inputs: $text" 0.500000000 "$(speed)"
done
if "$linkage" methods >/dev/null 2>&1; then
    printf 't,push\n0,2\n0.5,-1\n' >push.csv
    expect 0 'inputs elsewhere' "$linkage" run pushed.yaml -d 1 --formulation absolute --integrator rk4 \
        --inputs push.csv --interpolate -o out.csv
    same 'inputs elsewhere' -0.125000000 "$(speed)"
fi
refused() { # name, text of the file, what is said
    printf '%b' "$2" >push.csv
    expect 1 "inputs: $1" "$linkage" run pushed.yaml -d 1 --inputs push.csv
    has "inputs: $1" "$3" err
}
refused 'unknown' 't,pull\n0,1\n' "push.csv:1: column 2 is 'pull', which is no input of the model, expected push, slow"
refused 'twice' 't,push,push\n0,1,1\n' "push.csv:1: column 3 is 'push' once more"
refused 'unit' 't,push [kN]\n0,1\n' "push.csv:1: column 2, 'push', is in [kN], expected [N]"
refused 'beyond' 't,slow,push\n0,0,1\n1,0,6\n' "push.csv:3: field 3, 'push', is 6, the model limits it to -5 to 5 N"
refused 'no number' 't,push\n0,much\n' 'push.csv:2: field 2 is no finite number'
refused 'backwards' 't,push\n0,1\n0,2\n' 'push.csv:3: time is 0 s, expected more than in the row before'
refused 'not seconds' 'time [ms],push\n0,1\n' 'push.csv:1: the time is in [ms], expected [s]'
refused 'too short' 't,push,slow\n0,1,1\n1,2\n' 'push.csv:3: the row ends after field 2, expected 3 fields'
refused 'behind the end' 't,push\n0,1\n5,much\n' 'push.csv:3: field 2 is no finite number'
refused 'nothing' '' 'push.csv: nothing is in it, expected a header that begins with the time'
refused 'empty' 't,push\n' 'push.csv: there are no rows'
refused 'no columns' 't\n0\n' 'push.csv: none of its columns is an input of the model'
refused 'never' 't,push\n1732000000.001,1\n1732000000.1,2\n' \
    'push.csv: no row acts in the run: the first is at 1732000000.001 s, expected one before the end of the run, which is from 0 to 1 s'
refused 'at the end' 't,push\n1,1\n' 'push.csv: no row acts in the run: the first is at 1 s'
refused 'decimal commas' 't;push\n0,0;1\n' 'push.csv:2: field 1 is no finite number, expected 2 numbers with a decimal point'
printf 't,push\n0.999,1\n' >push.csv
expect 0 'inputs: in the last step' "$linkage" run pushed.yaml -d 1 --inputs push.csv -o out.csv
same 'inputs: in the last step' 0.000500000 "$(speed)"
expect 1 'inputs: missing' "$linkage" run pushed.yaml --inputs nowhere.csv
has 'inputs: missing' 'nowhere.csv: No such file' err
expect 2 'interpolate alone' "$linkage" run pushed.yaml --interpolate

# the same four-bar, lying flat on its ground
sed -e '/orientation:/d' -e 's/position: .*/position: [0.5, 0, 0]/' \
    -e 's/point: \[0.70710678118655, 0.70710678118655, 0\]/point: [1, 0, 0]/' \
    -e 's/point: \[1.70710678118655, 0.70710678118655, 0\]/point: [2, 0, 0]/' \
    "$models/four-bar.yaml" >flat.yaml
expect 0 'check flat' "$linkage" check flat.yaml
has 'check flat' 'singular pose: 2 degrees of freedom here, 1 beside it' out
expect 0 'check flat --json' "$linkage" check --json flat.yaml
has 'check flat --json' '"kind": "singular", "extra_degrees_of_freedom": 1' out
has 'check flat --json' '{"text": "pin_b angle (revolute, crank to coupler)", "joint": "pin_b", "which": 0}' out

# the tree: as many fronts as the summary says, as text and for Graphviz
expect 0 'check --tree' "$linkage" check --tree "$models/four-bar.yaml"
has 'check --tree' 'tree                3 levels, 4 fronts, the largest of 5 rows' out
same 'check --tree: fronts' 4 "$(grep -c 'front [0-9]*: eliminates' out)"
has 'check --tree: root' 'front 3: eliminates pin_c: 2 rows' out
has 'check --tree: leaf' '└── front 0: eliminates pin_a, force element of pin_a: 3 rows; 2 remain, of pin_b; body crank' out
expect 0 'check --tree, deep' "$linkage" check --tree "$models/chain-128.yaml"
expect 0 'check --dot' "$linkage" check --dot "$models/four-bar.yaml"
same 'check --dot: edges' 6 "$(grep -c -- '->' out)"
if command -v dot >/dev/null; then
    for model in "$models"/*.yaml; do
        expect 0 "check --dot $model" "$linkage" check --dot "$model"
        cp out tree.dot
        expect 0 "dot $model" dot -Tsvg -o tree.svg tree.dot
    done
fi
expect 2 'two forms' "$linkage" check --dot --json "$models/four-bar.yaml"
expect 0 'check --json' "$linkage" check --json "$models/four-bar.yaml"
has 'check --json' '"redundant_rows": 3,' out
has 'check --json: iterations' '"iterations_needed": 2' out
has 'check --json' '"redundant_joints": ["pin_a", "pin_b", "pin_c", "pin_d"]' out
if command -v python3 >/dev/null; then
    cp out check.json
    expect 0 'JSON is JSON' python3 -m json.tool check.json
fi

# how fast it goes for its step: as it starts, at a given rate, too fast
expect 0 'check --rate' "$linkage" check --rate pin_a=300 "$models/four-bar.yaml"
has 'check --rate' 'motion              with pin_a at 300' out
has 'check --rate: turns' ' 0.3 rad' out
has 'check --rate: iterations' 'of 5 are needed' out
expect 0 'check --rate, half a turn' "$linkage" check --rate pin_a=3300 "$models/four-bar.yaml"
has 'check --rate, half a turn' '[step-fails] body crank: turns by 3.3 rad a step' out
expect 1 'check --rate of no joint' "$linkage" check --rate pin_x=3 "$models/four-bar.yaml"
has 'check --rate of no joint' "rate of 'pin_x': there is no such joint" err
expect 2 'check --rate of no number' "$linkage" check --rate pin_a=fast "$models/four-bar.yaml"
sed 's/angular_velocity: .*/angular_velocity: [0, 0, 3200]/' "$models/free-body.yaml" >whirl.yaml
expect 1 'check of half a turn' "$linkage" check whirl.yaml
has 'check of half a turn' 'body rotor: turns by 3.2 rad a step: a step of half a turn or more fails' err

# what looks wrong: a warning with its identifier, and a status of its own only when asked for
sed 's/, limits:.*}/}/' "$models/pendulum.yaml" >boundless.yaml
expect 0 'check boundless' "$linkage" check boundless.yaml
has 'check boundless' '[input-without-limits] input motor: any value of it acts' out
has 'check boundless' '[input-without-rate] input motor' out
expect 3 'check --strict boundless' "$linkage" check --strict boundless.yaml
expect 3 'check --strict --json boundless' "$linkage" check --strict --json boundless.yaml
has 'check --json boundless' '{"id": "input-without-limits",' out
if command -v python3 >/dev/null; then
    cp out check.json
    expect 0 'JSON of warnings is JSON' python3 -m json.tool check.json
fi
expect 2 'check --strict --dot' "$linkage" check --strict --dot boundless.yaml

# refusals: one line, status 1, for both subcommands
sed 's/mass: 1.0/mass: -1.0/' "$models/pendulum.yaml" >bad.yaml
for command in check run; do
    expect 1 "bad mass, $command" "$linkage" $command bad.yaml
    same "bad mass, $command" \
        'bad.yaml:11:11: mass is -1.0, expected 0 or at least 1e-15 kg' "$(cat err)"
done
sed -e 's/mass: 1.0/mas: 1.0/' -e 's/^name:.*/name: a b/' "$models/pendulum.yaml" >bad.yaml
for command in check run; do
    expect 1 "two mistakes, $command" "$linkage" $command bad.yaml
    same "two mistakes, $command" 2 "$(wc -l <err)"
    has "two mistakes, $command" "unknown key 'mas' in a body, did you mean 'mass'?" err
done
expect 1 'no file' "$linkage" check none.yaml
same 'no file' \
    'none.yaml: cannot be read (No such file or directory), expected a YAML file' "$(cat err)"
sed 's/point: \[1, 0, 0\], axis/points: [[1, 0, 0], [9, 9, 9]], axis/' "$models/four-bar.yaml" >far.yaml
expect 1 'cannot be assembled' "$linkage" check far.yaml
same 'cannot be assembled: one line' 1 "$(wc -l <err)"

# the recording
expect 0 'recording' "$linkage" run "$models/four-bar.yaml" --duration 1 --every 100 -o r.csv
same 'header' 'time [s],crank_angle [rad],crank_rate [rad/s],coupler_pose.x [m],coupler_pose.y [m],coupler_pose.z [m],coupler_pose.qw [1],coupler_pose.qx [1],coupler_pose.qy [1],coupler_pose.qz [1],pin_a_load.fx [N],pin_a_load.fy [N],pin_a_load.fz [N],pin_a_load.tx [N m],pin_a_load.ty [N m],pin_a_load.tz [N m],energy.kinetic [J],energy.potential [J],tip.x [m],tip.y [m],tip.z [m],residual.position [m],residual.velocity [m/s],residual.increment [m]' "$(head -n 1 r.csv)"
same 'rows' 12 "$(wc -l <r.csv)"
same 'columns' 24 "$(awk -F, 'NR == 1 || NF != n { n = NF; c++ } END { print c == 1 ? n : "ragged" }' r.csv)"
same 'times' '0 0.1 1' "$(awk -F, 'NR == 2 || NR == 3 || NR == 12 { printf "%s%g", s, $1; s = " " }' r.csv)"
same 'first row is the start' '1.20711 0.8' "$(awk -F, 'NR == 2 { printf "%.5f %.1f", $4, $20 }' r.csv)"
expect 0 'CSV on the standard output' "$linkage" run "$models/four-bar.yaml" -d 1 -n 100 -o -
same 'the same recording' "$(cat r.csv)" "$(cat out)"
has 'summary goes to the other stream' '1000 steps' err
expect 0 'step and iterations' "$linkage" run "$models/four-bar.yaml" -s 0.01 -i 4 -d 1 -o s.csv
same 'rows of a larger step' 102 "$(wc -l <s.csv)"

# the same bits for any number of workers, also for more than there are cores
expect 0 'one worker' "$linkage" run "$models/chain-128.yaml" -d 0.2 -o w.csv
for workers in auto 2 3; do
    expect 0 "$workers workers" "$linkage" run "$models/chain-128.yaml" -d 0.2 -w "$workers" -o w2.csv
    cmp -s w.csv w2.csv || { echo "FAIL $workers workers have other bits than one"; failed=1; }
done

# inputs held: a constant torque of 5 N m moves the crank another way
expect 0 'input held' "$linkage" run "$models/four-bar.yaml" -d 1 -n 100 --set motor=5 -o m.csv
[ "$(tail -n 1 m.csv)" != "$(tail -n 1 r.csv)" ] || { echo 'FAIL --set has no effect'; failed=1; }
expect 1 'unknown input' "$linkage" run "$models/four-bar.yaml" --set engine=5
has 'unknown input' 'the model has no such input' err
expect 1 'input misspelt' "$linkage" run "$models/four-bar.yaml" --set moto=5
has 'input misspelt' "no such input, did you mean 'motor'?" err
for bad in motor motor= motor=x motor=1,2 'motor=1,' motor=inf; do
    expect 1 "--set $bad" "$linkage" run "$models/four-bar.yaml" --set "$bad"
done
expect 0 'vector input' "$linkage" run "$models/double-pendulum.yaml" -d 0.1 --set push=1,-2,3e0

# files that cannot be written
expect 1 'no such directory' "$linkage" run "$models/pendulum.yaml" -d 0.1 -o none/x.csv
has 'no such directory' 'none/x.csv: No such file or directory' err
if [ -c /dev/full ]; then
    expect 1 'disk full' "$linkage" run "$models/pendulum.yaml" -d 0.1 -o /dev/full
    has 'disk full' '/dev/full: No space left on device' err
fi

[ $failed -eq 0 ] && echo 'all as expected'
exit $failed
