#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run of tests has come to, from meson's log: a line for each test that failed, and for each test or part of
one that was left out, with why and what to do about it; the last line is two numbers, passed and failed.

usage: results.py [BUILD/meson-logs/testlog.json]"""
import json, sys

WORD = 'left out: '


def left_out(test):
    """parts of a test that say so, and which: cmocka names each before it runs"""
    part = ''
    for line in (test.get('stdout', '') + '\n' + test.get('stderr', '')).splitlines():
        if line.startswith('[ RUN      ]'):
            part = line.split('] ')[1]
        elif line.startswith(WORD):
            yield f'{part}: {line[len(WORD):]}' if part else line[len(WORD):]


def main():
    passed = failed = 0
    for line in open(sys.argv[1] if len(sys.argv) > 1 else 'build/meson-logs/testlog.json', encoding='utf-8'):
        test = json.loads(line)
        result, reasons = test['result'], list(left_out(test))
        passed += result in ('OK', 'EXPECTEDFAIL')
        if result == 'SKIP' and not reasons:
            reasons = ['gives no reason']
        for reason in reasons:
            print(f'{WORD}{test["name"]}: {reason}')
        if result not in ('OK', 'EXPECTEDFAIL', 'SKIP'):
            failed += 1
            print(f'failed: {test["name"]}: {result}')
    print(passed, failed)


main()
