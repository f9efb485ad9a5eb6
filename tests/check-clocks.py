#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the sources to one clock: what waits, or judges an age or a bound, reads CLOCK_MONOTONIC. The wall clock, which may be
set forward and back, is read only in the files below, each of which shows it, stamps with it or compares it with stamps of the
kernel. No condition variable has the default attributes, whose timed waits are of the wall clock.
Usage: check-clocks.py SOURCE-ROOT
"""
import pathlib
import re
import sys

TREES = ('core', 'daemon', 'laboratory', 'proto', 'tools')
WALL = re.compile(r'CLOCK_REALTIME\b|CLOCK_TAI\b|\btime\((?:NULL|&)|gettimeofday|timespec_get|\bftime\(|'
                  r'PTHREAD_COND_INITIALIZER|pthread_cond_init\([^,]*, NULL\)|\btime\.time\(|datetime\.(?:now|utcnow)|Date\.now')
SHOWN = {
    'daemon/ctl/evidence.c': 'when a run began',
    'daemon/ctl/record.c': 'name of a recording',
    'daemon/io/clock.c': 'stamps of samples, state of the clock',
    'daemon/rec/take.c': 'stamps of a recording',
    'tools/can/can_bus.c': 'age of a frame by the stamp of the kernel, at most a second',
    'tools/client/bench_send.c': 'stamps of samples, on request',
    'tools/gateway/hub.c': 'stamps of messages for viewers',
    'tools/gateway/page/plots.js': 'the end of the plots until a sample has told its time',
    'tools/latency/main.c': 'date of a report',
}


def main():
    root = pathlib.Path(sys.argv[1])
    complaints, seen = [], set()
    for path in sorted(path for tree in TREES for path in (root / tree).rglob('*.*') if path.suffix in ('.c', '.h', '.py', '.js')):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not (found := WALL.search(line)):
                continue
            seen.add(name)
            if name not in SHOWN or 'cond' in found.group().lower():
                complaints.append(f'{name}:{number}: {found.group()}: to wait or to judge take CLOCK_MONOTONIC; what shows the time '
                                  'belongs on the list of check-clocks.py')
    complaints += [f'{name} does not read the wall clock any more: take it off the list' for name in SHOWN if name not in seen]
    print('\n'.join(complaints) or f'{len(seen)} files read the wall clock')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
