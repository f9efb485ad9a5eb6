#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage sweep under mpirun: ranks share the cases as they go, and the table has the bytes of one process; a job that
# was killed goes on with any number of ranks.
# usage: test-sweep-mpi.sh LINKAGE MODELS-DIRECTORY HAS-MODULE
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1")
models=$(realpath "$2")
if [ "$3" != yes ]; then
    echo 'left out: linkage was built without Open MPI (libopenmpi-dev)'
    exit 77
fi
if ! command -v mpirun >/dev/null; then
    echo 'left out: there is no mpirun (openmpi-bin)'
    exit 77
fi
if [ ! -e /proc/$$/task/$$/children ]; then
    echo 'left out: /proc has no children'
    exit 77
fi
dir=$(mktemp -d) || exit 1
job=
trap 'kill -9 $job 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
# not what the launcher of this test may be; what Open MPI keeps until the end is no finding
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT \
    SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP LINKAGE_ENGINE
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
# one machine, without a network; whoever tests may be root, and have fewer cores than ranks
ranks() { # COUNT COMMAND...
    count=$1
    shift
    mpirun --allow-run-as-root --oversubscribe --bind-to none --mca btl self,vader -n "$count" "$@"
}
count() { # PATTERN FILE
    grep -c -- "$1" "$2"
}

cat >study.yaml <<YAML
study: 1
model: $models/four-bar.yaml
duration: 0.3
sampling: random
cases: 150
seed: 5
parameters:
  forces.bearing.damping: {log-uniform: [0.01, 10]}
  bodies.crank.mass: {normal: [1, 0.5]}      # some are refused: no mass is negative
outputs: {crank_angle: [last, max]}
YAML
expect 3 'one process' "$linkage" sweep study.yaml -o one.csv -j 1

# ---- shared ----
expect 3 'three ranks' ranks 3 "$linkage" sweep study.yaml -o three.csv
equal 'three ranks' one.csv three.csv
for k in 1 2 3; do
    has "rank $k" "rank $k of 3, which share the cases as they go" out
done
same 'each case is run once' 150 "$(sed -n 's/^rank . of 3 has run \(.*\) cases$/\1/p' out | awk '{ n += $1 } END { print n }')"
same 'a journal a rank' 'three.csv.rank-1.journal three.csv.rank-2.journal three.csv.rank-3.journal' \
    "$(echo three.csv.*journal)"
same 'rows' 150 "$(tail -q -n +4 three.csv.rank-*.journal | wc -l)"
has 'table' 'three.csv: 150 cases, ' out
same 'one rank writes it' 1 "$(count '^three.csv: ' out)"
expect 3 'again' ranks 2 "$linkage" sweep study.yaml -o three.csv
same 'nothing is run again' 2 "$(count 'has run 0 cases' out)"

# ---- in each task of an array ----
export SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1
for SLURM_ARRAY_TASK_ID in 2 1; do # the last one writes the table
    export SLURM_ARRAY_TASK_ID
    expect $((SLURM_ARRAY_TASK_ID == 1 ? 3 : 0)) "task $SLURM_ARRAY_TASK_ID" ranks 2 "$linkage" sweep study.yaml -o tasks.csv
    same "cases of task $SLURM_ARRAY_TASK_ID" 75 \
        "$(sed -n 's/^rank . of 2 has run \(.*\) cases$/\1/p' out | awk '{ n += $1 } END { print n }')"
done
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN
equal 'an array of ranks' one.csv tasks.csv
same 'its journals' 4 "$(find . -name 'tasks.csv.[12]-of-2.rank-[12].journal' | wc -l)"

# ---- a rank that is held up gets no more, and the others do the rest ----
cat >uneven <<SCRIPT
#!/bin/sh
# rank 3 of 3: its worker is stopped, until the others have run more than two shards of three
[ "\$OMPI_COMM_WORLD_RANK" = 2 ] || exec "$linkage" sweep study.yaml -o uneven.csv
"$linkage" sweep study.yaml -o uneven.csv &
worker=
while [ -z "\$worker" ]; do worker=\$(tr -d ' ' </proc/\$!/task/\$!/children); done
kill -STOP "\$worker"
for _ in \$(seq 1200); do
    [ "\$(cat uneven.csv.rank-[12].journal 2>/dev/null | grep -c '^[0-9a-f]* [0-9] ')" -ge 120 ] && break
    sleep 0.05
