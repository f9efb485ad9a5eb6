#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `linkage view --html` as a C source: what comes before its data, and what behind.

usage: offline.py OUTPUT PAGE.html VIEW.js"""
import sys

output, page, view = sys.argv[1:]


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def array(name, text):
    data = text.encode()
    rows = ',\n'.join(','.join(map(str, data[at:at + 24])) for at in range(0, len(data), 24))
    return f'const unsigned char {name}[] = {{\n{rows}}};\nconst size_t {name}_size = sizeof({name});\n'


head, tail = read(page).split('@DATA@')
tail = tail.replace('@VIEW@', read(view).replace('export class', 'class'))
with open(output, 'w', encoding='utf-8') as file:
    file.write('#include <stddef.h>\n\n' + array('offline_head', head) + array('offline_tail', tail))
