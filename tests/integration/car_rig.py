# SPDX-License-Identifier: Apache-2.0
"""What the tests of a car with a world around it share: a daemon with its sockets in a folder, programs beside it, the
recording as rows, and a decoder of protobuf that knows no messages."""
import csv, json, pathlib, shutil, struct, subprocess, sys, tempfile, time

PATIENCE_S = 60


class CarRig:
    """with CarRig(...) as rig: everything that was started ends with it"""

    def __init__(self, linkaged, linkagectl, linkage, root):
        self.programs = linkaged, linkagectl, linkage
        self.root = pathlib.Path(root)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix='linkage-car-'))
        self.lines = {name: f'ipc://{self.work}/{name}' for name in ('control', 'inputs', 'outputs')}
        self.endpoints = [word for name, line in self.lines.items() for word in (f'--{name}', line)]
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        shutil.rmtree(self.work, ignore_errors=True)

    def fail(self, text):
        print(f'FAILED: {text}\n' + (self.work / 'log').read_text(encoding='utf-8')[-3000:])
        sys.exit(1)

    def start(self, *command, **more):
        with open(self.work / 'log', 'a', encoding='utf-8') as out:
            self.processes.append(subprocess.Popen([str(word) for word in command], **{'stdout': out, 'stderr': out, **more}))
        return self.processes[-1]

    def end(self, process):
        process.terminate()
        if process.wait(PATIENCE_S) != 0:
            self.fail(f'{process.args[0]} ended with {process.returncode}')

    def ctl(self, *words, may_fail=False):
        done = subprocess.run([self.programs[1], '--endpoint', self.lines['control'], '--timeout', '60', '--json', *map(str, words)],
                              capture_output=True, text=True)
        if done.returncode != 0 and not may_fail:
            self.fail(f'{words}: {done.stdout}{done.stderr}')
        return json.loads(done.stdout.splitlines()[0]) if done.returncode == 0 else None

    def await_that(self, what, test):
        end_s = time.monotonic() + PATIENCE_S
        while not test():
            if time.monotonic() > end_s:
                self.fail(what)
            time.sleep(0.05)

    def start_daemon(self, model, more=''):
        """on a machine as it is: late cycles are no fault"""
        (self.work / 'd.yaml').write_text(f"""linkaged: 1
endpoints: {json.dumps(self.lines)}
model: {model}
realtime: {{core: none, priority: 0, lock_memory: false, degraded: allow}}
overrun: {{fault_in_a_row: 0}}
watchdog: {{time: 60}}
budget: {{steps: 1000}}
record: {{directory: {self.work}, autostart: true}}
{more}
""", encoding='utf-8')
        self.daemon = self.start(self.programs[0], '--config', self.work / 'd.yaml')
        self.await_that('the daemon does not come up', lambda: self.ctl('status', may_fail=True) is not None)

    def begin(self):
        self.await_that('the daemon does not arm', lambda: self.ctl('arm', '--allow-degraded', may_fail=True) is not None)
        self.ctl('start')

    def input(self, channel):
        """what `linkagectl inputs` says of it"""
        return {one['channel']: one for one in self.ctl('inputs')['inputs']}[channel]

    def stop(self):
        """Return: the recording"""
        self.ctl('stop')
        self.ctl('shutdown')
        if self.daemon.wait(PATIENCE_S) != 0:
            self.fail('the daemon ended with an error')
        recording, = self.work.glob('*.mcap')
        return recording

    def rows(self, recording):
        """{step of 1 ms: {column: value}}"""
        subprocess.run([self.programs[2], 'export', recording, '-o', self.work / 'run.csv'], check=True, stdout=subprocess.DEVNULL)
        with open(self.work / 'run.csv', encoding='utf-8') as file:
            return {round(1000 * float(row['time [s]'])): {key.split(' ')[0]: float(value) for key, value in row.items() if value}
                    for row in csv.DictReader(file)}


def decode(data):
    """any message of protobuf: number of the field -> list of values, 64-bit ones as doubles, messages as bytes"""
    fields, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value, = struct.unpack_from('<d', data, at)
            at += 8
        else:
            size = varint()
            value, at = data[at:at + size], at + size
        fields.setdefault(number, []).append(value)
    return fields
