#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Poses for other programs: the sedan drives a bend, linkage-esmini sends its pose as datagrams of esmini and of OSI,
and both agree with the recording at the same step. The bytes are decoded here, by their published layout.
usage: test-world.py LINKAGED LINKAGECTL LINKAGE LINKAGE-ESMINI SOURCE-ROOT"""
import math, socket, struct, sys, time
from car_rig import CarRig, decode

linkaged, linkagectl, linkage, esmini, root = sys.argv[1:]
POINT = (-1.388, 0, -0.55)
BOX = (4.8, 1.9, 1.4)


def fail(text):
    rig.fail(text)


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


with CarRig(linkaged, linkagectl, linkage, root) as rig:
    rig.start_daemon(rig.root / 'config/models/sedan.yaml')
    scenario, world = Receiver(), Receiver()
    common = ('--object', 3, *rig.endpoints)
    senders = [rig.start(esmini, '--port', scenario.port, f'--point={",".join(map(str, POINT))}', '--wheel', 'rack', '--ratio', -0.15, *common),
               rig.start(esmini, '--port', world.port, '--osi', '--box', ','.join(map(str, BOX)), '--divisor', 20, *common)]
    rig.begin()
    rig.ctl('set', 'throttle', 1)
    time.sleep(1)
    rig.ctl('set', 'steer', 2)
    rig.await_that('no datagrams arrive', lambda: scenario.take() > 150 and world.take() > 75)
    for sender in senders:
        rig.end(sender)
    rows = rig.rows(rig.stop())
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
