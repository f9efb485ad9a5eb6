#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example benches, all at once on one daemon, each with a channel of its own; the daemon is
# killed under them and started again, and they come back by themselves.
#
# usage: test-examples.sh LINKAGED LINKAGECTL EXAMPLE...
# EXAMPLE is a command, such as "/usr/bin/python3 bench.py".
set -euo pipefail

linkaged=$1 linkagectl=$2
shift 2
work=$(mktemp -d)
daemon_pid=
bench_pids=()

clean_up() {
    for pid in $daemon_pid "${bench_pids[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
    done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*"
    for file in "$work"/bench* "$work"/linkaged.log; do
        [ ! -s "$file" ] || { echo "-- $file"; tail -n 40 "$file"; }
    done
    exit 1
}

endpoints=("ipc://$work/control" "ipc://$work/inputs" "ipc://$work/outputs")
ctl() { "$linkagectl" --endpoint "${endpoints[0]}" --outputs "${endpoints[2]}" --timeout 20 "$@"; }

# A link with a motor for each example.
n=$#
{
    printf 'linkage: 1\nname: links\ngravity: [0, -9.81, 0]\nbodies:\n'
    for i in $(seq "$n"); do
        printf '  link%d: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, %d]}\n' "$i" "$i"
    done
    printf 'joints:\n'
    for i in $(seq "$n"); do
        printf '  hinge%d: {type: revolute, bodies: [ground, link%d], point: [0, 0, %d], axis: [0, 0, 1]}\n' \
            "$i" "$i" "$i"
    done
    printf 'inputs:\n'
    for i in $(seq "$n"); do
        printf '  motor%d: {type: joint-torque, joint: hinge%d}\n' "$i" "$i"
    done
    printf 'outputs:\n  angle: {type: joint-position, joint: hinge1}\n'
    printf 'solver: {formulation: ali3, step: 0.002, iterations: 3}\n'
} >"$work/links.yaml"
printf '%s\n' 'linkaged: 1' \
    "endpoints: {control: \"${endpoints[0]}\", inputs: \"${endpoints[1]}\", outputs: \"${endpoints[2]}\"}" \
    'realtime: {degraded: allow, priority: 0, core: none}' 'budget: {steps: 1000}' \
    'watchdog: {time: 60}' >"$work/linkaged.yaml"

start_daemon() {
    "$linkaged" --config "$work/linkaged.yaml" >>"$work/linkaged.log" 2>&1 </dev/null &
    daemon_pid=$!
    # a proof on a busy machine may not pass: it is asked for again
    for _ in $(seq 20); do
        ! ctl run "$work/links.yaml" >"$work/bench-ctl" 2>&1 || return 0
        grep -q "not armed" "$work/bench-ctl" || break
    done
    fail "no run"
}

# Return: whether all of them feed their channels before they end.
fed() {
    local i
    for i in $(seq "$n"); do
        until ctl inputs | grep "^motor$i" | grep -q example; do
            kill -0 "${bench_pids[$((i - 1))]}" 2>/dev/null || return 1
            sleep 0.1
        done
    done
}

# come_back SECONDS: benches that run for so long, are there first, and see two daemons.
# Return: whether that was long enough for all of that; on a busy machine it may not be.
come_back() {
    local i=0 status=0 example
    bench_pids=()
    for example in "${examples[@]}"; do
        i=$((i + 1))
        # shellcheck disable=SC2086 # a command and its argument
        $example "motor$i" "N m" "$1" "${endpoints[@]}" >"$work/bench$i" 2>&1 </dev/null &
        bench_pids+=($!)
    done
    sleep 0.5
    start_daemon
    fed || status=1
    kill -KILL "$daemon_pid"
    wait "$daemon_pid" 2>/dev/null || true
    sleep 0.5
    start_daemon
    for i in $(seq "$n"); do
        wait "${bench_pids[$((i - 1))]}" || status=1
        grep -q '^claims [2-9], round trips [0-9]\{3,\}:' "$work/bench$i" || status=1
    done
    bench_pids=()
    return $status
}

examples=("$@")
for seconds in 12 40 0; do
    [ $seconds -gt 0 ] || fail "an example did not come back"
    ! come_back $seconds || break
    ctl shutdown >/dev/null
    wait "$daemon_pid" || fail "the daemon ended with status $?"
done
for i in $(seq "$n"); do
    tail -n 1 "$work/bench$i"
done
# they gave their channels back, so nobody's input is missed
ctl inputs >"$work/bench-inputs"
grep -q "no bench has claimed" "$work/bench-inputs" || fail "a claim was left behind"
# a last sample may reach the daemon behind the release, which goes another way
grep -Eq "samples refused: (none|[1-3] unknown token)$" "$work/bench-inputs" ||
    fail "samples were refused"

# A unit that is not the channel's is refused at the claim.
for example in "$@"; do
    # shellcheck disable=SC2086
    ! $example motor1 "lbf ft" 1.5 "${endpoints[@]}" >"$work/bench1" 2>&1 </dev/null ||
        fail "$example: a wrong unit passed"
    grep -q "N m" "$work/bench1" || fail "$example: the daemon's words about the unit are not shown"
done
ctl shutdown >/dev/null
wait "$daemon_pid" || fail "the daemon ended with status $?"
daemon_pid=
