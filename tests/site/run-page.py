#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a document as a reader pastes them: all blocks marked sh, in their order, in one shell, in a folder
that looks like a clone with its build. Blocks marked python run as programs. Each command has to succeed. A block
marked text is what the block before it prints: its lines occur in that order among the lines printed; ... stands for
anything. A model or a configuration to paste is there as NAME.yaml or rig.yaml.

Programs and the Python module of the build are found as if they were installed. The commands have a network of their
own, so that a daemon finds its usual ports free, and no real-time priority.

usage: run-page.py [--prepare COMMAND] ROOT BUILD PAGE
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

PATIENCE_S = 240
MARK = '@@ block '
IN_NETWORK = """
import fcntl, os, socket, struct, subprocess, sys
subprocess.run(['mount', '-t', 'sysfs', 'sysfs', '/sys'], stderr=subprocess.DEVNULL)
with socket.socket() as s: # SIOCSIFFLAGS: IFF_UP | IFF_RUNNING of lo
    fcntl.ioctl(s, 0x8914, struct.pack('16sH14x', b'lo', 0x41))
os.execvp(sys.argv[1], sys.argv[1:])
"""

parser = argparse.ArgumentParser()
parser.add_argument('--prepare', default='')
parser.add_argument('paths', nargs=3, type=pathlib.Path)
arguments = parser.parse_args()
root, build, page = (path.resolve() for path in arguments.paths)


def skip(why):
    print(f'left out: {why}')
    sys.exit(77)


def own_network():
    """the command that runs another one in a network of its own, with a loopback. Daemons there have no right to real-time
    priority, and a /sys of their own, on which the locks of cores are: those of several tests do not contend for cores"""
    command = ['unshare', '--map-root-user', '--net', '--mount', sys.executable, '-c', IN_NETWORK]
    if subprocess.run([*command, 'true'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        skip('commands of documents: they need a network of their own, which unshare --map-root-user --net --mount does not give here')
    return command


def blocks(text):
    """(language, text, line) of each block between fences"""
    for match in re.finditer(r'^```(\w+)\n(.*?)^```$', text, re.M | re.S):
        yield match.group(1), match.group(2), text.count('\n', 0, match.start()) + 2


def script(parts):
    out = f'set -euo pipefail\ntrap "kill \\$(jobs -p) 2>/dev/null || true" EXIT\n{arguments.prepare}\n'
    for language, text, line in parts:
        if language in ('sh', 'python'):
            out += f'echo; echo "{MARK}{line}"\n'
            out += text if language == 'sh' else f"python3 - <<'PYTHON'\n{text}PYTHON\n"
    return out


def missing_line(expected, said):
    """the first line of @expected that does not follow in @said"""
    said = iter(said.splitlines())
    for line in expected.splitlines():
        pattern = '.*'.join(re.escape(part) for part in line.strip().split('...'))
        if not any(re.fullmatch(pattern, other.strip()) for other in said):
            return line
    return None


def lay_out(work, parts):
    """a clone: what commands write stays here; and the files that the page shows"""
    for entry in root.iterdir():
        if entry.name not in ('config', 'build') and not entry.name.startswith('.'):
            (work / entry.name).symlink_to(entry)
    shutil.copytree(root / 'config', work / 'config')
    (work / 'build').symlink_to(build)
    for language, text, _ in parts:
        if language == 'yaml' and re.match(r'linkaged?: 1\b', text):
            name = re.search(r'^name: (\S+)', text, re.M)
            (work / f'{name.group(1) if name else "rig"}.yaml').write_text(text, encoding='utf-8')
    (work / '.bin').mkdir()
    (work / '.bin/python3').symlink_to(sys.executable)


def main():
    parts = list(blocks(page.read_text(encoding='utf-8')))
    network = own_network()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        lay_out(work, parts)
        programs = [f'{build}/{folder}' for folder in ('daemon', 'tools/linkage', 'tools/linkagectl')]
        environment = dict(os.environ, PATH=':'.join([f'{work}/.bin', *programs, os.environ['PATH']]), MPLBACKEND='Agg',
                           PYTHONDONTWRITEBYTECODE='1',
                           LD_LIBRARY_PATH=':'.join(str(build / f) for f in ('core/library', 'core/analysis', 'tools/client')),
                           PYTHONPATH=str(build / 'tools/python'))
        process = subprocess.Popen([*network, 'bash', '-c', script(parts)], cwd=work, env=environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            said, _ = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            said = None
        try:
            os.killpg(process.pid, signal.SIGKILL)  # a daemon that is left
        except ProcessLookupError:
            pass
        if said is None:
            said = process.communicate()[0] + f'\nno end after {PATIENCE_S} s'
    print(said)
    faults = [] if process.returncode == 0 else [f'a command ended with status {process.returncode}']
    by_line = dict(re.findall(rf'^{MARK}(\d+)\n(.*?)(?=^{MARK}|\Z)', said, re.M | re.S))
    last = None
    for language, text, line in parts:
        if language in ('sh', 'python'):
            last = line
        elif language == 'text' and last is not None:
            missing = missing_line(text, by_line.get(str(last), ''))
            if missing:
                faults.append(f'line {line}: the commands before do not print: {missing}')
    for fault in faults:
        print(f'{page.relative_to(root)}: {fault}')
    return 1 if faults or not parts else 0


sys.exit(main())
