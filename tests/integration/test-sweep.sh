#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage sweep: the table has the same bytes whatever the number of processes, shards and kills; a case
# is what linkage run makes of its values; what fails is a row; what is wrong is one line.
# usage: test-sweep.sh LINKAGE MODELS-DIRECTORY STUDIES-DIRECTORY
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1")
models=$(realpath "$2")
studies=$(realpath "$3")
dir=$(mktemp -d) || exit 1
running=
trap 'kill -9 $running 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
# not what the launcher of this test may be
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT \
    SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP LINKAGE_ENGINE


# ---- every shipped study ----
for study in "$studies"/*.yaml; do
    expect 0 "$study" "$linkage" sweep "$study" -o shipped.csv
    same "$study: all passed" 0 "$(tail -n +2 shipped.csv | grep -vc '^[0-9]*,passed,')"
    rm -f shipped.csv*
done

# ---- the same bytes ----
cat >study.yaml <<YAML
study: 1
model: $models/four-bar.yaml
duration: 0.25
sampling: random
cases: 120
seed: 5
parameters:
  forces.bearing.damping: {log-uniform: [0.01, 10]}
  bodies.crank.mass: {normal: [1, 0.5]}      # some are refused: no mass is negative
  gravity.2: -9.81
inputs:
  motor: {uniform: [-8, 11]}                 # some are: the model limits it to 10
outputs: {crank_angle: [last, min, max, mean, rms, time-of-min], pin_a_load: max}
checks: {outputs: {crank_angle: {min: [-0.17, none]}}}
YAML
expect 3 'one process' "$linkage" sweep study.yaml -o one.csv -j 1
for outcome in passed failed refused; do
    has "there are some $outcome" ",$outcome," one.csv
done
has 'reason of a mass' 'mass is -' one.csv
has 'reason of an input' 'the model limits it to -10 to 10 N m' one.csv
has 'reason of a check' 'min(crank_angle) is -0.' one.csv
has 'units' 'forces.bearing.damping [N m s/rad],bodies.crank.mass [kg],gravity.2 [m/s^2],motor [N m]' \
    one.csv
has 'reduction' 'time-of-min(crank_angle) [s],max(pin_a_load.fx) [N]' one.csv
same 'rows' 121 "$(wc -l <one.csv)"
same 'in order' "$(seq 120)" "$(tail -n +2 one.csv | cut -d, -f1)"
expect 3 'three processes' "$linkage" sweep study.yaml -o three.csv -j 3
equal 'processes' one.csv three.csv
for k in 3 1 2; do # the last one writes the table
    same "no table before shard $k" no "$(test -e shards.csv && echo yes || echo no)"
    expect "$([ $k = 2 ] && echo 3 || echo 0)" "shard $k" "$linkage" sweep study.yaml \
        -o shards.csv --shard $k/3 -j 2
done
equal 'shards' one.csv shards.csv
expect 3 'join' "$linkage" sweep --join shards.csv.*.journal three.csv.journal -o joined.csv
equal 'joined' one.csv joined.csv
expect 0 'Open MPI' env OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 "$linkage" sweep study.yaml -o mpi.csv
has 'Open MPI' 'shard 2 of 2, by Open MPI' out
expect 3 'Open MPI, 0' env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$linkage" sweep study.yaml -o mpi.csv
equal 'ranks' one.csv mpi.csv
for id in 4 10 7; do
    env SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=4 \
        SLURM_ARRAY_TASK_STEP=3 "$linkage" sweep study.yaml -o slurm.csv >out 2>err
done
has 'Slurm' 'shard 2 of 3, by Slurm' out
equal 'an array' one.csv slurm.csv

# ---- the engine of a study ----
sed 's/^seed: 5/engine: none\nseed: 5/' study.yaml >engine.yaml
expect 3 'an engine' "$linkage" sweep engine.yaml -o engine.csv
i=$(grep -m 1 ',passed,' engine.csv | cut -d, -f1)
"$linkage" sweep engine.yaml --case "$i" -o case.csv >out
has 'engine of a command' 'LINKAGE_ENGINE=none linkage run ' out
# shellcheck disable=SC2046 # a command line
env $(sed -n "1s|linkage run|$linkage run|p" out) -o run.csv >/dev/null
equal 'its command' case.csv run.csv

# ---- killed ----
# shellcheck disable=SC2317 # by await
has_lines() { # or has come to its end
    [ "$(grep -c "" killed.csv.journal 2>/dev/null)" -gt "$1" ] 2>/dev/null || ! kill -0 "$running" 2>/dev/null
}
for n in 2 17 40 41 90; do # lines of the journal
    "$linkage" sweep study.yaml -o killed.csv -j 2 >/dev/null 2>&1 &
    running=$!
    await "line $n" has_lines "$n"
    kill -9 $running 2>/dev/null
    wait $running 2>/dev/null
    cp killed.csv.journal before
    tail -c 20 three.csv.journal | head -c 15 >>killed.csv.journal # as if in the midst of a line
done
expect 3 'after kills' "$linkage" sweep study.yaml -o killed.csv -j 2
has 'it goes on' "killed.csv.journal has $(($(wc -l <before) - 3)) cases already" out
equal 'after kills' one.csv killed.csv
same 'nothing that was done is done again' 123 "$(wc -l <killed.csv.journal)"
head -n "$(wc -l <before)" before >whole # a kill may come in the midst of a line
head -n "$(wc -l <before)" killed.csv.journal >kept
equal 'no row is lost' whole kept
# a row that is damaged is run again, and the others are not
sed '50s/,.*/&0/' killed.csv.journal >damaged.csv.journal
expect 3 'damaged' "$linkage" sweep study.yaml -o damaged.csv
has 'damaged' 'has 119 cases already' out
equal 'damaged' one.csv damaged.csv
# the head itself
head -c 70 one.csv.journal >torn.csv.journal
expect 3 'torn head' "$linkage" sweep study.yaml -o torn.csv
equal 'torn head' one.csv torn.csv

