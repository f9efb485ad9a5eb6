#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage report: what it says of recordings whose timing is known.
# usage: test-report.sh LINKAGE TIMED-RECORDING
linkage=$(realpath "$1") make=$(realpath "$2") here=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/checks.sh"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# says STATUS KIND TEXT...: report of a recording of this kind, and what is in its page
says() {
    status=$1 kind=$2
    shift 2
    "$make" "$kind" "$kind.mcap" || failed=1
    expect "$status" "$kind" "$linkage" report "$kind.mcap" -o "$kind.html"
    for text in "$@"; do
        has "$kind" "$text" "$kind.html"
    done
}

says 0 met "Every deadline was met." "2000 cycles of 1000 us, 2 s" "<p>None.</p>" '<td class="n">30.0</td><td class="n">3.0 %</td>'
has met "every deadline was met in 2000 cycles" out
says 3 late "It is not shown" "1 of 2000 cycles ended after their period" "the machine woke the thread 1200 us late"
has late "NOT every deadline" out
says 3 long "1 of 2000 cycles" "the computation took 2090 us"
says 3 behind "2 of 2000 cycles" "the cycle before was still running"
says 3 sent "1 of 2000 cycles" "what follows the computation"
says 3 skipped "3 grid points were skipped"
says 3 dropped "7 cycles were not recorded"
says 3 part "the recording has 1500 of 2000 cycles"
says 3 trouble "the recording broke off (the disk is full)"
says 3 cut "the recording is not complete"
says 3 asap "the run was in mode asap, which has no deadlines"
says 0 degraded "reservation: the machine was not fit for real time" "2000 cycles"
says 0 hostile "&lt;b&gt;&amp;x&lt;/b&gt;" "spike on &lt;script&gt;alert(1)&lt;/script&gt;"
grep -q "<script>" hostile.html && { echo "FAIL hostile: a script"; failed=1; }
! command -v gnuplot >/dev/null || grep -q "<svg" met.html || { echo "FAIL met: no picture"; failed=1; }

# columns and times of a recording
expect 0 "a window" "$linkage" export met.mcap -t cycle -c woken_ns --from 0.5 --to 0.504 -n 2
same "a window" "time,woken_ns 0.5,10000 0.502,10000 0.504,10000" "$(tr '\n' ' ' <out | sed 's/0.50[0-9]*1,/0.502,/; s/ $//')"
for again in 1 2; do
    expect 0 "cycles, $again" "$linkage" export met.mcap -t cycle -o cycles.csv
done
expect 0 "a MAT-file" "$linkage" export met.mcap -t cycle -o cycles.mat
expect 0 "what is in it" python3 -B "$here/check-mat.py" cycles.mat cycles.csv
expect 0 "MDF" "$linkage" export met.mcap -t cycle -o cycles.mf4
expect 0 "what is in that" python3 -B "$here/check-mdf.py" cycles.mf4 cycles.csv
expect 0 "MDF of a part" "$linkage" export met.mcap -t cycle -c woken_ns --from 0.5 --to 0.504 -n 2 -o part.mdf
expect 0 "MDF of no row" "$linkage" export met.mcap -t cycle --from 1e6 -o none.mf4
expect 1 "no column" "$linkage" export met.mcap -t cycle -c woken
has "no column" "no column 'woken' in /cycle" err
if command -v gnuplot >/dev/null; then
    expect 0 "a plot" "$linkage" plot met.mcap -t cycle computed_ns -o cycle.svg
    same "a plot" 1 "$(grep -c "<title>computed_ns<" cycle.svg)"
fi

# attachments, and what cannot be
printf 'all <fine>\n' >doctor.txt
printf '\211PNG\r\n\032\nxyz' >plot.png
mkdir latency
printf 'core 1\n' >latency/table.txt
expect 0 "attached" "$linkage" report met.mcap --attach doctor.txt -a plot.png --latency latency -o all.html
has "attached" "all &lt;fine&gt;" all.html
has "attached" "data:image/png;base64,iVBORw0KGgp4eXo=" all.html
has "attached" "Attached: table.txt" all.html
expect 1 "no attachment" "$linkage" report met.mcap --attach none.txt -o none.html
same "no attachment" "" "$(ls none.html 2>/dev/null)"
printf 'a\0b' >binary.bin
expect 1 "binary" "$linkage" report met.mcap --attach binary.bin -o none.html
has "binary" "neither text nor PNG" err
expect 1 "no folder" "$linkage" report met.mcap --latency nowhere -o none.html
expect 1 "itself" "$linkage" report met.mcap -o met.mcap.html --attach met.mcap.html
expect 2 "no ending" "$linkage" report met.mcap -o report.txt
expect 1 "no recording" "$linkage" report doctor.txt
exit $failed
