#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the site of all documents, as HTML that needs neither a network nor a server.

Every *.md of the tree is a page. It stays where it is: a copy of the tree's documents is laid out in OUTPUT/pages,
together with a page for each public header (from its comments) and for each manual page (its words, and what its
program prints for --help; those of programs that are not given are left out), and Sphinx reads that. The site is OUTPUT/html. A warning is an error: a link that leads
nowhere, a page that no list has.

The commands in the documents are run by tests/site.

usage: build.py ROOT OUTPUT VERSION SPHINX-BUILD [PROGRAM]...
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import header_page

FOLDERS = ('config', 'core', 'daemon', 'doc', 'laboratory', 'proto', 'systemd', 'tests', 'tools')
HEADERS = {'core/include/linkage': 'linkage', 'tools/client': 'linkage-client'}  # folder, and where it is installed
root, output = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
version, sphinx, *programs = sys.argv[3:]
programs = {os.path.basename(path): path for path in programs}
pages = output / 'pages'


def write(name, text):
    """a page, left alone if it has not changed: Sphinx then does not read it again"""
    path = pages / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding='utf-8') != text:
        path.write_text(text, encoding='utf-8')
    written.add(path)


def write_document(source, name):
    write(name, site_links(source, name, source.read_text(encoding='utf-8')))


def documents():
    for folder, folders, files in os.walk(root):
        here = pathlib.Path(folder)
        folders[:] = [f for f in folders if not f.startswith(('.', 'build')) and f != 'node_modules'
                      and (here != root or f in FOLDERS)]
        for name in files:
            if here.relative_to(root).as_posix() not in ('doc/man', 'doc/site') and name.endswith(('.md', '.png')):
                yield here / name


def site_links(source, name, text):
    """links of @source as they are in page @name. Links to files that are no pages become names: the site has no sources"""
    def link(match):
        target, mark, anchor = match.group(2).partition('#')
        if re.match(r'[a-z]+:', target) or not target:
            return match.group(0)
        target = os.path.relpath(source.parent / target, root)
        if not target.endswith(('.md', '.png')):
            return f'`{target}`'
        return f'[{match.group(1)}]({os.path.relpath(target, pathlib.Path(name).parent)}{mark}{anchor})'
    return re.sub(r'\[([^\]]*)\]\(([^)\s]+)\)', link, text)


def manual_page(source):
    """the words of the page, with the help of its program; a part of a document becomes a link to it"""
    def help_of(match):
        run = subprocess.run([programs[match.group(1)], '--help'], capture_output=True, text=True, check=True)
        return '```text\n' + run.stdout.rstrip() + '\n```'

    def section(match):
        anchor = re.sub(r'[^\w\- ]', '', match.group(2).lower()).replace(' ', '-')
        return f'- [{match.group(2)}](../{match.group(1)}#{anchor})'
    name, number, _ = source.name.rsplit('.', 2)
    text = re.sub(r'^<!--.*?-->\n', '', source.read_text(encoding='utf-8'), flags=re.S)
    if any(program not in programs for program in re.findall(r'^@HELP (\S+)$', text, flags=re.M)):
        return None
    text = re.sub(r'^(#+ )', r'#\1', text, flags=re.M)
    text = re.sub(r'^@HELP (\S+)$', help_of, text, flags=re.M)
    text = re.sub(r'^@SECTION (\S+) # (.*)$\n?', section, text, flags=re.M)
    return f'# {name}({number})\n\n{text}'


written = set()
pages.mkdir(parents=True, exist_ok=True)
for document in documents():
    name = document.relative_to(root)
    if document.suffix == '.md':
        write_document(document, name)
    else:
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(document, pages / name)
        written.add(pages / name)
for folder, installed in HEADERS.items():
    for header in sorted((root / folder).glob('*.h')):
        text = header.read_text(encoding='utf-8')
        if header_page.is_public(text):
            write(f'headers/{installed}-{header.stem}.rst', header_page.page(f'{installed}/{header.name}', text))
for source in sorted((root / 'doc/man').glob('*.md')):
    if text := manual_page(source):
        write(f'man/{source.stem}.md', text)
write_document(root / 'doc/site/index.md', 'index.md')
for path in pages.rglob('*'):
    if path.is_file() and path not in written:
        path.unlink()
sys.exit(subprocess.run([sphinx, '-q', '-W', '--keep-going', '-b', 'html', '-c', root / 'doc/site', '-d', output / 'doctrees',
                         '-D', f'release={version}', pages, output / 'html']).returncode)
