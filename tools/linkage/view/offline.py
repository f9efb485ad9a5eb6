#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `linkage view --html`, or that of `linkage plot`, as a C source: arrays NAME_head and NAME_tail with what comes
before its data, and what behind. Without a script, which the build makes where esbuild and the libraries are, both are empty.

usage: offline.py OUTPUT NAME PAGE.html STYLE.css [SCRIPT.js]
The page has the style at @STYLE@, if there is this word, the script at @SCRIPT@, the data at @DATA@."""
import sys

output, name, page, style, *script = sys.argv[1:]


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def array(part, text):
    data = text.encode() + b'\0'
    rows = ',\n'.join(','.join(map(str, data[at:at + 24])) for at in range(0, len(data), 24))
    return f'const unsigned char {name}_{part}[] = {{\n{rows}}};\nconst size_t {name}_{part}_size = {len(data) - 1};\n'


head = tail = ''
if script:
    words = read(script[0])
    assert '</script' not in words.lower() and '<!--' not in words, f'{script[0]} would end the element that it stands in'
    head, tail = read(page).replace('@STYLE@', read(style)).replace('@SCRIPT@', words).split('@DATA@')
with open(output, 'w', encoding='utf-8') as file:
    file.write('#include <stddef.h>\n\n' + array('head', head) + array('tail', tail))
