#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon, an adapter and a simulated platform over real sockets: a car on a moving road is followed; then the cycle
stops, the platform fails, the adapter is killed, the daemon is killed. Each time the platform ends parked, and no
command was ever a jump: the simulated platform takes one for a fault.

usage: test-platform.py LINKAGED LINKAGECTL LINKAGE SOURCE-ROOT KIND        (six-axis or hexapod: of the guard)"""
import json, pathlib, queue, shutil, signal, socket, struct, subprocess, sys, tempfile, threading, time

linkaged, linkagectl, linkage, root, kind = *sys.argv[1:4], pathlib.Path(sys.argv[4]), sys.argv[5]
work = pathlib.Path(tempfile.mkdtemp())
PATIENCE_S = 60
PLATFORMS = {
    'six-axis': """{type: six-axis, low: [-0.24, -0.24, -0.17, -0.35, -0.35, -0.35],
             high: [0.24, 0.24, 0.17, 0.35, 0.35, 0.35], speed: 0.4, acceleration: 4}""",
    'hexapod': """{type: hexapod, low: -0.1, high: 0.1, speed: 0.3, acceleration: 4, base_radius: 1.65,
             base_angle: 0.122, platform_radius: 1.6, platform_angle: 0.925, height: 1.7}""",
}
COMMUNICATION, AMPLIFIER, ESTOP = 0x0008, 0x0010, 0x8000
processes = []


def start(*command, **more):
    process = subprocess.Popen([str(word) for word in command], **more)
    processes.append(process)
    return process


def end(process, with_signal=signal.SIGKILL):
    process.send_signal(with_signal)
    process.wait()


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def fail(text):
    print(f'FAILED: {text}')
    print((work / 'log').read_text() if (work / 'log').exists() else '')
    sys.exit(1)


class Platform:
    """the simulated one, and what it has said"""

    def __init__(self):
        self.process = start(sys.executable, root / 'tools/platform/simulated_platform.py', 0,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())['port']
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def press(self, button):
        self.process.stdin.write(button + '\n')
        self.process.stdin.flush()

    def show(self):
        while not self.lines.empty():
            self.lines.get()
        self.press('show')
        return self.lines.get(timeout=PATIENCE_S)

    def expect(self, state, faults):
        end_s = time.monotonic() + PATIENCE_S
        said = self.show()
        while said['state'] != state and time.monotonic() < end_s:
            time.sleep(0.02)
            said = self.show()
        if said['state'] != state or said['faults'] != faults:
            fail(f'the platform is {said}, expected {state} with faults {faults:#x}')
        return said


def control(*words):
    return subprocess.run([linkagectl, '--endpoint', f'ipc://{work}/control', '--outputs', f'ipc://{work}/outputs',
                           '--timeout', '20', '--json', *words], capture_output=True, text=True)


def ctl(*words):
    done = control(*words)
    if done.returncode != 0:
        fail(f'{" ".join(words)}: {done.stdout}{done.stderr}')
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if lines else {}


def await_ride(state):
    end_s = time.monotonic() + PATIENCE_S
    while (said := ctl('platform'))['state'] != state:
        if time.monotonic() > end_s:
            fail(f'the ride is {said}, expected {state}')
        time.sleep(0.02)
    return said


def await_ready():
    """until then reports of before are under way"""
    end_s = time.monotonic() + PATIENCE_S
    while not ctl('platform')['ready']:
        if time.monotonic() > end_s:
            fail(f'not ready: {ctl("platform")}')
        time.sleep(0.02)


def engage():
    """reports have to arrive first"""
    end_s = time.monotonic() + PATIENCE_S
    while control('platform', 'engage').returncode != 0:
        if time.monotonic() > end_s:
            fail(f'engage: {control("platform", "engage").stdout}')
        time.sleep(0.05)
    await_ride('following')


def ride(platform):
    """engage, shake the road until the platform moves with it, and end in the middle of it"""
    engage()
    platform.expect('engaged', 0)
    rest = platform.show()['position']
    for i in range(400):
        ctl('set', 'road', str(0.08 * (-1) ** i))
        ctl('set', 'strength', str(1 if i % 2 else 0.7))
        time.sleep(0.05)
        moved = abs(platform.show()['position'][2] - rest[2])
        if moved > 0.005:
            return
    fail(f'the platform does not follow: heave has moved by {moved} m')


def write_files(daemon_port, report_port):
    text = (root / 'config/models/quarter-car.yaml').read_text()
    text = text.replace('inputs:\n', 'inputs:\n  strength: {type: signal, limits: [0, 2], initial: 0.6}\n')
    text = text.replace('outputs:\n', 'outputs:\n  strength_now: {type: input, input: strength}\n')
    (work / 'car.yaml').write_text(text)
    (work / 'linkaged.yaml').write_text(f'''linkaged: 1
endpoints: {{control: "ipc://{work}/control", inputs: "ipc://{work}/inputs", outputs: "ipc://{work}/outputs"}}
realtime: {{degraded: allow, priority: 0, core: none}}
budget: {{steps: 1000, share: 0.95}}
overrun: {{fault_in_a_row: 0, fault_in_window: 0}}
policy: {{stale: {{action: count, timeout: 0}}}}
inputs: {{claims: optional}}
record: {{directory: {work}, autostart: true}}
cueing:
  sensor: ride
  gains: {{force_scale: strength_now}}
  report: udp://127.0.0.1:{report_port}
  silent: 5
  pace: 0.5
  platform: {PLATFORMS[kind]}
motion:
  - {{endpoint: 'udp://127.0.0.1:{daemon_port}', platform: true}}
''')


def start_daemon():
    log = open(work / 'log', 'a')
    daemon = start(linkaged, '--config', work / 'linkaged.yaml', stderr=log, stdout=log)
    # it has to listen, and a busy machine to grant the budget
    end_s = time.monotonic() + PATIENCE_S
    while (done := control('run', str(work / 'car.yaml'))).returncode != 0:
        if time.monotonic() > end_s:
            fail(f'no run: {done.stdout}{done.stderr}')
        time.sleep(0.05)
    return daemon


def spoil(recording, channel, number):
    """a copy in which one bit of the last value of a message is another; its chunk has no checksum"""
    data = bytearray(recording.read_bytes())
    at = 8
    while at < len(data) - 8:
        kind, size = data[at], struct.unpack_from('<Q', data, at + 1)[0]
        begin = at = at + 9
        at += size
        if kind != 6:
            continue
        words = struct.unpack_from('<I', data, begin + 28)[0]
        inner = begin + 28 + 4 + words + 8
        while inner < at:
            kind, size = data[inner], struct.unpack_from('<Q', data, inner + 1)[0]
            inner += 9
            if kind == 5 and struct.unpack_from('<H', data, inner)[0] == channel:
                number -= 1
                if number == 0:
                    data[inner + size - 3] ^= 1
                    data[begin + 24:begin + 28] = bytes(4)
                    copy = recording.with_name('spoilt')
                    copy.write_bytes(data)
                    return copy
            inner += size
    fail('the recording has too few steps')


def check_recording():
    """of the first run, which has ended: what its rides did stands among the events"""
    recording, = work.glob('*.mcap')
    done = subprocess.run([linkage, 'replay', recording], capture_output=True, text=True)
    if done.returncode != 0 or done.stdout.count('every bit the same') != 2:
        fail(f'the replay: {done.stdout}{done.stderr}')
    print(done.stdout.splitlines()[-1])
    spoilt = subprocess.run([linkage, 'replay', spoil(recording, 5, 3000)], capture_output=True, text=True)
    if spoilt.returncode == 0 or 'of the platform differs: actuators.a6' not in spoilt.stdout:
        fail(f'the replay of a spoilt recording: {spoilt.stdout}{spoilt.stderr}')
    wanted = subprocess.run([linkage, 'export', '--topic', 'platform', recording], capture_output=True, text=True).stdout
    gains = [line.split(',')[wanted.splitlines()[0].split(',').index('gains [1]')] for line in wanted.splitlines()[1:]]
    if not any(float(moved) for moved in gains):
        fail('no gain was moved')
    done = subprocess.run([linkage, 'export', '--topic', 'events', recording], capture_output=True, text=True)
    for event in ('rising', 'following', 'settling: ordered to park', 'parked'):
        if f'"{event}"' not in done.stdout:
            fail(f'no event {event}: {done.stdout}{done.stderr}')


def check_other_adapter(platform):
    """one that begins where another has ended goes on from where the platform is"""
    at = [0.1, -0.05, 0.02, 0.03, 0.04, -0.06]
    sys.path.insert(0, str(root / 'tools/platform'))
    sys.dont_write_bytecode = True
    import adapter_60hz as a
    other = a.Adapter(free_port(), ('127.0.0.1', 9), ('127.0.0.1', 9))
    other.take(other.platform, struct.pack('>3I7f', 0, 0, 0x20 | a.ENGAGED, *at, 0))
    other.take(other.platform, struct.pack('>3I7f', 0, 0, 0x20 | a.ENGAGED, *[0.2] * 6, 0))
    sent = struct.unpack('>I7f', a.encode(a.NEW_POSITION, other.last))
    if sent[0] != a.NEW_POSITION or any(abs(x - y) > 1e-6 for x, y in zip(sent[1:], at)):
        fail(f'another adapter begins at {sent}, the platform is at {at}')
    if a.report(a.FOLLOWING, a.IDLE, 0, True) & a.READY or not a.report(a.RISING, a.IDLE, 0, True) & a.READY:
        fail('a platform that has not risen is ready to follow')


def main():
    daemon_port, report_port = free_port(), free_port()
    platform = Platform()
    adapter = [sys.executable, root / 'tools/platform/adapter_60hz.py', daemon_port,
               f'127.0.0.1:{report_port}', f'127.0.0.1:{platform.port}']
    write_files(daemon_port, report_port)
    daemon = start_daemon()
    if control('platform', 'engage').returncode == 0:
        fail('a platform that does not report was engaged')
    first = start(*adapter)

    ride(platform)
    ctl('platform', 'park')
    platform.expect('idle', 0)
    if await_ride('parked')['cause'] != 'ordered to park':
        fail(f'cause: {ctl("platform")["cause"]}')

    ride(platform)
    ctl('stop')
    platform.expect('idle', 0)
    if await_ride('parked')['cause'] != 'the cycle does not run in real time':
        fail(f'cause: {ctl("platform")["cause"]}')

    check_recording()
    ctl('start')
    ride(platform)
    platform.press('fault')
    platform.expect('fault', AMPLIFIER)
    if await_ride('parked')['cause'] != 'the platform reports a fault':
        fail(f'cause: {ctl("platform")["cause"]}')
    platform.press('reset')

    ride(platform)
    platform.press('estop')
    platform.expect('fault', ESTOP)
    await_ride('parked')
    platform.press('reset')
    await_ready()
    if not ctl('platform')['emergency'] or control('platform', 'engage').returncode == 0:
        fail('an emergency is forgotten')
    ctl('platform', 'release')

    ride(platform)
    check_other_adapter(platform)
    end(first)
    platform.expect('fault', COMMUNICATION)
    if await_ride('parked')['cause'] != 'the platform does not report that it is ready':
        fail(f'cause: {ctl("platform")["cause"]}')
    platform.press('reset')
    start(*adapter)

    ride(platform)
    end(daemon)
    said = platform.expect('idle', 0)
    print(f'six rides, largest step between two commands {said["largest_step"]:.4f} m or rad')


try:
    main()
finally:
    for process in processes:
        process.kill()
    shutil.rmtree(work)
