#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example benches that push back, one after the other on one daemon: the ball meets their wall.
#
# usage: test-impedance.sh LINKAGED LINKAGECTL MODEL EXAMPLE...
# EXAMPLE is a command, such as "/usr/bin/python3 impedance.py".
set -euo pipefail

linkaged=$1 linkagectl=$2 model=$3
shift 3
work=$(mktemp -d)
daemon_pid=

clean_up() {
    [ -z "$daemon_pid" ] || kill -KILL "$daemon_pid" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*"
    tail -n 40 "$work"/said "$work"/linkaged.log
    exit 1
}

endpoints=("ipc://$work/control" "ipc://$work/inputs" "ipc://$work/outputs")
ctl() { "$linkagectl" --endpoint "${endpoints[0]}" --outputs "${endpoints[2]}" --timeout 20 "$@"; }
printf '%s\n' 'linkaged: 1' \
    "endpoints: {control: \"${endpoints[0]}\", inputs: \"${endpoints[1]}\", outputs: \"${endpoints[2]}\"}" \
    'realtime: {degraded: allow, priority: 0, core: none}' 'budget: {steps: 1000}' \
    'overrun: {fault_in_a_row: 0, fault_in_window: 0}' 'watchdog: {time: 60}' >"$work/linkaged.yaml"
"$linkaged" --config "$work/linkaged.yaml" >"$work/linkaged.log" 2>&1 </dev/null &
daemon_pid=$!
# a proof on a busy machine may not pass: it is asked for again
for i in $(seq 20); do
    ! ctl run "$model" >"$work/said" 2>&1 || break
    [ "$i" -lt 20 ] || fail "no run"
done
for example in "$@"; do
    for seconds in 1.5 5 20 0; do # once a half second, if the machine has time for it
        [ $seconds != 0 ] || fail "$example: no wall"
        # from the start: a bench that was late may have taken the ball's energy, and it comes there no more
        ctl stop >"$work/said" 2>&1 || fail "no stop"
        ctl start >"$work/said" 2>&1 || fail "no start"
        # shellcheck disable=SC2086 # a command and its argument
        ! $example "$seconds" "${endpoints[@]}" >"$work/said" 2>&1 </dev/null || break
    done
    grep -Eq '^touched [1-9][0-9]* times, deepest [0-9.]+ mm' "$work/said" || fail "$example"
    cat "$work/said"
done
ctl inputs >"$work/said"
grep -q "no bench has claimed" "$work/said" || fail "a claim was left behind"
ctl shutdown >/dev/null
wait "$daemon_pid" || fail "the daemon ended with status $?"
daemon_pid=
