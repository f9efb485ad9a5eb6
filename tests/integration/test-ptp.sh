#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The state of the clock, as ptp4l of linuxptp has it, in the status of the daemon: two machines and a cable, as far as
# network namespaces go, one clock that follows the other. Nothing moves this machine's clock (free_running).
#
# usage: test-ptp.sh LINKAGED LINKAGECTL
set -euo pipefail

# shellcheck source=tests/integration/cable.sh
source "$(dirname "$0")/cable.sh"
need 'iproute2, linuxptp and python3' ip ptp4l pmc python3

linkaged=$1 linkagectl=$2
leads=lkl$$ follows=lkf$$
work=$(mktemp -d)
pids=()

clean_up() {
    kill -KILL "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    disconnect "$leads" "$follows"
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 143' TERM INT

fail() {
    echo "FAILED: $*"
    tail -n 20 "$work"/*.log
    exit 1
}

connect "$leads" "$follows"

# start_ptp NAMESPACE OPTION...
start_ptp() {
    local namespace=$1
    shift
    ip netns exec "$namespace" ptp4l -S -m -i veth0 --free_running=1 --logAnnounceInterval=-2 --logSyncInterval=-3 \
        --logMinDelayReqInterval=-3 --uds_address="$work/$namespace" "$@" >"$work/$namespace.log" 2>&1 &
    pids+=($!)
}

# status EXPRESSION: of the answer's fields
status() {
    "$linkagectl" -e "ipc://$work/control" --timeout 60 --json status |
        "$python" -c 'import json, sys; print(eval(sys.argv[1], json.load(sys.stdin)["status"]["ptp"]))' "$1"
}

# await EXPRESSION: until it is true of the answer
await() {
    for ((i = 0; i < 600; i++)); do
        [ "$(status "$1")" != True ] || return 0
        sleep 0.1
    done
    fail "the status does not become: $1"
}

# await_log WORDS: until what the daemon told last of PTP is that; it looks once a second
await_log() {
    for ((i = 0; i < 600; i++)); do
        ! grep -F '[LK-1012] PTP: ' "$work/linkaged.log" | tail -n 1 | grep -q "$1" || return 0
        sleep 0.1
    done
    fail "the log does not end with: $1"
}

printf '%s\n' 'linkaged: 1' 'realtime: {degraded: allow, priority: 0, core: none}' "ptp: {socket: $follows}" \
    "endpoints: {control: \"ipc://$work/control\", inputs: \"ipc://$work/inputs\", outputs: \"ipc://$work/outputs\"}" \
    >"$work/linkaged.yaml"
ip netns exec "$follows" "$linkaged" --config "$work/linkaged.yaml" >"$work/linkaged.log" 2>&1 </dev/null &
pids+=($!)

await 'state == "UNKNOWN" and trouble == "No such file or directory"'
start_ptp "$follows" -s
await 'state == "LISTENING" and not following'
start_ptp "$leads" --priority1=1
await 'state in ("SLAVE", "UNCALIBRATED") and following and offset_ns != 0 and not trouble'

await_log ': [A-Z]*, -*[0-9]* ns from its master'

said=$(ip netns exec "$follows" pmc -u -b 0 -s "$work/$follows" -i "$work/pmc" 'GET TIME_STATUS_NP')
grep -q "gmIdentity *$(status grandmaster)$" <<<"$said" || fail "pmc says otherwise: $said"
shown=$("$linkagectl" -e "ipc://$work/control" --timeout 60 status)
grep -q "^PTP .* ns from its master, grandmaster $(status grandmaster)$" <<<"$shown" || fail "shown: $shown"

kill -KILL "${pids[1]}"
await 'state == "UNKNOWN" and trouble != ""'
await_log ' does not say how the clock is: '
