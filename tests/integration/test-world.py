#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Poses for other programs: the sedan drives a bend, linkage-esmini sends its pose as datagrams of esmini and of OSI,
and both agree with the recording at the same step. The bytes are decoded here, by their published layout.
usage: test-world.py LINKAGED LINKAGECTL LINKAGE LINKAGE-ESMINI SOURCE-ROOT"""
import csv, json, math, pathlib, shutil, socket, struct, subprocess, sys, tempfile, time

linkaged, linkagectl, linkage, esmini = sys.argv[1:5]
root = pathlib.Path(sys.argv[5])
work = pathlib.Path(tempfile.mkdtemp(prefix='linkage-world-'))
lines = {name: f'ipc://{work}/{name}' for name in ('control', 'inputs', 'outputs')}
PATIENCE_S = 60
POINT = (-1.388, 0, -0.55)
BOX = (4.8, 1.9, 1.4)
processes = []


def fail(text):
    print(f'FAILED: {text}\n' + (work / 'log').read_text(encoding='utf-8')[-3000:])
    sys.exit(1)


def start(*command):
    with open(work / 'log', 'a', encoding='utf-8') as out:
        processes.append(subprocess.Popen([str(word) for word in command], stdout=out, stderr=out))
    return processes[-1]


def ctl(*words, may_fail=False):
    done = subprocess.run([linkagectl, '--endpoint', lines['control'], '--timeout', '60', '--json', *map(str, words)],
                          capture_output=True, text=True)
    if done.returncode != 0 and not may_fail:
        fail(f'{words}: {done.stdout}{done.stderr}')
    return json.loads(done.stdout.splitlines()[0]) if done.returncode == 0 else None


def await_that(what, test):
    end_s = time.monotonic() + PATIENCE_S
    while not test():
        if time.monotonic() > end_s:
            fail(what)
        time.sleep(0.05)


class Receiver:
    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(('127.0.0.1', 0))
        self.socket.setblocking(False)
        self.port = self.socket.getsockname()[1]
        self.packets = []

    def take(self):
        try:
            while True:
                self.packets.append(self.socket.recv(2048))
        except BlockingIOError:
            return len(self.packets)


def decode(data):
    """any message of protobuf: number of the field -> list of values, doubles as such, messages as bytes"""
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


def numbers(data):
    fields = decode(data)
    return [fields[i][0] for i in sorted(fields)]


def from_esmini(packet):
    version, mode, vehicle, frame, *values, reckons = struct.unpack('<IIII8dB7x', packet)
    if (version, mode, vehicle, reckons) != (1, 2, 3, 0):
        fail(f'head of a datagram: {version, mode, vehicle, reckons}')
    return frame, values


def from_osi(packet):
    update = decode(packet)
    seconds, nanos = numbers(update[2][0])
    moving = decode(update[3][0])
    base = decode(moving[2][0])
    if numbers(update[1][0])[0] != 3 or numbers(moving[1][0]) != [3] or moving[3] != [2] or numbers(base[1][0]) != list(BOX):
        fail(f'an update of another vehicle: {update}')
    roll, pitch, yaw = numbers(base[3][0])
    return round(1000 * (seconds + 1e-9 * nanos)), [*numbers(base[2][0]), yaw, pitch, roll], numbers(base[4][0])


def turned(q):
    """the rotation matrix of a quaternion"""
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def check_pose(what, pose, row, point):
    """position and the matrix of the angles against the recorded pose, which they must give back"""
    names = ['x', 'y', 'z', 'qw', 'qx', 'qy', 'qz']
    recorded = [row[f'chassis.{name}'] for name in names]
    R = turned(recorded[3:])
    place = [recorded[i] + sum(R[i][k] * point[k] for k in range(3)) for i in range(3)]
    (ch, sh), (cp, sp), (cr, sr) = ((math.cos(a), math.sin(a)) for a in pose[3:6])
    told = [[ch * cp, ch * sp * sr - sh * cr, ch * sp * cr + sh * sr],
            [sh * cp, sh * sp * sr + ch * cr, sh * sp * cr - ch * sr], [-sp, cp * sr, cp * cr]]
    error = max(max(abs(a - b) for a, b in zip(pose[:3], place)), max(abs(told[i][k] - R[i][k]) for i in range(3) for k in range(3)))
    if error > 1e-9:
        fail(f'{what} is {error} beside the recording')


def main():
    (work / 'd.yaml').write_text(f"""linkaged: 1
endpoints: {json.dumps(lines)}
model: {root}/config/models/sedan.yaml
realtime: {{core: none, priority: 0, lock_memory: false, degraded: allow}}
overrun: {{fault_in_a_row: 0}}
watchdog: {{time: 60}}
budget: {{steps: 1000}}
record: {{directory: {work}, autostart: true}}
""", encoding='utf-8')
    daemon = start(linkaged, '--config', work / 'd.yaml')
    await_that('the daemon does not come up', lambda: ctl('status', may_fail=True) is not None)
    scenario, world = Receiver(), Receiver()
    common = ('--object', 3, *(word for name, line in lines.items() for word in (f'--{name}', line)))
    senders = [start(esmini, '--port', scenario.port, f'--point={",".join(map(str, POINT))}', '--wheel', 'rack', '--ratio', -0.15, *common),
               start(esmini, '--port', world.port, '--osi', '--box', ','.join(map(str, BOX)), '--divisor', 20, *common)]
    await_that('the daemon does not arm', lambda: ctl('arm', '--allow-degraded', may_fail=True) is not None)
    ctl('start')
    ctl('set', 'throttle', 1)
    time.sleep(1)
    ctl('set', 'steer', 2)
    await_that('no datagrams arrive', lambda: scenario.take() > 150 and world.take() > 75)
    ctl('stop')
    for sender in senders:
        sender.terminate()
        if sender.wait(PATIENCE_S) != 0:
            fail('a sender ended with an error')
    ctl('shutdown')
    if daemon.wait(PATIENCE_S) != 0:
        fail('the daemon ended with an error')
    recording, = work.glob('*.mcap')
    subprocess.run([linkage, 'export', recording, '-o', work / 'run.csv'], check=True, stdout=subprocess.DEVNULL)
    with open(work / 'run.csv', encoding='utf-8') as file:
        rows = {round(1000 * float(row['time [s]'])): {key.split(' ')[0]: float(value) for key, value in row.items() if value}
                for row in csv.DictReader(file)}
    compared = 0
    for frame, values in map(from_esmini, scenario.packets):
        if frame in rows:
            check_pose('a datagram of esmini', values[:6], rows[frame], POINT)
            ahead = rows[frame]['motion.vx'] * math.cos(values[3]) + rows[frame]['motion.vy'] * math.sin(values[3])
            if abs(values[6] - ahead) > 0.05 + 0.02 * abs(ahead) or abs(values[7] + rows[frame]['rack'] / 0.15) > 1e-12:
                fail(f'speed {values[6]} of {ahead}, wheel {values[7]}')
            compared += 1
    for step, pose, velocity in map(from_osi, world.packets):
        if step in rows:
            check_pose('an update of OSI', pose, rows[step], (0, 0, 0))
            if max(abs(a - rows[step][f'motion.v{axis}']) for a, axis in zip(velocity, 'xyz')) > 1e-12:
                fail(f'velocity {velocity}')
            compared += 1
    if compared < 200:
        fail(f'{compared} poses compared')


try:
    main()
finally:
    for process in processes:
        if process.poll() is None:
            process.kill()
    shutil.rmtree(work, ignore_errors=True)
