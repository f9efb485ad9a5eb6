#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage doctor on this machine, whatever it is: exit status, JSON, refusals; never what it finds.
# usage: test-doctor.sh LINKAGE JSON_CHECK
set -u

linkage=$(realpath "$1")
json_check=$(realpath "$2")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
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

# status counts: the last line says what the exit status says
run 'text' --probe 0.1 --directory .
for id in kernel isolated nohz_full clocksource priority memlock io_uring spin libraries; do
    grep -Eq "^(ok|warn|fail|unknown) +$id " out || { fail "text: no line of $id"; cat out; }
done
case $got in
0) expected=': fit$' ;;
1) expected=': fit with reservations$' ;;
*) expected=': not fit$' ;;
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
