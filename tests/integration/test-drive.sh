#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The drive of quickstart with a short script, on endpoints of its own; then a verdict that has to fail.
#
# usage: test-drive.sh LINKAGED LINKAGECTL LINKAGE LINKAGE_PLAYER BUILD SOURCE_ROOT
set -euo pipefail

linkaged=$1 build=$5 root=$6
work=$(mktemp -d)
daemon_pid=

clean_up() {
    [ -z "$daemon_pid" ] || { kill -KILL "$daemon_pid" 2>/dev/null && wait "$daemon_pid" 2>/dev/null; } || true
    rm -rf "$work"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*"
    tail -n 30 "$work/table.txt" "$work/linkaged.log" 2>/dev/null || true
    exit 1
}

port=$(python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
sed -e "s|^record:.*|record: {directory: $work, autostart: true}|; s|5610|$port|; s|silent: 1|silent: 8|" \
    -e "s|^budget:.*|budget: {steps: 1000, share: 0.95}|" "$root/tools/drive/linkaged.yaml" >"$work/linkaged.yaml"
cat >>"$work/linkaged.yaml" <<YAML
endpoints: {control: "ipc://$work/control", inputs: "ipc://$work/inputs", outputs: "ipc://$work/outputs"}
realtime: {degraded: allow, priority: 0, core: none}
watchdog: {time: 60}
YAML
cat >"$work/script.csv" <<'CSV'
time [s],steer [rad],throttle [1],brake [1]
0,0,0,0
0.2,0,1,0
3,0.02,1,0
3.4,0,0,0.6
7,0,0,0.6
CSV

"$linkaged" --check --config "$work/linkaged.yaml" >"$work/linkaged.log" || fail "the configuration is refused"
grep -q 'surge' "$work/linkaged.log" || fail "no transfer of the washout"
"$linkaged" --config "$work/linkaged.yaml" >"$work/linkaged.log" 2>&1 &
daemon_pid=$!
python3 -B "$root/tools/drive/drive.py" "$build" "$work" "$work/script.csv" "$port" "ipc://$work/control" \
    "ipc://$work/inputs" "ipc://$work/outputs" >"$work/table.txt" || fail "the drive failed"
grep -qx 'all held' "$work/table.txt" || fail "no verdict"
[ "$(grep -c 'every bit the same' "$work/table.txt")" = 2 ] || fail "no replay of car and platform"
# the recording with the same washout, and with one that is felt less
"$3" washout "$work"/*.mcap -c "$work/linkaged.yaml" -o "$work/felt.csv" >"$work/washout.txt" || fail "linkage washout"
grep -q '^felt *surge error 0' "$work/washout.txt" || fail "nothing felt: $(cat "$work/washout.txt")"
head -n 1 "$work/felt.csv" | grep -q '^time \[s\],surge.cue \[m/s^2\],surge.felt' || fail "no curves of what is felt"

# the recording for MATLAB, and for tools of cars
for end in csv mat mf4; do "$3" export "$work"/*.mcap -o "$work/outputs.$end" || fail "export to $end"; done
python3 -B "$root/tests/integration/check-mat.py" "$work/outputs.mat" "$work/outputs.csv" || fail "MAT-file"
python3 -B "$root/tests/integration/check-mdf.py" "$work/outputs.mf4" "$work/outputs.csv" || fail "MDF"

# the same recording against legs that are shorter, and a car that rolls on
python3 -B - "$root" "$build" "$work" <<'PYTHON'
import pathlib, sys
sys.path.insert(0, sys.argv[1] + '/tools/drive')
import drive

class Receiver:
    legs, seen, lost = [0] * 6, {}, 0

drive.STROKE, drive.SPEED = 0.1, 0.01
said = drive.judge(drive.Rig(pathlib.Path(sys.argv[2]), [''] * 3), pathlib.Path(sys.argv[3]), Receiver(),
                   {'state': 'fault'}, {'sent': 0, 'seen': 0}, {'limited': 0}).wrong
wanted = ['the driver was not heard', 'the run ended early', 'a leg left its stroke', 'a leg was faster than its limit',
          'the platform got no datagrams']
if said != wanted:
    sys.exit(f'FAILED: {said} instead of {wanted}')
PYTHON
