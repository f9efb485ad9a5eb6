#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packages of npm, of the versions and hashes of a lock file, in FOLDER/node_modules; once, until the lock file is another.

usage: npm.py NPM SOURCE FOLDER
SOURCE has package.json and package-lock.json. Exit status 1, and one line that says why: they could not be had."""
import pathlib
import shutil
import subprocess
import sys

OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', '--fetch-timeout=20000']
npm, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
lock, done = source / 'package-lock.json', folder / 'done'

if done.exists() and done.read_bytes() == lock.read_bytes():
    sys.exit(0)
folder.mkdir(parents=True, exist_ok=True)
done.unlink(missing_ok=True)
for name in ('package.json', 'package-lock.json'):
    shutil.copy(source / name, folder)
called = subprocess.run([npm, 'ci', *OPTIONS], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
(folder / 'npm.log').write_text(called.stdout + called.stderr, encoding='utf-8')
if called.returncode != 0:
    print(f'npm could not get the packages of {lock}, see {folder}/npm.log; connect to a network')
    sys.exit(1)
shutil.copy(lock, done)
