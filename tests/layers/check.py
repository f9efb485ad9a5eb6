#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the #include lines of the sources to allowed.txt.

A line of that file names a folder and the folders that it may include, all of which stand above it:
so there is no circle. Reported are an include that is not allowed, an arrow that no file uses any
more, and a source in no folder of the list.
Usage: check.py SOURCE-ROOT ALLOWED
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def read_table(path):
    """folders with what they may include; where headers are looked for; folders open to all"""
    allowed, search, public, complaints = {}, [], [], []
    for line in path.read_text().splitlines():
        folder, *others = line.partition('#')[0].split() or ['']
        if folder == 'search':
            search += others
        elif folder == 'public':
            public += others
        elif folder:
            complaints += [f'{path.name}: {folder} may include {other}, which does not stand above it'
                           for other in others if other not in allowed]
            allowed[folder] = others
    return allowed, search, public, complaints


def layer_of(name, allowed):
    fitting = [folder for folder in allowed if name == folder or name.startswith(folder + '/')]
    return max(fitting, key=len, default=None)


def short(folder):
    return folder.partition('/')[2] or folder


class Finder:
    """The file of ours that an include means; None: a header of the system, or a generated one."""

    def __init__(self, sources, search, allowed):
        self.sources, self.search, self.allowed = sources, search, allowed
        self.by_name = {}
        for name in sources:
            self.by_name.setdefault(name.rpartition('/')[2], []).append(name)

    def find(self, includer, header):
        folder = includer.rpartition('/')[0]
        for place in [folder, *self.search]:
            path = header if place == '.' else f'{place}/{header}'
            if path in self.sources:
                return path
        # by its bare name, in the folders that the build looks through; where several have one of
        # that name, in those that it may look through
        found = self.by_name.get(header, [])
        if len(found) > 1:
            layer = layer_of(includer, self.allowed)
            found = [name for name in found
                     if layer_of(name, self.allowed) in [layer, *self.allowed.get(layer, [])]]
        return found[0] if len(found) == 1 else None


def main():
    root, table = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    allowed, search, public, complaints = read_table(table)
    tops = {folder.partition('/')[0] for folder in allowed}
    sources = {path.relative_to(root).as_posix(): path
               for top in tops for path in (root / top).rglob('*.[ch]')}
    finder = Finder(sources, search, allowed)
    used = set()
    for name, path in sorted(sources.items()):
        layer = layer_of(name, allowed)
        if layer is None:
            complaints.append(f'{name} is in no folder of {table.name}')
            continue
        for header in INCLUDE.findall(path.read_text()):
            target = finder.find(name, header)
            other = layer_of(target, allowed) if target else None
            if other is None or other == layer or other in public:
                continue
            used.add((layer, other))
            if other not in allowed[layer]:
                may = ' '.join(map(short, allowed[layer])) or 'nothing'
                complaints.append(f'{name} includes {target}: {short(layer)} may use {may}')
    for layer, others in allowed.items():
        if not any(layer_of(name, allowed) == layer for name in sources):
            complaints.append(f'{table.name}: {layer} has no sources')
        complaints += [f'{table.name}: no file of {layer} includes {other} any more, take it out'
                       for other in others if (layer, other) not in used]
    if not sources:
        complaints.append(f'{root}: no sources')
    print('\n'.join(complaints) or f'{len(sources)} files, {len(used)} arrows')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
