#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The damper rig, the four posts and the drives of tools/examples on their models: in lockstep, where every number is the
# same each time, and over the streams without a clock.
#
# usage: test-rigs.sh LINKAGED LINKAGECTL PYTHON EXAMPLES MODELS
set -euo pipefail

linkaged=$1 linkagectl=$2 python=$3 examples=$4 models=$5
work=$(mktemp -d)
daemon_pid=
mode=

clean_up() {
    [ -z "$daemon_pid" ] || kill -KILL "$daemon_pid" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*"
    tail -n 40 "$work"/*.log "$work"/*.txt
    exit 1
}

endpoints=("ipc://$work/control" "ipc://$work/inputs" "ipc://$work/outputs")
ctl() { "$linkagectl" --endpoint "${endpoints[0]}" --outputs "${endpoints[2]}" --timeout 60 "$@"; }

# start MODE
start() {
    mode=$1
    printf '%s\n' 'linkaged: 1' "mode: $1" \
        "endpoints: {control: \"${endpoints[0]}\", inputs: \"${endpoints[1]}\", outputs: \"${endpoints[2]}\"}" \
        'realtime: {degraded: allow, priority: 0, core: none}' 'watchdog: {time: 60}' 'inputs: {lease: 60}' >"$work/linkaged.yaml"
    "$linkaged" --config "$work/linkaged.yaml" >>"$work/linkaged.log" 2>&1 </dev/null &
    daemon_pid=$!
}

end() {
    ctl shutdown >/dev/null
    wait "$daemon_pid" || fail "the daemon ended with status $?"
    daemon_pid=
}

# rig SCRIPT MODEL SECONDS
rig() {
    local try
    for try in $(seq 20); do # a busy machine may not let the cycle begin: it is asked for again
        ! ctl run "$models/$2" >"$work/ctl.txt" 2>&1 || break
        [ "$try" -lt 20 ] || fail "no run of $2"
        kill -KILL "$daemon_pid"
        wait "$daemon_pid" 2>/dev/null || true
        start "$mode"
    done
    timeout 200 "$python" "$examples/$1" "$3" "${endpoints[@]}" >"$work/out.txt" 2>&1 </dev/null ||
        fail "$1 ended with status $?"
    cat "$work/out.txt"
    ctl stop >/dev/null
}

# number PATTERN: the number behind it
number() { grep -o "$1 [0-9.]*" "$work/out.txt" | head -n 1 | grep -o '[0-9.]*$'; }
# phase NAME WORD: the number behind a word on the line of a phase of a drive
phase() { grep "^$1:" "$work/out.txt" | grep -o "$2 [0-9.]*" | grep -o '[0-9.]*$'; }
# is VALUE LOW HIGH
is() { awk "BEGIN {exit !($1 > $2 && $1 < $3)}" || fail "$1 is not between $2 and $3"; }

start lockstep
rig damper_rig.py damper-rig.yaml 3
is "$(number samples)" 2999 3001
is "$(number stroke)" 15 40     # mm of the damper
is "$(number mount)" 40 90      # near its resonance it goes further than the road
is "$(number took)" 50 250      # J
rig four_post.py four-post.yaml 2
for way in heave pitch roll; do
    grep -q "^$way: samples 2000, body" "$work/out.txt" || fail "no $way"
done
is "$(number 'wheel load')" 1000 2400 # below its load at rest, and on its post
for car in sedan strut-car; do
    rig drive_car.py $car.yaml 6
    [ "$(grep -c '^set off: samples 2400\|^[a-z]*: samples 1800' "$work/out.txt")" = 3 ] ||
        fail "phases of $car"
    is "$(phase 'set off' to)" 4 9       # m/s: 2 to 3 m/s^2
    is "$(phase steer most)" 1 7         # m/s^2 aside, below what the road gives
    is "$(phase steer carry)" 55 95      # % of the weight
    is "$(phase brake to)" -0.001 0.02   # m/s: it stands
    is "$(phase brake in)" 1 8           # m
done
rig drive_car.py iltis.yaml 2
is "$(phase steer samples)" 1999 2001
is "$(phase steer to)" 19.5 20.5
is "$(phase steer most)" 2 7
is "$(phase steer carry)" 60 95
end

start asap
rig damper_rig.py damper-rig.yaml 1
is "$(number samples)" 0 1e6
rig drive_car.py strut-car.yaml 1
is "$(phase 'set off' samples)" 0 1e6
end
