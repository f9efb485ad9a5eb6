#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tools against a real daemon over tcp: linkagectl's answers, exit statuses and JSON, and a short
# run of the demo's bench.
#
# usage: test-demo.sh LINKAGED LINKAGECTL LINKAGE_DEMO JSON_CHECK SOURCE_ROOT
set -euo pipefail

linkaged=$1 linkagectl=$2 linkage_demo=$3 json_check=$4 source_root=$5
model=$source_root/config/models/four-bar.yaml
work=$(mktemp -d)
daemon_pid=

clean_up() {
    if [ -n "$daemon_pid" ]; then
        kill -KILL "$daemon_pid" 2>/dev/null || true
        wait "$daemon_pid" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*"
    for file in out err linkaged.log; do
        [ ! -s "$work/$file" ] || { echo "-- $file"; tail -n 40 "$work/$file"; }
    done
    exit 1
}

# expect STATUS COMMAND...: run, keep both outputs in $work/out and $work/err.
expect() {
    local wanted=$1 status=0
    shift
    "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq "$wanted" ] || fail "exit status $status instead of $wanted: $*"
}

ctl() { "$linkagectl" --endpoint "tcp://127.0.0.1:$port" --timeout 60 "$@"; }
out_has() { grep -q -- "$1" "$work/out" || fail "no '$1' in the output"; }
err_has() { grep -q -- "$1" "$work/err" || fail "no '$1' in the error output"; }
out_is_json() { "$json_check" <"$work/out" || fail "not JSON"; }
listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Three ports in a row that nobody uses, below the range that the system hands out by itself.
port=
for _ in {1..50}; do
    port=$((10000 + RANDOM % 20000))
    if ! listening $port && ! listening $((port + 1)) && ! listening $((port + 2)); then
        break
    fi
done
printf '%s\n' "linkaged: 1" "endpoints:" "  control: tcp://127.0.0.1:$port" \
    "  inputs: tcp://127.0.0.1:$((port + 1))" "  outputs: tcp://127.0.0.1:$((port + 2))" \
    'realtime: {priority: 0, core: none}' 'budget: {share: 0.95}' \
    'overrun: {fault_in_a_row: 0}' 'watchdog: {time: 60}' >"$work/linkaged.yaml"

# ---- nobody there, and wrong command lines ----
expect 3 ctl --timeout 0.2 status
err_has "no daemon answers at tcp://127.0.0.1:$port"
expect 3 ctl --timeout 0.2 --json status
out_is_json
out_has '"result":"no-daemon"'
expect 3 env LINKAGE_ENDPOINT="tcp://127.0.0.1:$port" "$linkagectl" --timeout 0.2 status
err_has "no daemon answers at tcp://127.0.0.1:$port"
expect 0 ctl --version
out_has "linkagectl [0-9]"
expect 0 ctl --help
out_has "exit status"
expect 2 ctl
expect 2 ctl dance
expect 2 ctl set motor
expect 2 ctl --timeout soon status
expect 2 ctl --count 0 watch
expect 2 "$linkagectl" --endpoint nonsense status
expect 2 "$linkage_demo" --duration x

# ---- a daemon without a model ----
"$linkaged" --config "$work/linkaged.yaml" >"$work/linkaged.log" 2>&1 </dev/null &
daemon_pid=$!
expect 0 ctl status
out_has "^state *empty"
expect 1 ctl start
expect 1 ctl watch
expect 1 ctl set motor 1
expect 1 "$linkage_demo" --endpoint "tcp://127.0.0.1:$port" \
    --inputs "tcp://127.0.0.1:$((port + 1))" --outputs "tcp://127.0.0.1:$((port + 2))"

# ---- loading ----
printf 'linkage: 1\nname: broken\nbodies: {a: {mass: -1}}\n' >"$work/broken.yaml"
expect 1 ctl load "$work/broken.yaml"
err_has "broken.yaml:3:"
expect 1 ctl --json load "$work/broken.yaml"
out_is_json
out_has '"result":"bad-model"'
printf 'linkage: 1\nname: broken\nbodies: {a: {mass: -1}, b: {mas: 1}}\n' >"$work/broken.yaml"
expect 1 ctl load "$work/broken.yaml"
err_has "^linkagectl: LK-8005: .*broken.yaml:3:13: "
err_has "^linkagectl: .*broken.yaml:3:29: unknown key 'mas'"
expect 1 ctl --json load "$work/broken.yaml"
out_has '"errors":\[".*broken.yaml:3:13.*",".*did you mean'
sed '/joint-torque/s/, limits:[^}]*}/}/' "$model" >"$work/limitless.yaml"
expect 0 ctl load "$work/limitless.yaml"
out_has 'loaded with 2 warnings'
out_has '^  \[input-without-limits\] input motor: any value of it acts'
expect 0 ctl --json load "$work/limitless.yaml"
out_is_json
out_has '"warnings":\[{"id":"input-without-limits","where":"input motor",'
expect 1 ctl load "$work/missing.yaml"
expect 1 ctl load "$work"
expect 0 ctl load "$source_root/config/models/quarter-car.yaml"
expect 0 ctl --json channels
out_is_json
out_has '"name":"road".*"period_s":0.005[0-9]*,"delay_s":0.01'
expect 0 ctl load "$model"
out_has "ready"
expect 0 ctl --json status
out_is_json
out_has '"state":"ready"'

