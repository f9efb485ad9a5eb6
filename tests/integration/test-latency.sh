#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage-latency as it is run, against a real daemon: its files, its exit statuses, what it leaves
# behind when it is interrupted. Never how late anything was.
#
# usage: test-latency.sh LINKAGE_LATENCY LINKAGED JSON_CHECK MODELS-DIRECTORY
set -u

latency=$(realpath "$1")
linkaged=$(realpath "$2")
json_check=$(realpath "$3")
models=$(realpath "$4")

command -v cyclictest >/dev/null || { echo "left out: no cyclictest; install the package rt-tests"; exit 77; }
command -v stress-ng >/dev/null || { echo "left out: no stress-ng; install the package stress-ng"; exit 77; }

dir=$(mktemp -d) || exit 1
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
failed=0
cd "$dir" || exit 1

fail() {
    echo "FAIL $*"
    failed=1
}

# expect STATUS WHAT OPTION...: runs it, output to the files out and err
expect() {
    status=$1 what=$2
    shift 2
    "$latency" --daemon "$linkaged" "$@" >out 2>err
    got=$?
    [ $got -eq "$status" ] && return
    fail "$what: exit status $got instead of $status"
    cat err
    tail -n 5 ./*/linkaged-*.log
}

# has WHAT TEXT FILE
has() {
    grep -qF -- "$2" "$3" && return
    fail "$1: no \"$2\" in $3"
    cat "$3"
}

# Daemons of such a measurement that still live.
alive() { pgrep -f "^$linkaged --config /tmp/linkage-latency-"; }

# ---- command lines ----
expect 0 help --help
has help 'usage: linkage-latency' out
expect 0 version --version
for bad in '--core x' '--rounds 0' '--slice 0' '--wake nap' '--load none,all' '--period 1' \
    '--priority 100' '--seed -1' '--fast' 'extra'; do
    # shellcheck disable=SC2086
    expect 2 "$bad" $bad
done
expect 1 'no daemon' --daemon "$dir/none"
has 'no daemon' 'no such program' err
expect 1 'no model' --model "$dir/none.yaml"
has 'no model' 'No such file' err
printf 'linkage: 1\nname: broken\nbodies: {a: {mass: -1}}\n' >broken.yaml
expect 1 'a broken model' --model broken.yaml --rounds 1 --slice 0.1 --load none --output broken
has 'a broken model' 'broken.yaml:3:' err
expect 1 'another period' --model "$models/four-bar.yaml" --period 2000 --load none --quick \
    --output broken
has 'another period' 'leave --period out' err

# ---- a short measurement: every file is there and means something ----
expect 0 measure --quick --rounds 1 --slice 0.3 --load none --output short
for file in table.txt report.json linkaged-sleep.log linkaged-hybrid.log \
    hist-sleep-none.txt hist-hybrid-none.txt distribution-none.csv; do
    [ -s "short/$file" ] || fail "measure: no $file"
done
# cyclictest itself does not run without the right to a real-time priority
if cyclictest -q -t 1 -l 1 >/dev/null 2>&1; then
    [ -s short/hist-cyclictest-none.txt ] || fail 'measure: no hist-cyclictest-none.txt'
    has measure 'verdict on sleep: no verdict: too little was measured' out
else
    has measure 'cyclictest does not run without the right to SCHED_FIFO' err
fi
if command -v gnuplot >/dev/null; then
    [ -s short/plot.png ] || fail "measure: no plot.png"
fi
"$json_check" <short/report.json || fail 'measure: report.json'
for part in '"method":"sleep"' '"method":"hybrid"' '"kind":"stream-500-hz"' '"kind":"ping-pong"'; do
    grep -q "$part,\"n\":[1-9]" short/report.json || fail "measure: no samples of $part"
done
has measure '# Max Latencies:' short/hist-sleep-none.txt
cmp -s out short/table.txt || fail 'measure: what is printed is not table.txt'
# as many columns everywhere
awk -F, 'NR == 1 {n = NF} NF != n {exit 1}' short/distribution-none.csv || fail 'measure: the CSV'
cat out

# ---- a model of one's own; a verdict is needed to pass the gate ----
expect 1 gate --quick --rounds 1 --slice 0.2 --load none --wake sleep --gate --json \
    --model "$models/pendulum.yaml" --output gate
"$json_check" <out || fail 'gate: the output'
has gate '"accepted":false' out

# ---- a program that is not there is asked for before anything is measured ----
mkdir bin
ln -s "$(command -v cyclictest)" bin/cyclictest
what='no stress-ng'
for load in housekeeping none,core; do
    PATH=$dir/bin "$latency" --daemon "$linkaged" --quick --load $load --output nothing >out 2>err
    got=$?
    [ $got -eq 1 ] || fail "$what: exit status $got"
    has "$what" 'sudo apt install stress-ng' err
    [ ! -s nothing/linkaged-sleep.log ] || fail "$what: something was measured"
done

# ---- a method that fails, at once or later: the others are reported ----
if cyclictest -q -t 1 -l 1 >/dev/null 2>&1; then
    real=$(command -v cyclictest)
    mkdir broken-bin
    for good in 0 1; do
        echo 0 >calls
        cat >broken-bin/cyclictest <<EOF
#!/bin/sh
n=\$(cat "$dir/calls")
echo \$((n + 1)) >"$dir/calls"
[ \$n -lt $good ] && exec "$real" "\$@"
exit 3
EOF
        chmod +x broken-bin/cyclictest
        PATH=$dir/broken-bin:$PATH
        expect 1 "fails after $good" --quick --rounds 2 --slice 0.2 --load none --wake sleep \
            --output "fails-$good"
        PATH=${PATH#*:}
        has "fails after $good" 'cyclictest ended with status 3' err
        [ -s "fails-$good/hist-sleep-none.txt" ] || fail "fails after $good: no histogram of sleep"
        "$json_check" <"fails-$good/report.json" || fail "fails after $good: report.json"
    done
    has 'fails after 0' 'cyclictest is not measured' fails-0/table.txt
    has 'fails after 1' 'load none ended after 1 rounds' fails-1/table.txt
fi

# ---- interrupted after some rounds: they are reported, and nothing is left behind ----
"$latency" --daemon "$linkaged" --quick --rounds 1000 --slice 0.1 --load none,core --wake sleep \
    --output stopped >out 2>err &
pid=$!
i=0
# each round starts and stops the model three times
until [ "$(grep -c RUNNING stopped/linkaged-sleep.log 2>/dev/null)" -ge 14 ] 2>/dev/null; do
    i=$((i + 1))
    [ $i -lt 600 ] || { fail 'interrupted: no rounds within a minute'; break; }
    sleep 0.1
done
alive >/dev/null || fail 'interrupted: no daemon is seen while there is one'
kill -INT $pid
wait $pid
got=$?
pid=
[ $got -eq 0 ] || { fail "interrupted: exit status $got"; cat err; }
has interrupted 'interrupted: what had been measured by then' out
[ -s stopped/hist-sleep-none.txt ] || fail 'interrupted: no histogram'
! alive || fail 'interrupted: a daemon still lives'
exit $failed
