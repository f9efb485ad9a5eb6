# SPDX-License-Identifier: Apache-2.0
"""A daemon, an adapter and a simulated platform over real sockets, for tests of rides."""
import json, pathlib, queue, shutil, signal, socket, subprocess, sys, tempfile, threading, time

PATIENCE_S = 60
COMMUNICATION, AMPLIFIER, ESTOP = 0x0008, 0x0010, 0x8000
SIX_AXIS = """{type: six-axis, low: [-0.24, -0.24, -0.17, -0.35, -0.35, -0.35],
             high: [0.24, 0.24, 0.17, 0.35, 0.35, 0.35], speed: 0.4, acceleration: 4}"""
HEXAPOD = """{type: hexapod, low: -0.1, high: 0.1, speed: 0.3, acceleration: 4, base_radius: 1.65,
             base_angle: 0.122, platform_radius: 1.6, platform_angle: 0.925, height: 1.7}"""


class Failed(Exception):
    pass


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def await_that(good, look, what):
    """until good(look()); Return: what look() has seen"""
    end_s = time.monotonic() + PATIENCE_S
    while not good(seen := look()):
        if time.monotonic() > end_s:
            raise Failed(f'{what}: {seen}')
        time.sleep(0.02)
    return seen


class Platform:
    """the simulated one, and what it has said. states: all that it has been in"""

    def __init__(self, process):
        self.process, self.lines, self.states = process, queue.Queue(), []
        self.port = json.loads(process.stdout.readline())['port']
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            said = json.loads(line)
            self.states.append(said['state'])
            self.lines.put(said)

    def press(self, button):
        self.process.stdin.write(button + '\n')
        self.process.stdin.flush()

    def show(self):
        while not self.lines.empty():
            self.lines.get()
        self.press('show')
        return self.lines.get(timeout=PATIENCE_S)

    def expect(self, state, faults):
        said = await_that(lambda said: said['state'] == state, self.show, f'the platform is not {state}')
        if said['faults'] != faults:
            raise Failed(f'the platform is {said}, expected faults {faults:#x}')
        return said


class Rig:
    """programs: of the daemon, linkagectl and linkage;  cueing: more lines of that section"""

    def __init__(self, programs, root, kind, cueing=''):
        self.linkaged, self.linkagectl, self.linkage = programs
        self.root, self.kind, self.cueing = root, kind, cueing
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.processes = []
        self.daemon_port, self.report_port = free_port(), free_port()
        self.platform = Platform(self.start(sys.executable, root / 'tools/platform/simulated_platform.py', 0,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()
        shutil.rmtree(self.work)

    def log(self):
        return (self.work / 'log').read_text() if (self.work / 'log').exists() else ''

    # ---- processes ----

    def start(self, *command, **more):
        process = subprocess.Popen([str(word) for word in command], **more)
        self.processes.append(process)
        return process

    @staticmethod
    def end(process):
        process.send_signal(signal.SIGKILL)
        process.wait()

    def start_adapter(self):
        return self.start(sys.executable, self.root / 'tools/platform/adapter_60hz.py', self.daemon_port,
                          f'127.0.0.1:{self.report_port}', f'127.0.0.1:{self.platform.port}')

    def start_daemon(self, model, sensor, reports=True):
        """it runs MODEL.yaml of the work folder"""
        report = f'report: udp://127.0.0.1:{self.report_port}' if reports else ''
        (self.work / 'linkaged.yaml').write_text(f'''linkaged: 1
endpoints: {{control: "ipc://{self.work}/control", inputs: "ipc://{self.work}/inputs",
  outputs: "ipc://{self.work}/outputs"}}
realtime: {{degraded: allow, priority: 0, core: none}}
budget: {{steps: 1000, share: 0.95}}
overrun: {{fault_in_a_row: 0, fault_in_window: 0}}
watchdog: {{time: 60}}
policy: {{stale: {{action: count, timeout: 0}}}}
inputs: {{claims: optional}}
record: {{directory: {self.work}, autostart: true}}
cueing:
  sensor: {sensor}
  {report}
  silent: 5
  pace: 0.5
  platform: {self.kind}
  {self.cueing}
motion:
  - {{endpoint: 'udp://127.0.0.1:{self.daemon_port}', platform: true}}
''')
        log = open(self.work / 'log', 'a')
        daemon = self.start(self.linkaged, '--config', self.work / 'linkaged.yaml', stderr=log, stdout=log)
        # it has to listen, and a busy machine to grant the budget
        await_that(lambda done: done.returncode == 0, lambda: self.control('run', str(self.work / f'{model}.yaml')),
                   'no run')
        return daemon

    # ---- orders ----

    def control(self, *words):
        return subprocess.run([self.linkagectl, '--endpoint', f'ipc://{self.work}/control', '--outputs',
                               f'ipc://{self.work}/outputs', '--timeout', '20', '--json', *words],
                              capture_output=True, text=True)

    def ctl(self, *words):
        done = self.control(*words)
        if done.returncode != 0:
            raise Failed(f'{" ".join(words)}: {done.stdout}{done.stderr}')
        lines = done.stdout.splitlines()
        return json.loads(lines[-1]) if lines else {}

    def engage(self):
        """reports have to arrive first"""
        await_that(lambda done: done.returncode == 0, lambda: self.control('platform', 'engage'), 'engage')

    def await_ride(self, state):
        return await_that(lambda said: said['state'] == state, lambda: self.ctl('platform'), f'the ride is not {state}')

    def await_parked(self, *causes):
        said = self.await_ride('parked')
        if said['cause'] not in causes:
            raise Failed(f'the ride ended as {said["cause"]}, expected {" or ".join(causes)}')

    def await_ready(self):
        """until then reports of before are under way"""
        await_that(lambda said: said['ready'], lambda: self.ctl('platform'), 'not ready')

    def try_ride(self, shake, axis, by):
        """Return: whether the platform has moved; not, where a busy machine was silent for too long"""
        self.engage()
        await_that(lambda said: said['state'] != 'rising', lambda: self.ctl('platform'), 'the ride goes on rising')
        said = await_that(lambda said: said['state'] != 'standby', self.platform.show, 'the platform goes on rising')
        rest = said['position'][axis]
        for i in range(400):
            if said['state'] != 'engaged':
                return False
            shake(i)
            time.sleep(0.05)
            said = self.platform.show()
            if abs(said['position'][axis] - rest) > by and self.ctl('platform')['state'] == 'following':
                return True
        raise Failed(f'the platform does not follow: {said}, from {rest}')

    def ride(self, shake, axis, by):
        """engage, then shake(0), shake(1) ... the model until the platform has moved along @axis by @by"""
        for _ in range(10):
            if self.try_ride(shake, axis, by):
                return
            print(f'once more: {self.ctl("platform")["cause"]}, {self.platform.show()}')
            self.ctl('platform', 'park')
            self.await_ride('parked')
            await_that(lambda said: said['state'] in ('idle', 'fault'), self.platform.show, 'the platform does not park')
            self.platform.press('reset')
        raise Failed('no ride')


def run_test(test, rig):
    """test(rig), and what the daemon has logged if it fails. Return: an exit status"""
    try:
        test(rig)
        return 0
    except Failed as failed:
        print(f'FAILED: {failed}\n{rig.log()}')
        return 1
    finally:
        rig.close()
