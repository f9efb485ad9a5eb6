#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of the page as a C source.

usage: embed.py OUTPUT FILE..."""
import os
import sys

TYPES = {'.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json'}
output, *files = sys.argv[1:]


def read(path):
    with open(path, 'rb') as file:
        return file.read()


parts = [('/' + os.path.basename(path), TYPES[os.path.splitext(path)[1]], read(path)) for path in files]
text, table = '#include "page.h"\n\n', ''
for i, (name, kind, data) in enumerate(parts):
    rows = ',\n'.join(','.join(map(str, data[at:at + 24])) for at in range(0, len(data), 24))
    text += f'static const unsigned char file_{i}[] = {{\n{rows}}};\n'
    table += f'    {{"{"/" if name == "/index.html" else name}", "{kind}", file_{i}, sizeof(file_{i})}},\n'
text += f'const struct page_file page_files[] = {{\n{table}}};\n'
text += 'const size_t n_page_files = sizeof(page_files) / sizeof(*page_files);\n'
with open(output, 'w', encoding='utf-8') as file:
    file.write(text)
