#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A manual page of Markdown, by lowdown. In the source stand for others: a line `@HELP PROGRAM` for what that program
says to --help, word for word, and `@SECTION FILE # TITLE` for a part of a document of this tree.

usage: make-page.py LOWDOWN ROOT SOURCE OUTPUT VERSION [PROGRAM]..."""
import os
import re
import subprocess
import sys

lowdown, root, source, output, version, *programs = sys.argv[1:]
programs = {os.path.basename(path): path for path in programs}


def help_of(match):
    run = subprocess.run([programs[match.group(1)], '--help'], capture_output=True, text=True, check=True)
    return '```\n' + run.stdout.rstrip() + '\n```'


def section_of(match):
    """a heading with all below it, as it stands in the document"""
    file, title = match.group(1), match.group(2)
    with open(os.path.join(root, file), encoding='utf-8') as document:
        text = document.read()
    found = re.search(rf'^(#+) {re.escape(title)}\n.*?(?=^\1 |\Z)', text, re.M | re.S)
    if not found:
        sys.exit(f'{source}: there is no heading {title} in {file}')
    return simplify(found.group(0), len(found.group(1)))


def list_of(match):
    """a table as a list: a wide one is not legible on a terminal"""
    head, _, *rows = [[cell.strip().replace('\\|', '|') for cell in re.split(r'(?<!\\)\|', line.strip()[1:-1])]
                      for line in match.group(0).strip().splitlines()]
    text = ''
    for row in rows:
        facts = [f'{name}: {cell}' if name else cell for name, cell in zip(head[1:-1], row[1:-1]) if cell]
        last = row[-1] if len(row) > 1 else ''
        text += f'{row[0] or "-"}\n:   ' + '. '.join(facts + [last] * bool(last) or ['-']) + '\n\n'
    return text


def simplify(text, level):
    """tables as lists; links as their words; headings of a page, whose first level is in capitals. The heading of the
    section is of @level in its document"""
    text = re.sub(r'(?:^ *\|.*\|\n)+', list_of, text, flags=re.M)
    text = re.sub(r'!\[[^\]]*\]\([^)]*\)', '', text)
    text = re.sub(r'\[([^\]]+)\]\([^)]*\)', r'\1', text)
    text = re.sub(rf'^#{{{level}}} (.*)$', lambda m: '# ' + m.group(1).upper(), text, flags=re.M)
    return re.sub(rf'^#{{{level + 1},}} ', '## ', text, flags=re.M)


with open(source, encoding='utf-8') as page:
    text = page.read()
text = re.sub(r'^<!--.*?-->\n', '', text, flags=re.S)
text = re.sub(r'^@HELP (\S+)$', help_of, text, flags=re.M)
text = re.sub(r'^@SECTION (\S+) # (.*)$', section_of, text, flags=re.M)
name, section = os.path.basename(output).rsplit('.', 1)
run = subprocess.run([lowdown, '-s', '-Tman', '--out-no-smarty', '-m', f'title={name.upper()}', '-m', f'section={section}',
                      '-m', f'source=linkaged {version}', '-m', 'volume=linkaged', '-m', 'date='], input=text,
                     capture_output=True, text=True)
if run.returncode != 0:
    sys.exit(run.stderr)
with open(output, 'w', encoding='utf-8') as file:
    file.write(re.sub(r'^\.(S[HS])\n', r'.\1 ', run.stdout, flags=re.M))
