#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage doctor on this machine, whatever it is: exit status, JSON, refusals; never what it finds.
# The daemon gives the same verdict.
# usage: test-doctor.sh LINKAGE JSON_CHECK LINKAGED LINKAGECTL MODEL
set -u

linkage=$(realpath "$1")
json_check=$(realpath "$2")
dir=$(mktemp -d) || exit 1
linkaged=$(realpath "$3")
linkagectl=$(realpath "$4")
model=$(realpath "$5")
daemon=
trap '[ -z "$daemon" ] || kill "$daemon"; rm -rf "$dir"' EXIT
failed=0
cd "$dir" || exit 1

fail() {
    echo "FAIL $*"
    failed=1
}

# run WHAT ARGUMENT...: the doctor, output to the files out and err; its status to $got, 0 to 2
run() {
    what=$1
    shift
    "$linkage" doctor "$@" >out 2>err
    got=$?
    [ $got -le 2 ] || { fail "$what: exit status $got"; cat err; }
    [ -s err ] && { fail "$what: something on the standard error"; cat err; }
}

# has WHAT TEXT FILE
has() {
    grep -qF -- "$2" "$3" || { fail "$1: no \"$2\" in"; cat "$3"; }
}

# refused WHAT TEXT ARGUMENT...: one line with TEXT, status 3
refused() {
    what=$1 text=$2
    shift 2
    "$linkage" doctor "$@" >out 2>err
    got=$?
    [ $got -eq 3 ] || fail "$what: exit status $got instead of 3"
    [ -s out ] && fail "$what: something on the standard output"
    [ "$(wc -l <err)" -eq 1 ] || { fail "$what: not one line"; cat err; }
    has "$what" "$text" err
}

"$linkage" doctor --probe 0 >out0 2>/dev/null
# status counts: the line before the last says what the exit status says
run 'text' --probe 0.1 --directory .
for id in kernel isolated nohz_full clocksource priority memlock io_uring spin libraries; do
    grep -Eq "^(ok|warn|fail|unknown) +$id " out || { fail "text: no line of $id"; cat out; }
done
case $got in
0) expected=': fit$' ;;
1) expected=': fit with reservations$' ;;
*) expected=': not fit$' ;;
esac
tail -n 2 out | head -n 1 | grep -q "$expected" || { fail "text: status $got, but"; tail -n 2 out; }
case $got in
0 | 1) expected='^the daemon arms$' ;;
*) expected='.' ;;
esac
tail -n 1 out | grep -q "$expected" || { fail "text: status $got, but"; tail -n 1 out; }
[ "$(grep -c '^ *costs:' out)" -eq "$(grep -Ec '^(warn|fail) ' out)" ] || fail 'text: costs missing'
[ "$(grep -c '^ *mend:' out)" -eq "$(grep -Ec '^(warn|fail) ' out)" ] || fail 'text: remedies missing'

run 'json' --json --probe 0.1 --core 0 --priority 70
"$json_check" <out >why || fail "json: $(cat why)"
for text in '"id":"kernel"' '"id":"isolated"' '"id":"nohz_full"' '"id":"clocksource"' \
    '"cores":"0"' '"priority":70' '"counts":{"ok":' '"spins":[{"core":0,'; do
    has 'json' "$text" out
done

run 'quiet' --quiet --probe 0
grep -q '^ok ' out && fail 'quiet: something that is ok'

# what a run lacks: the daemon says so in the same words, and refuses when the doctor says it will
core=$(sed -n 's/^judged *core \([0-9]*\) .*/\1/p' out0)
cat >linkaged.yaml <<EOF
linkaged: 1
endpoints: {control: 'ipc://$dir/c', inputs: 'ipc://$dir/i', outputs: 'ipc://$dir/o'}
realtime: {core: ${core:-0}, share_core: true}
budget: {steps: 1000}
EOF
"$linkaged" --config linkaged.yaml 2>log &
daemon=$!
for _ in $(seq 600); do
    if [ -S c ] || ! kill -0 $daemon 2>/dev/null; then
        break
    fi
    sleep 0.1
done
if [ -n "$core" ] && "$linkagectl" -e "ipc://$dir/c" --timeout 60 load "$model" >said 2>&1; then
    "$linkagectl" -e "ipc://$dir/c" --timeout 60 arm >said 2>&1
    "$linkagectl" -e "ipc://$dir/c" --timeout 60 --json status >answer
    "$linkage" doctor --probe 0 --core "$core" --json >out
    for file in answer out; do
        grep -o '"degraded":\[[^]]*\]' $file >$file.degraded || fail "daemon: nothing in $file"
    done
    cmp -s answer.degraded out.degraded || { fail 'daemon: other words'; cat answer.degraded out.degraded; }
    if grep -qF '"degraded":[]' out; then
        grep -qF 'not fit for real time' said && fail 'daemon: refuses, and the doctor has no reason'
    else
        has 'daemon' 'not fit for real time' said
        has 'daemon' '"daemon_refuses":true' out
    fi
else # another test has the core for itself
    grep -qF ' is taken by ' log || { fail 'daemon: does not serve'; cat log; }
fi

# another root: one that is empty says nothing, good or bad
mkdir empty
run 'root' --root empty
[ $got -eq 0 ] || fail "root: status $got"
has 'root' '0 ok, 0 warn, 0 fail, ' out
mkdir -p hpet/sys/devices/system/clocksource/clocksource0
echo hpet >hpet/sys/devices/system/clocksource/clocksource0/current_clocksource
run 'hpet' --root hpet --quiet
[ $got -eq 2 ] || fail "hpet: status $got"

refused 'core' "not '1-'" --core 1-
refused 'core' "not '3-1'" --core 3-1
refused 'core' "not '1,x'" --core 1,x
refused 'core' "not ''" --core ''
refused 'priority' "not '0'" --priority 0
refused 'priority' "not '1.5'" --priority 1.5
refused 'probe' "not '-1'" --probe -1
refused 'probe' "not '0.001'" --probe 0.001
refused 'root' "not '/nowhere'" --root /nowhere
refused 'option' 'unrecognized option' --fast
refused 'argument' "not 'now'" now

# a full disk is a failure, and never less than what was found
if [ -c /dev/full ]; then
    "$linkage" doctor --probe 0 >/dev/full 2>err
    got=$?
    [ $got -eq 1 ] || [ $got -eq 2 ] || fail "full disk: status $got"
    has 'full disk' 'could not be written' err
fi

[ $failed -eq 0 ] && echo 'all as expected'
exit $failed
