#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage bench as it is run: what it prints, never how fast. Exit status, JSON, refusals.
# usage: test-bench.sh LINKAGE JSON_CHECK MODELS-DIRECTORY
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkage=$(realpath "$1")
json_check=$(realpath "$2")
models=$(realpath "$3")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# is_json WHAT: the file out is one JSON object
is_json() {
    { tr -d '\n' <out; echo; } >line
    "$json_check" <line >why && return
    echo "FAIL $1: $(cat why)"
    cat out
    failed=1
}

# usage
expect 0 'help' "$linkage" bench --help
has 'help' 'linkage bench [MODEL...]' out
expect 0 'list' "$linkage" bench --list
has 'list' 'chain-1024-revolute' out
for bad in '--time 0' '--steps x' '--workers 0' '--workers 2,1' '--steps 5 --time 1' '--fast'; do
    # shellcheck disable=SC2086
    expect 2 "bench $bad" "$linkage" bench $bad four-bar
done

# a table: models in the order given, a file under its own name
expect 0 'table' "$linkage" bench --quick four-bar "$models/free-body.yaml" chain-3-revolute
for name in four-bar free-body chain-3-revolute; do
    has "table: $name" "$name" out
done
[ "$(grep -nm 1 '^four-bar' out | cut -d: -f1)" -lt "$(grep -nm 1 '^free-body' out | cut -d: -f1)" ] ||
    { echo 'FAIL table: out of order'; failed=1; }
has 'table: conditions' 'GFLOP/s' out
has 'table: quantiles' 'median    p99  p99.9    max' out
awk 'length > 100 { print "FAIL more than 100 columns: " $0; bad = 1 } END { exit bad }' out || failed=1

# JSON: one object with all that README.md promises, of the right models
expect 0 'json' "$linkage" bench --quick --json --steps 50 --workers 1,2 chain-8 "$models/steering.yaml"
is_json 'json'
for key in version host conditions peak meeting_ns counters_missing models; do
    has "json: $key" "  \"$key\": " out
done
for key in model bodies joints rows times workers steps batch median_ns p99_ns p999_ns max_ns cpu_ns \
    ns_per_joint instructions cycles speed_up step_flops peak_share workers_useful memory_bytes; do
    has "json: $key" "\"$key\": " out
done
has 'json: model' '"model": "chain-8", "step_s": 0.001, "bodies": 8, "joints": 8, "rows": 24' out
has 'json: file' '"model": "steering"' out
has 'json: steps' '{"workers": 2, "steps": 50,' out
[ -s err ] && { echo 'FAIL json: something on the standard error'; cat err; failed=1; }

if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
    expect 0 'one processor' taskset -c 0 "$linkage" bench --quick --json four-bar
    has 'one processor' '"meeting_ns": null' out
fi

# a folder is all its models, by name
mkdir folder
cp "$models/pendulum.yaml" "$models/free-body.yaml" folder

expect 0 'folder' "$linkage" bench --quick --json folder
[ "$(sed -n 's/.*"model": "\([^"]*\)".*/\1/p' out | tr '\n' ' ')" = 'free-body pendulum ' ] ||
    { echo 'FAIL folder: not its two models by name'; cat out; failed=1; }
mkdir empty
expect 1 'empty folder' "$linkage" bench --quick empty
has 'empty folder' 'there is no model in this folder' err

# refusals: one line, status 1, and no half JSON
sed 's/mass: 1.0/mass: -1.0/' "$models/pendulum.yaml" >bad.yaml
expect 1 'bad model' "$linkage" bench --quick --json bad.yaml
has 'bad model' 'bad.yaml:11:11: mass is -1.0' err
[ "$(wc -l <err)" -eq 1 ] && ! [ -s out ] || { echo 'FAIL bad model: not one line'; failed=1; }
expect 1 'no file' "$linkage" bench --quick none.yaml
has 'no file' 'none.yaml: cannot be read' err
sed 's/angular_velocity: .*//; s/position: .*/&\n    angular_velocity: [0, 0, 4000]/' \
    "$models/pendulum.yaml" >fast.yaml
expect 1 'too fast' "$linkage" bench --quick fast.yaml
has 'too fast' 'more than half a turn' err
if [ -c /dev/full ]; then
    "$linkage" bench --quick --json four-bar >/dev/full 2>err && { echo 'FAIL full disk'; failed=1; }
    has 'full disk' 'could not be written' err
fi

[ $failed -eq 0 ] && echo 'all as expected'
exit $failed
