#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run of tests has come to, from meson's log: a line for each test that failed, for each that failed and
passed when it was asked again (`unsteady`: a defect of the product or of the test, to be found, and no finding of
this run), and for each test or part of one that was left out, with why and what to do about it; the last line is two
numbers, passed and failed.

usage: results.py [BUILD/meson-logs/testlog.json [AGAIN.json]]
       results.py --ask-again LOG.json    # names, a line each: of tests that failed, which to ask again"""
import json, os, sys

WORD = 'left out: '
PASSED = ('OK', 'EXPECTEDFAIL')
# A busy machine can mislead a test that waits for something. What only computes has no such excuse, nor has what a
# sanitizer reports; and many failures at a time have another cause.
COMPUTING = ('physics', 'laboratory', 'convergence', 'numbers', 'unit', 'workers', 'fuzz')
REPORTS = ('ThreadSanitizer:', 'ERROR: AddressSanitizer:', ': runtime error:')
LEAK = 'ERROR: LeakSanitizer:'  # a part of a test that fails leaves its memory behind
MOST = 6


def left_out(test):
    """parts of a test that say so, and which: cmocka names each before it runs"""
    part = ''
    for line in (test.get('stdout', '') + '\n' + test.get('stderr', '')).splitlines():
        if line.startswith('[ RUN      ]'):
            part = line.split('] ')[1]
        elif line.startswith(WORD):
            yield f'{part}: {line[len(WORD):]}' if part else line[len(WORD):]


def read(log):
    if not log or not os.path.exists(log):
        return []
    with open(log, encoding='utf-8') as lines:
        return [json.loads(line) for line in lines]


def suite(test):
    """of the name `linkaged:integration / faults`"""
    return test['name'].rsplit(' / ', 1)[0].split(':')[-1]


def may_be_asked_again(test):
    output = test.get('stdout', '') + test.get('stderr', '')
    leaks = LEAK in output and '[  FAILED  ]' not in output
    return suite(test) not in COMPUTING and not leaks and not any(report in output for report in REPORTS)


def ask_again(log):
    failed = [test for test in read(log) if test['result'] not in PASSED + ('SKIP',)]
    if len(failed) <= MOST:
        for name in sorted({test['name'].rsplit(' / ', 1)[1] for test in failed if may_be_asked_again(test)}):
            print(name)


def passed_again(log):
    """names of the tests whose every run in this log passed"""
    results = {}
    for test in read(log):
        results.setdefault(test['name'], []).append(test['result'] in PASSED)
    return {name for name, passes in results.items() if all(passes)}


def report(log, again=None):
    passed = failed = 0
    second = passed_again(again)
    tests = read(log)
    if not tests:
        sys.exit(1)
    for test in tests:
        result, reasons = test['result'], list(left_out(test))
        passed += result in PASSED
        if result == 'SKIP' and not reasons:
            reasons = ['gives no reason']
        for reason in reasons:
            print(f'{WORD}{test["name"]}: {reason}')
        if result in PASSED + ('SKIP',):
            continue
        if test['name'] in second and may_be_asked_again(test):
            passed += 1
            print(f'unsteady: {test["name"]}: {result}, and passed when it was asked again, alone')
        else:
            failed += 1
            print(f'failed: {test["name"]}: {result}')
    print(passed, failed)


if sys.argv[1:2] == ['--ask-again']:
    ask_again(sys.argv[2])
else:
    report(*(sys.argv[1:3] or ['build/meson-logs/testlog.json']))