# ---- a configuration without starting: all that is wrong in it ----
cat >"$work/check.yaml" <<END
linkaged: 1
model: $model
evidence: {directory: $work/none}
record: {directory: $work}
realtime: {priority: 0, core: none}
motion: [{endpoint: 'udp://127.0.0.1:5610', pose: [{channel: tip, component: x}, {channel: tap}]}]
END
expect 1 "$linkaged" --check --config "$work/check.yaml"
err_has "evidence: $work/none: No such file or directory, expected a folder"
mkdir "$work/none"
for key in evidence record snapshots; do # a file is no folder, whatever its rights
	sed "/^$key:/d" "$work/check.yaml" >"$work/file.yaml"
	echo "$key: {directory: $BASH}" >>"$work/file.yaml"
	expect 1 "$linkaged" --check --config "$work/file.yaml"
	err_has "^$key: $BASH: Not a directory, expected a folder that can be written"
done
if [ "$(id -u)" = 0 ]; then # the rights that count are those of who serves
	mkdir -m 700 "$work/private"
	mkdir -m 777 "$work/public"
	chmod 711 "$work"
	for folder in private public; do
		cat >"$work/user-$folder.yaml" <<-END
			linkaged: 1
			privileges: {user: nobody}
			record: {directory: $work/$folder}
			realtime: {priority: 0, core: none}
		END
	done
	expect 1 "$linkaged" --check --config "$work/user-private.yaml"
	err_has "^record: $work/private: Permission denied for user nobody, expected"
	expect 0 "$linkaged" --check --config "$work/user-public.yaml"
fi
expect 1 "$linkaged" --check --config "$work/check.yaml"
err_has "motion: udp://127.0.0.1:5610: model four-bar has no output tap"
sed -i 's/, {channel: tap}//' "$work/check.yaml"
expect 0 "$linkaged" --check --config "$work/check.yaml"
out_has "configuration ok, model four-bar ok"
echo "inputs: {channels: {motr: {timeout: 20, action: ramp}}}" >>"$work/check.yaml"
expect 0 "$linkaged" --check --config "$work/check.yaml"
out_has "inputs: channels: motr: model four-bar has no input of that name, did you mean 'motor'?"
sed -i '/^inputs:/d' "$work/check.yaml"
cat >>"$work/check.yaml" <<END
cueing: {sensor: tip, platform: {type: six-axis, low: -0.2, high: 0.2, speed: 0.4, acceleration: 4}}
END
expect 1 "$linkaged" --check --config "$work/check.yaml"
err_has "cueing: model four-bar has no inertial-sensor 'tip' among its outputs"
sed -i "s|^model:.*|model: ${model/four-bar/quarter-car}|; s/^motion:.*//; s/sensor: tip/sensor: ride/" "$work/check.yaml"
expect 0 "$linkaged" --check --config "$work/check.yaml"
out_has "  surge     1.00    -6 "

# ---- running by hand ----
expect 1 ctl pause
expect 1 ctl set rotor 1
expect 1 ctl set motor 1 2
expect 1 ctl set motor nan
expect 2 ctl set motor one
expect 1 ctl set motor 1e9
err_has "beyond its limits, expected -10 to 10 N m"
expect 0 ctl set motor -1.5e-1
out_has "motor goes to -0.15 N m"
expect 1 ctl start
err_has "arm first"
expect 1 ctl arm
err_has "not fit"
# a proof on a busy machine may not pass: it is asked for again
for _ in {1..20}; do
    ! ctl arm --allow-degraded --steps 3000 >"$work/out" 2>&1 || break
done
out_has "armed: "
expect 0 ctl start
out_has "running"
expect 1 ctl start
err_has "start is not allowed in state RUNNING, stop first"
expect 1 ctl load "$model"
expect 1 ctl run "$model"
err_has "load is not allowed in state RUNNING, stop first"
expect 0 ctl watch --count 3 crank_angle tip
out_has "crank_angle \[rad\]"
out_has "tip.x \[m\]"
[ "$(wc -l <"$work/out")" -eq 4 ] || fail "watch printed no table of three rows"
expect 0 ctl watch -n 2
out_has "crank_rate"
expect 1 ctl watch no_such
err_has "no_such"
expect 0 ctl watch --json --count 200
out_is_json
[ "$(grep -c '"type":"sample"' "$work/out")" -eq 200 ] || fail "watch --json --count 200"
out_has '"type":"description"'
expect 0 ctl pause
out_has "paused"
expect 0 ctl status
out_has "wake-up .*p99"
expect 0 ctl reset
expect 0 ctl set motor 0

# ---- the bench, twice: the second one must not be taken for the first one's stragglers ----
for _ in 1 2; do
    expect 0 "$linkage_demo" --duration 2 --directory "$work" \
        --endpoint "tcp://127.0.0.1:$port" --inputs "tcp://127.0.0.1:$((port + 1))" \
        --outputs "tcp://127.0.0.1:$((port + 2))"
    out_has "bench round trip \[cycles\]"
done
cat "$work/out"
head -n 1 "$work/recording.csv" >"$work/out"
out_has "^time \[s\],crank_angle \[rad\],crank_rate \[rad/s\],coupler_pose.x \[m\]"
out_has "motor \[N m\]"
[ "$(wc -l <"$work/recording.csv")" -gt 100 ] || fail "the recording is too short"
[ "$(wc -l <"$work/latency.csv")" -gt 10 ] || fail "there are no histograms"

# ---- the end ----
expect 0 ctl shutdown
wait "$daemon_pid" || fail "the daemon ended with status $?"
daemon_pid=
expect 3 ctl --timeout 0.2 status