# a worker that is killed is replaced; twice in one case: a row
cat >long.yaml <<YAML
study: 1
model: $models/four-bar.yaml
duration: 100000
YAML
# shellcheck disable=SC2317
has_child() { # other than $1
    child=$(child_of "$running")
    [ -n "$child" ] && [ "$child" != "$1" ]
}
if [ -e /proc/$$/task/$$/children ]; then
    "$linkage" sweep long.yaml -o long.csv -j 1 >out 2>err &
    running=$!
    await 'a worker' has_child none
    expect 1 'in use' "$linkage" sweep long.yaml -o long.csv
    has 'in use' 'long.csv.journal is in use by another sweep' err
    first=$child
    kill -9 "$first"
    await 'another worker' has_child "$first"
    same 'one death is no row' 3 "$(wc -l <long.csv.journal)"
    kill -9 "$child"
    wait $running
    same 'status of a study whose only case died' 3 $?
    running=
    same 'row of it' '1,crashed,,,"its process died twice, last by signal 9, Killed"' "$(tail -n 1 long.csv)"
else
    echo 'left out: a worker that is killed: /proc has no children'
fi

# ---- a case is what linkage run makes of it ----
column() { # FILE NAME: of the last row
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if (index($i, name) == 1) c = i } END { print $c }' "$1"
}
expect 0 'state' "$linkage" run "$models/four-bar.yaml" -d 0.2 --save-state a.state
expect 0 'state' "$linkage" run "$models/four-bar.yaml" -d 0.3 --set motor=9 --save-state b.state
printf 'time,motor\n0,1\n0.1,-3\n' >motor.csv
cat >files.yaml <<YAML
study: 1
model: $models/four-bar.yaml
duration: 0.2
input_files: motor.csv
interpolate: true
start_states: [a.state, b.state]
outputs: [crank_angle]
YAML
cat >inputs.yaml <<YAML
study: 1
model: $models/four-bar.yaml
duration: 0.2
step: 0.002
inputs: {motor: {grid: [-1, 1, 3]}}
outputs: [crank_angle]
YAML
run() { # STUDY CASE STATUS: alone, in the table and by linkage run
    expect "$3" "case $2 of $1" "$linkage" sweep "$1" --case "$2" -o case.csv
    sed -n '2,$p' out >alone.csv
    # shellcheck disable=SC2046 # a command line
    expect 0 "run of case $2 of $1" "$linkage" $(sed -n '1s/^linkage //p' out) -o run.csv
    equal "case $2 of $1" case.csv run.csv
    same "last of case $2 of $1" "$(column run.csv crank_angle)" "$(column alone.csv 'last(crank_angle)')"
    same "row of case $2 of $1" "$(tail -n 1 alone.csv)" "$(grep "^$2," table.csv)"
}
cp one.csv table.csv
# what linkage run writes, reduced
reduced() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^crank_angle /) c = i; next }
        NR == 2 || $c < low { low = $c; at = $1 }
        NR == 2 || $c > high { high = $c }
        { sum += $c; squares += $c * $c; n++ }
        END { printf "%.12g %.12g %.12g %.12g %.12g ", low, high, sum / n, sqrt(squares / n), at }' run.csv
}
# the same of its row
in_row() {
    for name in min max mean rms time-of-min; do column alone.csv "$name(crank_angle)"; done |
        awk '{ printf "%.12g ", $1 }'
}
passed=$(grep -m 1 ',passed,' one.csv | cut -d, -f1)
run study.yaml "$passed" 0
same 'reductions' "$(reduced)" "$(in_row)"
for study in files inputs; do
    expect 0 "$study" "$linkage" sweep $study.yaml -o table.csv -j 1
    run $study.yaml 2 0
    rm -f table.csv*
