#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The daemon's conditions for who shows them to people: the table of parts.h, and the same as JSON.

usage: remedies.py CONDITIONS.md REMEDIES.c CONDITIONS.json"""
import json
import re
import sys

conditions, source, page = sys.argv[1:]
with open(conditions, encoding='utf-8') as file:
    rows = re.findall(r'^\| (LK-\d+) \| (\w+) \| (.*?) \| (.*?) \|$', file.read(), re.M)
with open(source, 'w', encoding='utf-8') as file:
    file.write('#include "parts.h"\n\nconst struct lk_remedy lk_remedies[] = {\n')
    for identifier, level, _, remedy in rows:
        word = {'error': 'ERROR', 'warning': 'WARNING'}.get(level, 'INFO')
        file.write(f'    {{"{identifier}", LK_FOXGLOVE_{word}, {json.dumps(remedy)}}},\n')
    file.write('};\nconst size_t lk_n_remedies = sizeof(lk_remedies) / sizeof(*lk_remedies);\n')
with open(page, 'w', encoding='utf-8') as file:
    json.dump({identifier: {'meaning': meaning, 'remedy': remedy} for identifier, _, meaning, remedy in rows}, file)
