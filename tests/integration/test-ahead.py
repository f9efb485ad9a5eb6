#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A look ahead: the sedan changes its lane at 15 m/s, linkage-ahead says where it will be in 50 ms, and the recording
where it was then. With the inputs as they stood for the whole of a forecast, all its bits are those of the run.
usage: test-ahead.py LINKAGED LINKAGECTL LINKAGE LINKAGE-PLAYER LINKAGE-AHEAD SOURCE-ROOT"""
import json, math, struct, subprocess, sys
import zmq
from car_rig import CarRig, decode

linkaged, linkagectl, linkage, player, ahead, root = sys.argv[1:]
HORIZON = 50            # steps
BESIDE_M, TURNED = 0.005, 0.001


def write_inputs(path):
    """the car goes 15 m/s after 6 s, and its wheel once to the left and to the right within 2 s"""
    with open(path, 'w', encoding='utf-8') as file:
        file.write('time [s],steer [rad],throttle [1],brake [1]\n')
        for k in range(1001):
            t = k / 100
            steer = 1.2 * math.sin(math.pi * (t - 6)) if 6 < t < 8 else 0
            file.write(f'{t},{steer},{1 if t < 5.5 else 0.1},0\n')


def turn_of(values):
    w, x, y, z = values[3:7]
    return math.atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))


with CarRig(linkaged, linkagectl, linkage, root) as rig:
    write_inputs(rig.work / 'inputs.csv')
    rig.start_daemon(rig.root / 'config/models/sedan.yaml')
    line = f'ipc://{rig.work}/ahead'
    forecaster = rig.start(ahead, '--horizon', HORIZON / 1000, '--every', 0.02, '--publish', line, '--control', rig.lines['control'],
                           stdout=subprocess.PIPE, text=True)
    socket = zmq.Context.instance().socket(zmq.SUB)
    socket.subscribe(b'')
    socket.connect(line)
    rig.begin()
    rig.start(player, rig.work / 'inputs.csv', rig.work / 'trips', *rig.lines.values()).wait()
    forecaster.terminate()
    tally = json.loads(forecaster.stdout.read().splitlines()[-1])
    if forecaster.wait() != 0:
        rig.fail('linkage-ahead ended with an error')
    forecasts = {}
    while socket.poll(200):
        sample = decode(socket.recv())
        forecasts[sample[2][0]] = struct.unpack(f'<{len(sample[11][0]) // 8}d', sample[11][0])
    rows = rig.rows(rig.stop())
    worst, same, compared = [0, 0], 0, 0
    for step, values in forecasts.items():
        if step not in rows or step < 4000:
            continue
        row = rows[step]
        then = [row[f'chassis.{name}'] for name in ('x', 'y', 'z', 'qw', 'qx', 'qy', 'qz')]
        turn = (turn_of(values) - turn_of(then) + math.pi) % (2 * math.pi) - math.pi
        worst = [max(worst[0], math.dist(values[:3], then[:3])), max(worst[1], abs(turn))]
        same += list(values[:7]) == then
        compared += 1
    print(f'{compared} forecasts: at most {1000 * worst[0]:.2f} mm and {1000 * worst[1]:.2f} mrad beside, {same} with every bit; {tally}')
    # a machine that stands still makes forecasts late, and inputs come late; that many are there on any
    if compared < 50 or same < 10 or worst[0] > BESIDE_M or worst[1] > TURNED:
        rig.fail('the forecasts are not the run')
