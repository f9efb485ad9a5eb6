#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One file of modules, ours and those of npm, with the licenses of the latter on its top.

usage: bundle.py NODE-MODULES ENTRY.js OUTPUT.js
Style sheets that a module imports are in OUTPUT.css. Only what is used of the packages is in it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

modules, entry, output = (pathlib.Path(word).resolve() for word in sys.argv[1:])
OPTIONS = ['--bundle', '--format=esm', '--minify', '--charset=utf8', '--legal-comments=none', '--log-level=warning']


def run_esbuild(*options):
    subprocess.run([modules / '.bin/esbuild', entry, *OPTIONS, f'--outfile={output}', *options], check=True,
                   env={**os.environ, 'NODE_PATH': str(modules)})


def find_packages():
    """names of the packages of npm that are in the output"""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / 'table.json'
        run_esbuild(f'--metafile={table}')
        inputs = json.loads(table.read_text(encoding='utf-8'))['inputs']
    return sorted({path.split('node_modules/')[1].split('/')[0] for path in inputs if 'node_modules/' in path})


def read_license(name):
    version = json.loads((modules / name / 'package.json').read_text(encoding='utf-8'))['version']
    return f'{name} {version}\n\n' + (modules / name / 'LICENSE').read_text(encoding='utf-8').strip()


words = '\n\n'.join(map(read_license, find_packages()))
banner = '/* Made of modules of linkaged, Apache-2.0, and of these packages of npm:\n\n' + words + '\n*/'
run_esbuild(f'--banner:js={banner}')
