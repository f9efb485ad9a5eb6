#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A drive: the car in real time, a driver who does what script.csv says, a hexapod that follows. Everything is
recorded by the daemon and judged afterwards: recording, replay and table are left in DIRECTORY.

The daemon runs already, with linkaged.yaml of this folder.

usage: drive.py BUILD DIRECTORY [SCRIPT PORT CONTROL INPUTS OUTPUTS]
exit status: 0 all held, 1 something did not (the table says what)"""
import csv, json, math, pathlib, socket, struct, subprocess, sys, threading, time

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
PATIENCE_S = 60
PORT = 5610                     # of the platform's datagrams, see linkaged.yaml
MOTOR = 450                     # N m on each rear wheel at full throttle
G = 9.81
SCALE = (0.25, 0.25, 0.2)         # of linkaged.yaml, as all below
HEAD = (0, 0.3, 0.6)
STROKE, SPEED, ACCELERATION = 0.3, 0.6, 6
RISING, FOLLOWING = 2, 3
SMOOTH = 25                     # platform steps that an acceleration is averaged over

OUTPUTS = '''outputs:
  chassis: {type: body-pose, body: chassis}
  motion: {type: body-velocity, body: chassis}
  feel: {type: inertial-sensor, body: chassis, point: [0, 0.4, 1]}
  steer_now: {type: input, input: steer}
  brake_now: {type: input, input: brake}
  motor_now: {type: input, input: motor_rl}
  energy: {type: energy}
solver:'''


class Failed(Exception):
    pass


# ---- before the drive ----

def write_car(to):
    """the strut car with the outputs that this needs"""
    text = (root / 'config/models/strut-car.yaml').read_text()
    head, _, rest = text.partition('outputs:\n')
    to.write_text(head + OUTPUTS + rest.partition('solver:')[2])


def write_inputs(to, script):
    """the driver's script, as inputs of the car"""
    rows = list(csv.reader(open(script)))
    with open(to, 'w') as f:
        f.write('time [s],steer [rad],motor_rl [N m],motor_rr [N m],brake [1]\n')
        for t, steer, throttle, brake in rows[1:]:
            f.write(f'{t},{steer},{float(throttle) * MOTOR},{float(throttle) * MOTOR},{brake}\n')


# ---- on the line ----

class Platform(threading.Thread):
    """a receiver of the platform's datagrams: when each came, and what it says of the legs"""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(('127.0.0.1', port))
        self.seen, self.lost, self.legs, self.last = {}, 0, [0] * 6, None
        self.ended = False

    def run(self):
        while not self.ended:
            packet = self.socket.recv(2048)
            now_ns = time.monotonic_ns()
            if len(packet) != 192 or packet[:4] != b'LKM1':
                continue
            counter, status, step = struct.unpack_from('<IIQ', packet, 8)
            if self.last is not None:
                self.lost += (counter - self.last - 1) & 0xffffffff
            self.last = counter
            if status & 255 == 3 and not status >> 25 & 1:
                self.seen[step] = now_ns
            self.legs = [max(a, abs(b)) for a, b in zip(self.legs, struct.unpack_from('<6f', packet, 168))]

    def end(self):
        self.ended = True
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', self.socket.getsockname())
        self.join()


