#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Colours of linkage: on a terminal errors are red and warnings yellow; pipes, files, NO_COLOR and TERM=dumb have none.

usage: test-colours.py LINKAGE MODELS"""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

linkage, models = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
RED, YELLOW, GREEN, BOLD, END = '\033[31m', '\033[33m', '\033[32m', '\033[1m', '\033[0m'
WARNED = 'linkage: 1\nname: warned\nbodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\ninputs: {f: {type: body-force, body: a}}\n'
faults = []


def environment(**more):
    return {**{key: value for key, value in os.environ.items() if key != 'NO_COLOR'}, 'TERM': 'xterm', **more}


def on_terminal(*arguments, **more):
    """what a terminal gets, on both streams"""
    master, slave = pty.openpty()
    process = subprocess.Popen([linkage, *map(str, arguments)], stdin=slave, stdout=slave, stderr=slave, env=environment(**more))
    os.close(slave)
    text = b''
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end was closed
            break
        if not part:
            break
        text += part
    process.wait()
    os.close(master)
    return text.decode().replace('\r\n', '\n')


def in_pipe(*arguments):
    done = subprocess.run([linkage, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
    return done.stdout.decode()


def expect(what, is_good, text):
    if not is_good:
        faults.append(f'{what}: {text!r}')


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pathlib.Path('warned.yaml').write_text(WARNED, encoding='utf-8')
    text = on_terminal('check', 'warned.yaml')
    expect('a warning of check', f'{YELLOW}[input-without-limits]{END} ' in text, text)
    text = on_terminal('runn')
    expect('an error', text.startswith(f'{RED}linkage: ') and text.endswith(f'{END}\n'), text)
    text = on_terminal('plot', 'nowhere.csv')
    expect('an error', text.startswith(f'{RED}linkage: nowhere.csv: '), text)
    text = on_terminal('run', models / 'mass-spring.yaml', '-d', '0.01', '-w', '2')
    expect('a warning of run', text.startswith(f'{YELLOW}linkage: --workers 2 has no effect'), text)
    text = on_terminal('doctor', '--root', '.')
    expect('a verdict', 'unknown' in text and f'{RED}fail' not in text, text)
    text = on_terminal('bench', '--steps', '50', 'chain-2')
    expect('a table', f'{BOLD}time [us a step]' in text, text)
    for words in (['bench', '--time', '0.7', 'chain-2', 'chain-3'], ['doctor', '--probe', '1.6']):
        text = on_terminal(*words)
        expect('progress', ' s left ' in text and '\r\033[K' in text, text)
        expect('progress in a pipe', 's left' not in in_pipe(*words), words)
    for words in (['check', 'warned.yaml'], ['runn'], ['run', models / 'mass-spring.yaml', '-d', '0.01', '-w', '2'],
                  ['doctor', '--probe', '0'], ['bench', '--steps', '50', 'chain-2']):
        expect('a pipe', '\033' not in in_pipe(*words), in_pipe(*words))
        for more in ({'NO_COLOR': '1'}, {'TERM': 'dumb'}):
            expect(f'{more}', '\033' not in on_terminal(*words, **more), words)
    expect('an empty NO_COLOR is none', RED in on_terminal('runn', NO_COLOR=''), '')
    expect('verdicts', any(color in on_terminal('doctor', '--probe', '0') for color in (RED, YELLOW, GREEN)), '')
    os.chdir('/')
print('\n'.join(faults) or 'good')
sys.exit(1 if faults else 0)
