#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the MAT-file of linkage export with its CSV: every column, name and unit.

usage: check-mat.py FILE.mat FILE.csv
Read as the format is documented, and by scipy where it is installed.
"""
import csv
import re
import struct
import sys


def elements(data):
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from('<II', data, at)
        if kind >> 16:                      # a small element has its data in the tag
            yield kind & 0xffff, data[at + 4:at + 4 + (kind >> 16)]
            at += 8
        else:
            yield kind, data[at + 8:at + 8 + size]
            at += 8 + (size + 7) // 8 * 8


def array(data):
    """name and content of an array: numbers, a text, or a dictionary"""
    (_, flags), (_, shape), (_, name), *rest = elements(data)
    name, shape = name.decode(), struct.unpack(f'<{len(shape) // 4}i', shape)
    if flags[0] == 6:
        return name, shape, list(struct.unpack(f'<{len(rest[0][1]) // 8}d', rest[0][1]))
    if flags[0] == 4:
        return name, shape, rest[0][1].decode('utf-16-le')
    (_, size), (_, names), *fields = rest
    size = struct.unpack('<i', size)[0]
    names = [names[i:i + size].rstrip(b'\0').decode() for i in range(0, len(names), size)]
    return name, shape, {n: array(f)[2] for n, (_, f) in zip(names, fields, strict=True)}


def read(path):
    data = open(path, 'rb').read()
    if not data.startswith(b'MATLAB 5.0 MAT-file') or data[124:128] != b'\0\1IM':
        sys.exit('no head of a MAT-file')
    return {name: (shape, content) for name, shape, content in (array(d) for kind, d in elements(data[128:]) if kind == 14)}


def read_by_scipy(path):
    try:
        import scipy.io
    except ImportError:
        return None
    found = {name: value for name, value in scipy.io.loadmat(path).items() if not name.startswith('__')}
    units = found.pop('units')[0, 0]
    return {**{name: (value.shape, list(value.ravel())) for name, value in found.items()},
            'units': ((1, 1), {n: ''.join(units[n]) for n in units.dtype.names})}


def main(mat, table):
    header, *rows = csv.reader(open(table))
    names = [re.sub(r' \[.*', '', word) for word in header]
    units = [word[len(name) + 2:-1] for word, name in zip(header, names)]
    wanted = {re.sub('[^A-Za-z0-9_]', '_', name): ((len(rows), 1), [float(row[i]) for row in rows])
              for i, name in enumerate(names)}
    wanted['units'] = ((1, 1), dict(zip(list(wanted), units)))
    for reader in (read, read_by_scipy):
        found = reader(mat)
        if found is not None and found != wanted:
            sys.exit(f'{reader.__name__}: ' + ', '.join(n for n in {*found, *wanted} if found.get(n) != wanted.get(n)))


main(*sys.argv[1:])
