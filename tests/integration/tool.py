# SPDX-License-Identifier: Apache-2.0
"""What tests of a program in Python share: a folder of their own, the program in it, and checks that go on after a failure."""
import csv
import io
import pathlib
import subprocess
import tempfile


class Tool:
    def __init__(self, program):
        self.program = pathlib.Path(program).resolve()
        self.folder = tempfile.TemporaryDirectory()
        self.here = pathlib.Path(self.folder.name)
        self.failed = 0

    def check(self, what, is_good, note=''):
        if not is_good:
            print(f'FAIL {what}: {note}')
            self.failed = 1

    def run(self, *arguments, status=0):
        """the program in the folder. Return: what subprocess.run() returns"""
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, cwd=self.here)
        self.check(' '.join(map(str, arguments)), done.returncode == status, f'exit status {done.returncode}: {done.stderr}')
        return done

    def write(self, name, text):
        (self.here / name).write_text(text)

    def table(self, name):
        """the rows of a CSV by the names of its columns, without their units"""
        rows = list(csv.reader(io.StringIO((self.here / name).read_text())))
        head = [column.split(' [')[0] for column in rows[0]]
        return [dict(zip(head, map(float, row))) for row in rows[1:]]
