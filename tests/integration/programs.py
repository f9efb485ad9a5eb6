# SPDX-License-Identifier: Apache-2.0
"""A daemon of a test's own and programs beside it, each in a process; what fails ends the test."""
import json, pathlib, shutil, signal, socket, subprocess, sys, tempfile, time

PATIENCE_S = 60
# a model that begins; its inputs and outputs are the test's
DRIVEN_ARM = """linkage: 1
name: driven-arm
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}
joints:
  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}
"""


class Programs:
    """a folder, a daemon with endpoints in it, and whatever else is started"""

    def __init__(self, linkaged, linkagectl):
        self.linkaged, self.linkagectl = linkaged, linkagectl
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.processes, self.keys = [], []

    def fail(self, text):
        print(f'FAILED: {text}')
        for log in sorted(self.work.glob('*.log')):
            print(f'---- {log.name}\n{log.read_text()}')
        self.close()
        sys.exit(1)

    def expect(self, what, found, wanted):
        if found != wanted:
            self.fail(f'{what}: {found!r}, expected {wanted!r}')

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.work)

    def start(self, log, *command):
        with open(self.work / log, 'a', encoding='utf-8') as out:
            process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=out)
        self.processes.append(process)
        return process

    def end(self, process, number=signal.SIGTERM):
        process.send_signal(number)
        return process.wait(PATIENCE_S)

    def await_log(self, log, words, n=1):
        end_s = time.monotonic() + PATIENCE_S
        while (self.work / log).read_text().count(words) < n:
            if time.monotonic() > end_s:
                self.fail(f'{log} does not say: {words}')
            time.sleep(0.02)

    def await_true(self, what, question):
        end_s = time.monotonic() + PATIENCE_S
        while not question():
            if time.monotonic() > end_s:
                self.fail(what)
            time.sleep(0.02)

    def endpoint(self, name):
        return f'ipc://{self.work}/{name}'

    def start_daemon(self, model, more=''):
        """in lockstep, late cycles are no fault"""
        (self.work / 'd.yaml').write_text(f"""linkaged: 1
endpoints: {{control: "{self.endpoint('control')}", inputs: "{self.endpoint('inputs')}", outputs: "{self.endpoint('outputs')}"}}
model: {model}
mode: lockstep
realtime: {{core: none, priority: 0, lock_memory: false, degraded: allow}}
overrun: {{fault_in_a_row: 0}}
watchdog: {{time: 60}}
budget: {{steps: 1000}}
{more}
""", encoding='utf-8')
        return self.start('daemon.log', self.linkaged, '--config', self.work / 'd.yaml')

    def control(self, *words):
        return subprocess.run([self.linkagectl, '--endpoint', self.endpoint('control'), '--outputs', self.endpoint('outputs'),
                               '--timeout', '60', '--json', *map(str, self.keys), *map(str, words)],
                              capture_output=True, text=True)

    def ctl(self, *words):
        done = self.control(*words)
        if done.returncode != 0:
            self.fail(f'{" ".join(map(str, words))}: {done.stdout}{done.stderr}')
        return [json.loads(line) for line in done.stdout.splitlines()]


def free_port():
    """of 127.0.0.1, for TCP as for UDP, free a moment ago"""
    while True:
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.bind(('127.0.0.1', 0))
            try:
                udp.bind(tcp.getsockname())
                return tcp.getsockname()[1]
            except OSError:
                continue
