#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results.py: what counts as passed and failed, and which tests are asked again.

usage: check-results.py FOLDER/results.py"""
import json, pathlib, subprocess, sys, tempfile

FAULTS, LINE, BITS = 'linkaged:integration / faults', 'linkaged:integration / line', 'linkaged:physics / bits'


def main(results):
    with tempfile.TemporaryDirectory() as folder:
        def log(name, *tests):
            path = pathlib.Path(folder, name)
            path.write_text(''.join(json.dumps({'name': test, 'result': result, 'stdout': output}) + '\n'
                                    for test, result, output in tests))
            return str(path)

        def lines(*arguments):
            return subprocess.run([sys.executable, results, *arguments], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout.splitlines()

        first = log('first', (FAULTS, 'FAIL', ''), (LINE, 'TIMEOUT', ''), (BITS, 'FAIL', ''), ('linkaged:cli / a', 'OK', ''))
        again = log('again', (FAULTS, 'OK', ''), (LINE, 'FAIL', ''), (BITS, 'OK', ''))
        assert lines('--ask-again', first) == ['faults', 'line']
        assert lines(first)[-1] == '1 3'
        said = lines(first, again)
        assert said[-1] == '2 2' and said[0].startswith(f'unsteady: {FAULTS}: '), said
        assert f'failed: {LINE}: TIMEOUT' in said and f'failed: {BITS}: FAIL' in said, said

        # A sanitizer's finding is one, whatever the next run says.
        race = log('race', (FAULTS, 'FAIL', 'WARNING: ThreadSanitizer: data race'))
        assert lines('--ask-again', race) == [] and lines(race, again)[-1] == '0 1'
        # So is a leak, but not what a part that failed leaves behind.
        leak = log('leak', (FAULTS, 'FAIL', 'ERROR: LeakSanitizer: detected memory leaks'))
        assert lines('--ask-again', leak) == []
        left = log('left', (FAULTS, 'FAIL', '[  FAILED  ] test_end\nERROR: LeakSanitizer: detected memory leaks'))
        assert lines('--ask-again', left) == ['faults']
        # Many failures are not the machine's.
        assert lines('--ask-again', log('many', *((f'linkaged:cli / {i}', 'FAIL', '') for i in range(7)))) == []
        # A part left out is said, and is neither.
        assert lines(log('skip', (LINE, 'SKIP', 'left out: no cable')), again) == [f'left out: {LINE}: no cable', '0 0']
        # Nothing ran.
        assert subprocess.run([sys.executable, results, folder + '/none']).returncode == 1


main(sys.argv[1])
