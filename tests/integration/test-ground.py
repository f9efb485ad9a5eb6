#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ground from another process: the sedan on a road of type external, whose waves linkage-ground tells over real sockets.
The car follows them; without the server its last plane stays; a recording replays without a server.
usage: test-ground.py LINKAGED LINKAGECTL LINKAGE LINKAGE-GROUND SOURCE-ROOT"""
import math, re, shutil, signal, subprocess, sys
from car_rig import CarRig

linkaged, linkagectl, linkage, ground, root = sys.argv[1:]
AMPLITUDE, LENGTH = 0.05, 12


def write_car(rig):
    """the sedan with an external road: its corners have an input each"""
    car = (rig.root / 'config/models/sedan.yaml').read_text(encoding='utf-8')
    car = re.sub(r'(?m)^  ground: \{type: plane.*$', '  ground: {type: external, friction: {input: grip}}', car)
    (rig.work / 'car.yaml').write_text(car, encoding='utf-8')
    shutil.copytree(rig.root / 'config/models/parts', rig.work / 'parts')
    path = rig.work / 'parts/sedan-corner.yaml'
    corner = path.read_text(encoding='utf-8')
    corner = corner.replace('{type: tyre, joint: axle, road: ground,', '{type: tyre, joint: axle, road: ground, ground: {input: ground},')
    corner = corner.replace('outputs:\n', 'outputs:\n  told: {type: input, input: ground}\n')
    path.write_text(corner + 'inputs:\n  ground: {type: ground}\n', encoding='utf-8')


def check_way(rig, rows):
    """while the server answered, the contact of a front wheel lies on the wave, to what a late answer on curved ground
    makes: later ones, on a busy machine, are not judged"""
    errors = [abs(row['contact_fl.z'] - AMPLITUDE * math.sin(2 * math.pi * row['contact_fl.x'] / LENGTH)) for row in rows.values()
              if 2 < row['contact_fl.x'] < 2 * LENGTH and abs(row['told_fl.x'] - row['contact_fl.x']) < 0.3]
    curvature = AMPLITUDE * (2 * math.pi / LENGTH) ** 2
    if len(errors) < 100 or max(errors) > 0.5 * curvature * 0.3 ** 2 + 1e-4:
        rig.fail(f'the wheel is {max(errors, default=0)} m beside the ground in {len(errors)} rows')


with CarRig(linkaged, linkagectl, linkage, root) as rig:
    write_car(rig)
    rig.start_daemon(rig.work / 'car.yaml', 'policy: {stale: {action: hold, timeout: 200}}')
    wrong = subprocess.run(['timeout', '5', ground, *rig.endpoints, 'ground_fl=nothing'], stderr=subprocess.PIPE, text=True)
    if 'nothing' not in wrong.stderr:
        rig.fail(f'linkage-ground does not say that there is no such output: {wrong.stderr}')
    server = rig.start(ground, '--amplitude', AMPLITUDE, '--length', LENGTH, *rig.endpoints)
    rig.await_that('the server does not get the ground', lambda: rig.input('ground_fl')['bench'] == 'linkage-ground')
    rig.begin()
    rig.ctl('set', 'throttle', 1)
    rig.await_that('the car does not drive over a wave', lambda: rig.input('ground_fl')['acting'][0] > 2 * LENGTH)
    server.send_signal(signal.SIGKILL)
    server.wait()
    rig.await_that('nobody says that the ground is stale',
                   lambda: all(one['stale'] for one in rig.ctl('inputs')['inputs'] if one['channel'].startswith('ground')))
    if rig.ctl('status')['status']['state'] != 'running':
        rig.fail('the last plane does not stay')
    recording = rig.stop()
    said = subprocess.run([linkage, 'replay', recording], capture_output=True, text=True)
    if said.returncode != 0 or 'every bit the same' not in said.stdout:
        rig.fail(f'replay: {said.stdout}{said.stderr}')
    check_way(rig, rig.rows(recording))