class Rig:
    def __init__(self, build, endpoints):
        self.build, self.endpoints = build, endpoints

    def ctl(self, *words, may_fail=False):
        done = subprocess.run([str(self.build / 'tools/linkagectl/linkagectl'), '--timeout', '20', '--json',
                               '--endpoint', self.endpoints[0], '--outputs', self.endpoints[2], *map(str, words)], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        said = json.loads(lines[-1]) if lines else {}
        if done.returncode != 0 and not may_fail:
            raise Failed(f'{words[0]}: {said.get("text", done.stderr)}')
        return said

    def await_platform(self, state):
        end_s = time.monotonic() + PATIENCE_S
        while (said := self.ctl('platform'))['state'] != state:
            if time.monotonic() > end_s:
                raise Failed(f'the platform is {said["state"]}, expected {state}: {said["cause"]}')
            time.sleep(0.05)
        return said

    def start(self, car):
        """a machine that was disturbed while the budget was proven is asked again"""
        end_s = time.monotonic() + PATIENCE_S
        while (said := self.ctl('run', '--allow-degraded', car, may_fail=True)).get('result') != 'ok':
            if time.monotonic() > end_s:
                raise Failed(f'no run: {said.get("text")}')
            time.sleep(0.1)

    def engage(self):
        """once the cycle steps"""
        end_s = time.monotonic() + PATIENCE_S
        while 'state' not in (said := self.ctl('platform', 'engage', may_fail=True)):
            if time.monotonic() > end_s:
                raise Failed(said.get('text', 'the platform does not rise'))
            time.sleep(0.1)

    def drive(self, directory):
        """Return: status of the daemon, what the player says, the platform"""
        self.start(directory / 'car.yaml')
        self.engage()
        self.await_platform('following')
        print('the hexapod follows, the driver begins', flush=True)
        done = subprocess.run([self.build / 'tools/drive/linkage-player', directory / 'inputs.csv',
                               directory / 'round-trips.txt', *self.endpoints], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Failed('the driver lost the car')
        self.ctl('platform', 'park')
        ride = self.await_platform('parked')
        status = self.ctl('status')['status']
        self.ctl('stop')
        return status, json.loads(done.stdout), ride

    def export(self, recording, topic):
        """the columns of a topic, by name"""
        done = subprocess.Popen([self.build / 'tools/linkage/linkage', 'export', '--topic', topic, recording],
                                stdout=subprocess.PIPE, text=True)
        rows = csv.reader(done.stdout)
        names = [name.split(' ')[0] for name in next(rows)]
        columns = list(zip(*([float(v) for v in row] for row in rows)))
        if done.wait() != 0 or not columns:
            raise Failed(f'no {topic} in the recording')
        return dict(zip(names, columns))

    def replay(self, recording):
        done = subprocess.run([self.build / 'tools/linkage/linkage', 'replay', recording], capture_output=True,
                              text=True)
        return done.returncode == 0, done.stdout.strip().splitlines()


# ---- afterwards ----

def matrix(roll, pitch, yaw):
    (s0, c0), (s1, c1), (s2, c2) = ((math.sin(a), math.cos(a)) for a in (roll, pitch, yaw))
    return ((c2 * c1, c2 * s1 * s0 - s2 * c0, c2 * s1 * c0 + s2 * s0),
            (s2 * c1, s2 * s1 * s0 + c2 * c0, s2 * s1 * c0 - c2 * s0), (-s1, c1 * s0, c1 * c0))


def felt_by(platform, h):
    """(times, specific force less gravity in the driver's axes) at the head, each over SMOOTH steps"""
    poses = list(zip(*(platform['pose.' + name] for name in ('x', 'y', 'z', 'roll', 'pitch', 'yaw'))))
    turned = [matrix(*p[3:]) for p in poses]
    head = [[p[i] + sum(R[i][k] * HEAD[k] for k in range(3)) for i in range(3)] for p, R in zip(poses, turned)]
    times, felt, w = [], [], SMOOTH
    for i in range(w, len(poses) - w, 5):
        a = [(head[i + w][k] - 2 * head[i][k] + head[i - w][k]) / (w * h) ** 2 + (G if k == 2 else 0) for k in range(3)]
        R = turned[i]
        f = [sum(R[k][j] * a[k] for k in range(3)) for j in range(3)]
        times.append(platform['time'][i])
        felt.append((f[0], f[1], f[2] - G))
    return times, felt


def largest(values, h, order):
    """of the @order-th difference of a leg's positions"""
    for _ in range(order):
        values = [b - a for a, b in zip(values, values[1:])]
    return max(map(abs, values)) / h ** order


def quantiles(values):
    values = sorted(values)
    return [values[min(len(values) - 1, int(q * len(values)))] for q in (0.5, 0.99, 1)] if values else [math.nan] * 3


def error_of(times, felt, outputs, axis, name):
    """RMS of felt less scaled cue, and of the cue"""
    cue, i, e, c, n = outputs[f'feel.f{name}'], 0, 0, 0, 0
    for t, f in zip(times, felt):
        while i + 1 < len(cue) and outputs['time'][i + 1] <= t:
            i += 1
        scaled = SCALE[axis] * cue[i]
        e, c, n = e + (f[axis] - scaled) ** 2, c + scaled ** 2, n + 1
    return math.sqrt(e / n), math.sqrt(c / n)


class Verdict:
    def __init__(self):
        self.lines, self.wrong = [], []

    def row(self, name, *cells):
        self.lines.append(f'{name:<44}' + ''.join(f'{cell:>12}' if isinstance(cell, str) else f'{cell:12.4g}'
                                                   for cell in cells))

    def check(self, good, text):
        if not good:
            self.wrong.append(text)


def judge_platform(v, platform, receiver, ride, h):
    legs = [platform[f'actuators.a{k}'] for k in range(1, 7)]
    stroke = max(max(map(abs, leg)) for leg in legs)
    follows = [i for i, state in enumerate(platform['state']) if state == FOLLOWING] or [0]
    speed = max(largest(leg, h, 1) for leg in legs)
    acceleration = max(largest(leg, h, 2) for leg in legs)
    v.row('', 'largest', 'limit')
    v.row('leg from neutral, parked [m]', stroke, STROKE)
    v.row('  while it follows [m]', max(max(abs(leg[i]) for i in follows) for leg in legs), STROKE)
    v.row('  speed [m/s]', speed, SPEED)
    v.row('  acceleration [m/s^2]', acceleration, ACCELERATION)
    v.row('steps not as the washout meant [ms]', 1e3 * h * ride['limited'])
    v.check(stroke <= STROKE and max(receiver.legs) <= STROKE, 'a leg left its stroke')
    v.check(speed <= SPEED * (1 + 1e-6), 'a leg was faster than its limit')
    v.check(acceleration <= ACCELERATION * (1 + 1e-6), 'a leg accelerated more than its limit')
    v.check(platform['state'][-1] == 1, 'the platform is not parked')
    v.check(RISING in platform['state'] and FOLLOWING in platform['state'], 'the platform did not follow')


def judge_drive(v, outputs, played, status):
    speed = [math.hypot(x, y) for x, y in zip(outputs['motion.vx'], outputs['motion.vy'])]
    way = sum(speed) * (outputs['time'][1] - outputs['time'][0])
    v.row('way of the car [m], top speed [m/s]', way, max(speed))
    v.row('lateral, braking [m/s^2], largest', max(map(abs, outputs['feel.fy'])), -min(outputs['feel.fx']))
    v.check(way > 5 and max(speed) > 2, 'the car did not go')
    v.check(speed[-1] < 0.2, 'the car does not stand in the end')
    v.check(played['sent'] > 0 and played['seen'] > 0, 'the driver was not heard')
    v.check(status['state'] == 'running', 'the run ended early')


def judge(rig, directory, receiver, status, played, ride):
    v = Verdict()
    recording, = directory.glob('*.mcap')
    outputs, platform, cycle = (rig.export(recording, topic) for topic in ('outputs', 'platform', 'cycle'))
    h = 1e-3
    n_steps = len(outputs['time'])
    trips = [float(line) for line in open(directory / 'round-trips.txt')]
    wakeup = [ns * 1e-3 for ns in cycle['woken_ns']]
    compute = [(b - a) * 1e-3 for a, b in zip(cycle['woken_ns'], cycle['computed_ns'])]
    deadline = dict(zip(map(int, cycle['step']), cycle['deadline_ns']))
    to_platform = [(at - deadline[step]) * 1e-3 for step, at in receiver.seen.items() if step in deadline]
    times, felt = felt_by(platform, h)

    for line in status.get('degraded', []):
        v.lines.append(f'NOT REAL-TIME: {line}')
    v.row('')
    judge_drive(v, outputs, played, status)
    judge_platform(v, platform, receiver, ride, h)
    for axis, name in ((0, 'x'), (1, 'y')):
        e, c = error_of(times, felt, outputs, axis, name)
        v.row(f'f{name} felt less cue, cue, RMS [m/s^2]', e, c)
    v.row('latency [us]', 'p50', 'p99', 'max')
    for name, values in (('wake-up', wakeup), ('step', compute), ('driver round trip', trips),
                         ('grid point to platform', to_platform)):
        v.row('  ' + name, *quantiles(values))
    v.row('cycles, overruns, skipped', float(n_steps), cycle['overruns'][-1], cycle['skipped'][-1])
    v.row('datagrams to the platform, lost', float(len(receiver.seen)), float(receiver.lost))
    same, said = rig.replay(recording)
    v.lines += ['replay: ' + line for line in said]
    v.check(same, 'the replay of the recording differs')
    v.check(len(to_platform) > 0, 'the platform got no datagrams')
    return v


def main():
    build, directory = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    script, port, *endpoints = sys.argv[3:] or (here / 'script.csv', PORT, *(f'tcp://127.0.0.1:{5600 + i}' for i in range(3)))
    rig, receiver = Rig(build, endpoints), Platform(int(port))
    write_car(directory / 'car.yaml')
    write_inputs(directory / 'inputs.csv', script)
    receiver.start()
    try:
        status, played, ride = rig.drive(directory)
        receiver.end()
        verdict = judge(rig, directory, receiver, status, played, ride)
    except Failed as failed:
        print(f'FAILED: {failed}')
        return 1
    print('\n'.join(verdict.lines))
    for text in verdict.wrong:
        print(f'FAILED: {text}')
    if not verdict.wrong:
        print('all held')
    return 1 if verdict.wrong else 0


if __name__ == '__main__':
    if len(sys.argv) not in (3, 8):
        print(__doc__)
        sys.exit(2)
    sys.exit(main())