done

# ---- what makes no sense ----
sed 's/^seed: 5/seed: 6/' study.yaml >other.yaml
cp one.csv.journal kept
expect 1 'of another study' "$linkage" sweep other.yaml -o one.csv
has 'of another study' 'one.csv.journal is of another study, model, build or engine' err
equal 'a journal that is refused stays' kept one.csv.journal
expect 3 'fresh' "$linkage" sweep other.yaml -o one.csv --fresh
same 'another seed, another table' 1 "$(cmp -s one.csv three.csv && echo 0 || echo 1)"
expect 1 'join of two studies' "$linkage" sweep --join one.csv.journal three.csv.journal -o x.csv
has 'join of two studies' 'expected the same' err
expect 1 'join of a part' "$linkage" sweep --join shards.csv.2-of-3.journal -o x.csv
has 'join of a part' '80 of 120 cases are missing, the first is 1' err
expect 1 'join of no journal' "$linkage" sweep --join study.yaml -o x.csv
has 'join of no journal' 'no journal of a sweep' err
# a row that says something else, with the right checksum
other=$(sed -n '4s/^[0-9a-f]* \(.*\)$/\1!/p' three.csv.journal)
crc=$(printf %s "$other" | gzip -c | tail -c 8 | od -An -tx4 -N4 --endian=little | tr -d ' ')
{ head -n 3 three.csv.journal; echo "$crc $other"; } >lies.journal
expect 1 'join of what differs' "$linkage" sweep --join three.csv.journal lies.journal -o x.csv
has 'join of what differs' 'differs between three.csv.journal and lies.journal' err
cp study.yaml mine.csv.journal
expect 1 'no journal' "$linkage" sweep study.yaml -o mine.csv
has 'no journal' 'or no journal' err
equal 'what is no journal stays' study.yaml mine.csv.journal
for bad in '-o x.csv --shard 0/3' '-o x.csv --shard 4/3' '-o x.csv --shard 3' '-o x.csv -j 0' '--case 0' \
    '-o x.csv --list --case 1' '-o -' '' '--case 121'; do
    # shellcheck disable=SC2086 # options
    expect 2 "sweep $bad" "$linkage" sweep study.yaml $bad
    same "sweep $bad: lines" 1 "$(wc -l <err)"
done
expect 2 'wrong rank' env OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=2 "$linkage" sweep study.yaml -o x.csv
expect 2 'wrong task' env SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=2 "$linkage" sweep study.yaml -o x.csv

# what only the model knows is wrong with a study
bad() { # LINE EXPECTED
    printf 'study: 1\nmodel: %s/four-bar.yaml\nduration: 0.1\n%s\n' "$models" "$1" >bad.yaml
    expect 1 "$1" "$linkage" sweep bad.yaml -o x.csv
    has "$1" "$2" err
    same "$1: lines" 1 "$(wc -l <err)"
}
bad 'parameters: {forces.bearing.dampng: 1}' "bad.yaml:4:37: "
bad 'parameters: {forces.bearing.dampng: 1}' "did you mean 'damping'?"
bad 'parameters: {bodies.crank.mass: {list: [-1, -2]}}' 'mass is -1, expected 0 or'
bad 'outputs: [crank_angl]' "bad.yaml:4:11: the model has no output 'crank_angl', did you mean 'crank_angle'?"
bad 'outputs: [crank_angle.x]' "bad.yaml:4:11: the model has no output 'crank_angle.x', expected one of"
bad 'checks: {outputs: {pin: [0, 1]}}' "bad.yaml:4:20: the model has no output 'pin'"
bad 'inputs: {moto: 1}' "the model has no input 'moto', did you mean 'motor'?"
bad 'input_files: none.csv' 'none.csv: No such file or directory'
bad 'start_states: motor.csv' 'motor.csv: '
bad 'duration: 3' 'given twice'
exit $failed
