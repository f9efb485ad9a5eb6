#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `linkage view --html` as a C source: what comes before its data, and what behind. Without a script, which
the build makes where esbuild and three are, there is no page.

usage: offline.py OUTPUT PAGE.html [SCRIPT.js]"""
import sys

output, page, *script = sys.argv[1:]


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def array(name, text):
    data = text.encode() + b'\0'
    rows = ',\n'.join(','.join(map(str, data[at:at + 24])) for at in range(0, len(data), 24))
    return f'const unsigned char {name}[] = {{\n{rows}}};\nconst size_t {name}_size = {len(data) - 1};\n'


head = tail = ''
if script:
    words = read(script[0])
    assert '</script' not in words.lower() and '<!--' not in words, f'{script[0]} would end the element that it stands in'
    head, tail = read(page).replace('@SCRIPT@', words).split('@DATA@')
with open(output, 'w', encoding='utf-8') as file:
    file.write('#include <stddef.h>\n\n' + array('offline_head', head) + array('offline_tail', tail))
