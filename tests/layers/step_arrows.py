#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the arrows between the files of core/step: what a file includes and whose functions it calls.

A file and its headers count as one, as in MAP.md. Folders stand above each other, see RANKS; an arrow
from a file to one that stands higher goes the wrong way. More of these than LIMIT are an error.
Usage: step_arrows.py SOURCE-ROOT [--list]
"""
import pathlib
import re
import sys

LIMIT = 4
# data and kinematics of a system; what acts on bodies; the two ways to execute a stage; what is read
# of a state; methods, and what a step of any method begins and ends with
RANKS = {'.': 0, 'elements': 1, 'one': 2, 'lanes': 2, 'outputs': 3, 'scripts': 4}

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"step/([^"]+)"', re.M)
DEFINED = re.compile(r'^(?!static)[a-z][\w \t*\n]*?\b(lk_\w+)\([^;{}]*\)\s*\{', re.M)
CALLED = re.compile(r'\b(lk_\w+)\s*\(')


def unit(name):
    return re.sub(r'(_inl)?\.[ch]$', '', name)


def rank(name):
    return RANKS[name.rpartition('/')[0] or '.']


def main():
    root = pathlib.Path(sys.argv[1]) / 'core/step'
    texts = {path.relative_to(root).as_posix(): COMMENT.sub(' ', path.read_text())
             for path in sorted(root.rglob('*.[ch]'))}
    home = {function: unit(name) for name, text in texts.items() if name.endswith('.c')
            for function in DEFINED.findall(text)}
    arrows = set()
    for name, text in texts.items():
        others = [unit(header) for header in INCLUDE.findall(text) if header in texts]
        others += [home[function] for function in CALLED.findall(text) if function in home]
        arrows |= {(unit(name), other) for other in others if other != unit(name)}
    wrong = sorted(arrow for arrow in arrows if rank(arrow[0]) < rank(arrow[1]))
    for a, b in wrong if len(wrong) > LIMIT or '--list' in sys.argv else []:
        print(f'{a} -> {b}')
    print(f'{len({unit(name) for name in texts})} files, {len(arrows)} arrows, {len(wrong)} of them upwards, '
          f'{LIMIT} allowed')
    return 1 if len(wrong) > LIMIT or not arrows else 0


if __name__ == '__main__':
    sys.exit(main())