done
kill -CONT "\$worker"
wait \$!
SCRIPT
chmod +x uneven
expect 3 'a rank that is held up' ranks 3 ./uneven
equal 'a rank that is held up' one.csv uneven.csv
held=$(sed -n 's/^rank 3 of 3 has run \(.*\) cases$/\1/p' out)
same "few of the rank that was held up ($held)" yes "$([ "$held" -le 30 ] && echo yes)"

# ---- killed as a whole, and gone on with by others ----
rows() { cat "$1".*journal 2>/dev/null | grep -c '^[0-9a-f]* [0-9] '; }
# shellcheck disable=SC2317 # by await
{
    has_rows() { [ "$(rows killed.csv)" -ge "$1" ]; }
    has_mpirun() { [ -n "$(child_of "$shell")" ]; }
    is_gone() { ! pgrep -f "sweep study.yaml -o $dir/killed.csv" >/dev/null; }
}
for step in '3 20' '2 60' '4 100'; do
    ranks "${step% *}" "$linkage" sweep study.yaml -o "$dir/killed.csv" >/dev/null 2>&1 &
    shell=$!
    await 'mpirun' has_mpirun
    job=$(child_of "$shell")
    await "row ${step#* }" has_rows "${step#* }"
    kill -9 "$job" # the launcher alone: its ranks end with it
    wait $shell 2>/dev/null
    job=
    await 'end of all ranks' is_gone
done
before=$(rows killed.csv)
expect 3 'after kills' ranks 2 "$linkage" sweep study.yaml -o killed.csv
equal 'after kills' one.csv killed.csv
same 'what was done is not done again' "$((150 - $(sort -u killed.csv.rank-*.journal | grep -c '^[0-9a-f]* [0-9] ')))" 0
same 'the rest is run' "$((150 - before))" "$(sed -n 's/.* has run \(.*\) cases$/\1/p' out | awk '{ n += $1 } END { print n }')"
# and by a process alone
rm -f killed.csv killed.csv.rank-1.journal
expect 3 'alone' "$linkage" sweep study.yaml -o killed.csv -j 1
has 'alone' 'journals beside it have' out
equal 'alone' one.csv killed.csv

# ---- a rank that dies ends the job, and loses no row ----
cat >dies <<SCRIPT
#!/bin/sh
[ "\$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$linkage" sweep study.yaml -o dies.csv
"$linkage" sweep study.yaml -o dies.csv &
while [ "\$(grep -c '^[0-9a-f]* [0-9] ' dies.csv.rank-2.journal 2>/dev/null)" -lt 5 ] 2>/dev/null; do sleep 0.02; done
kill -9 \$!
wait \$!
SCRIPT
chmod +x dies
ranks 3 ./dies >out 2>err
status=$?
same 'a rank that dies: an error' yes "$([ $status -ne 0 ] && [ $status -ne 3 ] && echo yes)"
same 'a rank that dies: no table' no "$(test -e dies.csv && echo yes || echo no)"
expect 3 'after it' ranks 3 "$linkage" sweep study.yaml -o dies.csv
equal 'after it' one.csv dies.csv

# ---- anew ----
sed 's/^seed: 5/seed: 6/' study.yaml >other.yaml
expect 1 'of another study' ranks 2 "$linkage" sweep other.yaml -o three.csv
has 'of another study' 'is of another study, model, build or engine' err
expect 3 'fresh' ranks 2 "$linkage" sweep other.yaml -o three.csv --fresh
same 'no journal of more ranks is left' 'three.csv.rank-1.journal three.csv.rank-2.journal' "$(echo three.csv.*journal)"
expect 3 'alone, fresh' "$linkage" sweep other.yaml -o three.csv --fresh
same 'no journal of ranks is left' 'three.csv.journal' "$(echo three.csv.*journal)"

# ---- ranks of different engines ----
for engine in avx512 avx2 portable; do # one that this processor and build have
    LINKAGE_ENGINE=$engine "$linkage" sweep study.yaml --case 1 >/dev/null 2>&1 && break
done
cat >engines <<SCRIPT
#!/bin/sh
LINKAGE_ENGINE=$engine
[ "\$OMPI_COMM_WORLD_RANK" = 0 ] || LINKAGE_ENGINE=none
export LINKAGE_ENGINE
exec "$linkage" sweep study.yaml -o "\$OMPI_COMM_WORLD_RANK/engines.csv" # as on machines that share no folder
SCRIPT
chmod +x engines
mkdir -p 0 1
expect 1 'two engines' ranks 2 ./engines
has 'two engines' 'rank 2 has another study, model, file, build or engine than rank 1' err
exit $failed
