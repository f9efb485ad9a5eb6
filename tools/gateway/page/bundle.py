#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One file of our modules and of the two libraries that they use, with the licenses of these on its top.

usage: bundle.py ESBUILD JAVASCRIPT-FOLDER ENTRY.js OUTPUT.js
JAVASCRIPT-FOLDER is where Debian's packages libjs-three and libjs-dygraphs are, /usr/share/javascript. Nothing is fetched."""
import pathlib
import re
import subprocess
import sys

esbuild, folder, entry, output = sys.argv[1:]
folder = pathlib.Path(folder)
MODULES = {'three': 'three/build/three.module.js', 'orbit-controls': 'three/examples/jsm/controls/OrbitControls.js',
           'dygraphs': 'dygraphs/index.js'}
# name: (file that says its version, pattern of it, who has the copyright)
LIBRARIES = {
    'three': (MODULES['three'], r"var REVISION = '(\d+)", 'Copyright 2010-2019 three.js authors'),
    'dygraphs': ('dygraphs/src/dygraph.js', r'Dygraph\.VERSION = ["\']([0-9.]+)',
                 'Copyright 2006-2023 Dan Vanderkam, Paul Felix, Robert Konigsberg, David Eberlein, Google, Inc., '
                 'mirabilos, Petr Shevtsov'),
}
LICENSE = """The MIT License

{}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""


def run_esbuild(*options):
    aliases = [f'--alias:{name}={folder / path}' for name, path in MODULES.items()]
    subprocess.run([esbuild, entry, '--bundle', '--format=esm', '--minify', '--charset=utf8', '--legal-comments=none',
                    '--log-level=warning', *aliases, f'--outfile={output}', *options], check=True)


def write_license(name):
    path, pattern, holders = LIBRARIES[name]
    version = re.search(pattern, (folder / path).read_text(encoding='utf-8'))[1]
    return f'{name} {version}\n\n' + LICENSE.format(holders)


run_esbuild()
text = pathlib.Path(output).read_text(encoding='utf-8')
used = [name for name, mark in (('three', 'WebGLRenderer'), ('dygraphs', 'dygraph')) if mark in text]
run_esbuild('--banner:js=/* Made of modules of linkaged, Apache-2.0, and of these libraries:\n\n'
            + '\n\n'.join(map(write_license, used)) + '\n*/')
