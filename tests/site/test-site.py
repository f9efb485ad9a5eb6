#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the site, with warnings as errors: links and anchors that lead nowhere, pages that no list has. Then searches it
from disk in a headless Chromium.

usage: test-site.py ROOT OUTPUT VERSION [PROGRAM]...
"""
import html
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

# what a reader searches for, and a page that has to be among the first so many
SEARCHES = (
    ('fault_in_a_row', 1, 'doc/reference/cycle'),           # a key of the configuration
    ('joint-spring-damper', 5, 'doc/reference/forces'),     # a type of a model
    ('extrapolate', 2, 'doc/reference/fail-safes'),
    ('lk_system_step', 1, 'headers/linkage-linkage'),       # a function
    ('--allow-degraded', 9, 'man/linkagectl.1'),            # an option
    ('coming simscape', 1, 'doc/coming-from-simulink'),
)
root, output, version, *programs = sys.argv[1:]
faults = []


def skip(why):
    print(f'left out: {why}')


def build():
    sphinx = shutil.which('sphinx-build')
    known = sphinx and subprocess.run(['/usr/bin/python3', '-c', 'import myst_parser, furo'], capture_output=True).returncode == 0
    if not known:
        skip('the site of the documents: apt-get install python3-sphinx python3-myst-parser furo')
        sys.exit(77)
    run = subprocess.run([sys.executable, '-B', f'{root}/doc/site/build.py', root, output, version, sphinx, *programs],
                         capture_output=True, text=True)
    said = (run.stdout + run.stderr).strip()
    if run.returncode != 0 or said:
        faults.append(f'the site is not built without a word: {said}')


def found(chromium, words):
    """pages that the search has for @words, best first"""
    address = pathlib.Path(output, 'html/search.html').resolve().as_uri() + '?q=' + urllib.parse.quote(words)
    page = subprocess.run([chromium, '--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=10000', '--dump-dom',
                           address], capture_output=True, text=True, timeout=120).stdout
    return [html.unescape(link) for link in re.findall(r'<a href="([^"]*?)\.html[^"]*" data-score', page)]


def search():
    chromium = shutil.which('chromium')
    if not chromium:
        skip('the search of the site: apt-get install chromium')
        return
    for words, first, page in SEARCHES:
        pages = found(chromium, words)
        print(f'{words}: {len(pages)} pages, {" ".join(pages[:4])}')
        if page not in pages[:first]:
            faults.append(f'{words}: {page} is not among the first {first}: {pages}')


build()
if not faults:
    search()
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
