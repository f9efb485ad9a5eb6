#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the MDF file of linkage export with its CSV: every column, name and unit, the master and the number of rows.

usage: check-mdf.py FILE.mf4 FILE.csv
Read as ASAM MDF 4.1 has it: blocks, links, and data that is transposed and compressed.
"""
import csv, re, struct, sys, time, zlib


class Block:
    """a block at a position: its letters, links and data"""

    def __init__(self, data, at):
        letters, length, n = struct.unpack_from('<4s4xQQ', data, at)
        if at % 8 or not letters.startswith(b'##') or at + length > len(data):
            sys.exit(f'no block at {at}')
        self.kind = letters[2:].decode()
        self.links = [Block(data, link) if link else None for link in struct.unpack_from(f'<{n}Q', data, at + 24)]
        self.data = data[at + 24 + 8 * n:at + length]

    def text(self):
        return self.data.split(b'\0')[0].decode()

    def expect(self, kind):
        if self.kind != kind:
            sys.exit(f'a block {self.kind}, expected {kind}')
        return self


def unpacked(block):
    """the records of a part"""
    kind, way, _, width, size, packed = struct.unpack_from('<2sBBIQQ', block.expect('DZ').data)
    plain = zlib.decompress(block.data[24:24 + packed])
    if kind != b'DT' or way != 1 or len(plain) != size:
        sys.exit(f'a part of {kind}, {way}, {len(plain)} of {size} bytes')
    rows = size // width
    return b''.join(bytes(plain[k * rows + i] for k in range(width)) for i in range(rows)) + plain[rows * width:]


def read(path):
    data = open(path, 'rb').read()
    name, version, _, number = struct.unpack_from('<8s8s8s4xH', data)
    if (name, version, number) != (b'MDF     ', b'4.10    ', 410):
        sys.exit(f'head: {name, version, number}')
    sys.setrecursionlimit(10000)
    head = Block(data, 64).expect('HD')
    start_ns, = struct.unpack_from('<Q', head.data)
    if not abs(start_ns / 1e9 - time.time()) < 30 * 86400:
        print(f'the file begins at {start_ns}')
    history, group = head.links[1].expect('FH'), head.links[0].expect('DG')
    if '<tool_id>' not in history.links[1].expect('MD').text() or group.links[0] is not None:
        sys.exit('history, or a second group')
    _, cycles, flags, record, invalid = struct.unpack_from('<QQHxx4xII', group.links[1].expect('CG').data)
    lists = group.links[2].expect('HL').links[0].expect('DL')
    same, count, part = struct.unpack_from('<B3xIQ', lists.data)
    parts = [unpacked(block) for block in lists.links[1:]]
    if same != 1 or count != len(parts) or flags or invalid or any(len(one) != part for one in parts[:-1]):
        sys.exit('the list of the parts')
    records = b''.join(parts)
    if len(records) != cycles * record:
        sys.exit(f'{len(records)} bytes of {cycles} records of {record}')
    columns, masters, channel = {}, [], group.links[1].links[1]
    while channel is not None:
        kind, sync, form, _, offset, bits = struct.unpack_from('<BBBBII', channel.expect('CN').data)
        if (form, bits, len(channel.data)) != (4, 64, 72):
            sys.exit(f'a channel of {form, bits, len(channel.data)}')
        unit = channel.links[6]
        columns[channel.links[2].expect('TX').text()] = (unit.text() if unit else '',
                                                         [struct.unpack_from('<d', records, i * record + offset)[0] for i in range(cycles)])
        masters += [(kind, sync)] if kind else []
        channel = channel.links[0]
    if masters != [(2, 1)]:
        sys.exit(f'masters: {masters}')
    return columns


def main(mdf, table):
    header, *rows = csv.reader(open(table))
    wanted = {re.sub(r' \[.*', '', word): (word.partition(' [')[2][:-1], [float(row[i]) for row in rows]) for i, word in enumerate(header)}
    found = read(mdf)
    if list(found) != list(wanted):
        sys.exit(f'columns {list(found)}, expected {list(wanted)}')
    for name, (unit, values) in wanted.items():
        if found[name][0] != unit or found[name][1] != values and not all(a == b or a != a and b != b for a, b in zip(found[name][1], values, strict=True)):
            sys.exit(f'{name} [{found[name][0]}] differs')
    print(f'{len(found)} columns of {len(rows)} rows')


main(*sys.argv[1:])
