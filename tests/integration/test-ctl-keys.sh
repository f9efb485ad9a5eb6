#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# linkagectl with keys: it gets in with the right ones, and says what is wrong with others.
#
# usage: test-ctl-keys.sh LINKAGED LINKAGECTL
set -euo pipefail

linkaged=$(realpath "$1") linkagectl=$(realpath "$2")
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
    tail -n 20 "$work/out" "$work/log" 2>/dev/null
    exit 1
}

# ask OPTIONS...: the exit status is in $status.
ask() {
    status=0
    "$linkagectl" --endpoint "ipc://$work/control" --outputs "ipc://$work/outputs" --timeout 60 "$@" \
        >"$work/out" 2>&1 || status=$?
}
# expect STATUS WORDS OPTIONS...: the exit status, and what is said. A daemon that has no processor for as
# long as it is asked is silent, says linkagectl, and so it is: it is asked again.
expect() {
    local wanted=$1 words=$2 status try
    shift 2
    for ((try = 0; try < 60; try++)); do
        ask "$@"
        grep -q 'something takes connections' "$work/out" || break
    done
    [ "$status" -eq "$wanted" ] || fail "exit status $status instead of $wanted: $*"
    grep -q -- "$words" "$work/out" || fail "no '$words': $*"
}

cd "$work"
"$linkagectl" keygen server server.key >/dev/null
"$linkagectl" keygen client ops --role control . | tail -n 1 >clients
"$linkagectl" keygen client guest --role read . | tail -n 1 >>clients
"$linkagectl" keygen client stranger --role control . >/dev/null
printf '%s\n' 'linkaged: 1' 'realtime: {degraded: allow, priority: 0, core: none}' 'watchdog: {time: 60}' \
    "endpoints: {control: \"ipc://$work/control\", inputs: \"ipc://$work/inputs\", outputs: \"ipc://$work/outputs\"}" \
    'security: {secret_key: server.key, clients: clients}' >linkaged.yaml
"$linkaged" --config linkaged.yaml >log 2>&1 </dev/null &
daemon_pid=$!

expect 0 '^state *empty' --server-key server.key.pub --key ops.key status
expect 0 '"role":"read"' --server-key server.key.pub --key guest.key status --json
expect 1 'role' --server-key server.key.pub --key guest.key shutdown
expect 3 'refused the key of this client' -t 1 --server-key server.key.pub --key stranger.key status
expect 3 'wants keys' -t 1 status
# one that hangs up before it has said why, as a daemon may under load
python3 - "$work/deaf" <<'PYTHON' &
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(64)
while True:
    server.accept()[0].close()
PYTHON
deaf_pid=$!
for ((i = 0; i < 200; i++)); do
    [ ! -S "$work/deaf" ] || break
    sleep 0.05
done
expect 3 'as one that wants keys' --endpoint "ipc://$work/deaf" -t 1 status
expect 3 'is the server key the right one' --endpoint "ipc://$work/deaf" -t 1 \
    --server-key server.key.pub --key ops.key status
kill "$deaf_pid"
expect 3 'server key' -t 1 --server-key ops.key.pub --key ops.key status
expect 2 'belong together' --key ops.key status
for mode in 0644 0640 0604; do
    chmod $mode guest.key
    expect 1 'guest.key: others can read' --server-key server.key.pub --key guest.key status
done
# the stranger and the one without keys; the guest's shutdown
expect 0 '[1-9][0-9]* connections turned away, 1 requests' --server-key server.key.pub --key ops.key status
expect 0 'empty' --server-key server.key.pub --key ops.key shutdown
wait "$daemon_pid" || fail "the daemon ended with status $?"
daemon_pid=
