#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds MAP.md to the tree: each source file of core/, daemon/ and laboratory/ is on it, once, and no other; each
test that it names is there and is built.
Usage: check-map.py SOURCE-ROOT
"""
import pathlib
import re
import sys

TREES = ('core', 'daemon', 'laboratory')
PUBLIC = ('core/include/', 'core/private/', 'laboratory/include/')  # they declare what the files of other folders define


def module(path):
    """a file and its headers count as one: fronts.c, fronts.h, fronts_inl.h"""
    return re.sub(r'(_inl)?\.[ch]$', '', path)


def read_map(path):
    """(module, line, tests) of each row; and what is wrong with the rows"""
    rows, complaints, folder = [], [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith('## '):
            folder = line[3:].strip()
        cells = [cell.strip() for cell in line.strip('|').split('|')] if line.startswith('|') else []
        if len(cells) != 2 or cells[0] in ('files', '---'):
            continue
        tests = re.findall(r'`([^`]+)`', cells[1])
        if folder is None or not tests:
            complaints.append(f'{path.name}:{number}: no folder above it, or no test')
        rows += [(f'{folder}/{name.strip()}', number, tests) for name in cells[0].split(',')]
    return rows, complaints


def is_built(test, root):
    """whether the build of its folder names it, whole or by what follows test_ or fuzz_"""
    folder, name = test.split('/')
    build = (root / 'tests' / folder / 'meson.build').read_text()
    short = re.sub(r'^(test|fuzz)_|\.c$', '', name)
    # a name in a list, or put together of two that are there
    parts = [short[:i] for i in range(1, len(short) + 1) if f"'{short[i:]}'" in build or i == len(short)]
    return name in build or any(f"'{part}'" in build for part in parts)


def main():
    root = pathlib.Path(sys.argv[1])
    rows, complaints = read_map(root / 'tests/MAP.md')
    modules = {module(path.relative_to(root).as_posix()) for tree in TREES
               for path in (root / tree).rglob('*.[ch]')}
    modules = {name for name in modules if not name.startswith(PUBLIC)}
    seen = {}
    for name, number, tests in rows:
        if name not in modules:
            complaints.append(f'MAP.md:{number}: there is no {name}')
        if name in seen:
            complaints.append(f'MAP.md:{number}: {name} is in line {seen[name]} as well')
        seen[name] = number
        for test in tests:
            if not (root / 'tests' / test).is_file():
                complaints.append(f'MAP.md:{number}: there is no test {test}')
            elif not is_built(test, root):
                complaints.append(f'MAP.md:{number}: {test} is not built')
    complaints += [f'MAP.md: {name} is missing; which test covers it?' for name in sorted(modules - set(seen))]
    print('\n'.join(complaints) or f'{len(modules)} modules')
    return 1 if complaints or not modules else 0


if __name__ == '__main__':
    sys.exit(main())
