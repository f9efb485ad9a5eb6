#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cars made of parts: their flat texts have the numbers of the cars as they were written out before, and move alike; the
suspension kit at the hard points of a known axle has its kinematics; bodies of rods have the moments of rods; units of
FMI hold the flat text.
usage: test-parts.py LINKAGE MODELS FLAT"""
import csv
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

linkage, models, flat = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
folder = tempfile.TemporaryDirectory()
failed = 0


def check(what, is_good, note=''):
    global failed
    if not is_good:
        print(f'FAIL {what}: {note}')
        failed = 1


def run(*arguments, status=0):
    done = subprocess.run([linkage, *map(str, arguments)], capture_output=True, text=True)
    check(' '.join(map(str, arguments)), done.returncode == status, f'exit status {done.returncode}: {done.stderr}')
    return done.stdout


# ---- flat texts ----

TOKEN = re.compile(r'\s*([{}\[\],]|[^\s{}\[\],:]+:|[^\s{}\[\],]+)')


def read_flow(tokens):
    """A value of a flat text."""
    token = tokens.pop(0)
    if token not in '{[':
        return token
    value, end = ({}, '}') if token == '{' else ([], ']')
    while tokens[0] != end:
        if tokens[0] == ',':
            tokens.pop(0)
        elif end == '}':
            key = tokens.pop(0)[:-1]
            value[key] = read_flow(tokens)
        else:
            value.append(read_flow(tokens))
    tokens.pop(0)
    return value


def read_flat(text):
    """Sections and their items; a line that goes on is indented deeper."""
    sections, section = {}, None
    for line in re.sub(r'\n {4,}', ' ', text).splitlines():
        if line.startswith('#'):
            continue
        key, _, rest = line.strip().partition(':')
        target = sections if not line.startswith(' ') else sections[section]
        if rest.strip():
            target[key] = read_flow(TOKEN.findall(rest))
        else:
            target[key], section = {}, key
    return sections


def differences(a, b, path=''):
    """Where two values differ: as words, or as numbers by more than rounding. An axis has two directions."""
    if path.endswith('.axis') and float(a[0]) * float(b[0]) + float(a[1]) * float(b[1]) + float(a[2]) * float(b[2]) < 0:
        b = [-float(x) for x in b]
    if path.endswith('.orientation') and 'axis' in a and 'axis' in b:
        a, b = ([float(x) * float(o['angle']) for x in o['axis']] for o in (a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            yield from differences(a.get(key), b.get(key), f'{path}.{key}')
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f'{path}.{i + 1}')
    else:
        try:
            same = abs(float(a) - float(b)) <= 1e-12 * max(1, abs(float(a)))
        except (TypeError, ValueError):
            same = a == b
        if not same:
            yield f'{path}: {a} and {b}'


def read_table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def drawn(name, text):
    """The same car from the drawing: it stands in balance at any place along the road."""
    path = pathlib.Path(folder.name) / name
    path.write_text(text.replace('start: equilibrium', 'start: drawn'))
    return path


for car in ('sedan', 'iltis', 'four-post'):
    now, before = run('flatten', models / f'{car}.yaml'), run('flatten', flat / f'{car}.yaml')
    a, b = read_flat(now), read_flat(before)
    a.pop('points', None)
    check(f'{car}: numbers', len(b['bodies']) > 8)
    found = list(differences(b, a))
    check(f'{car}: numbers', not found, found[:5])
    check(f'{car}: half as long', len((models / f'{car}.yaml').read_text().splitlines())
          <= 0.6 * len((flat / f'{car}.yaml').read_text().splitlines()))
    header, rows = read_table(run('run', drawn('before.yaml', before), '-d', 1, '-i', 10, '-o', '-'))
    also, again = read_table(run('run', drawn('now.yaml', now), '-d', 1, '-i', 10, '-o', '-'))
    check(f'{car}: channels', sorted(header) == sorted(also) and len(rows) == 1001 == len(again))
    for i, name in enumerate(header):
        if name.startswith(('chassis.', 'strut_', 'lift_', 'rack')) and 'force' not in name:
            k = also.index(name)
            off = max(abs(x[i] - y[k]) for x, y in zip(rows, again))
            check(f'{car}: {name}', off <= 1e-12, off)

# ---- the kit ----

SEDAN_POINTS = {  # of parts/sedan-corner.yaml, from the middle of the axle on the ground
    'wheel': (0, 0.7979, 0.3167), 'lower_front': (0, 0.445, 0.1691), 'lower_rear': (-0.4, 0.495, 0.1741),
    'lower_ball': (0, 0.77, 0.1166), 'upper_front': (-0.175, 0.49, 0.5441), 'upper_rear': (-0.325, 0.53, 0.5491),
    'upper_ball': (-0.04, 0.695, 0.5416), 'rod_inner': (-0.2, 0.42, 0.3166), 'rod_outer': (-0.15, 0.77, 0.3166),
    'spring_top': (-0.04, 0.52, 0.6666), 'spring_foot': (0, 0.62, 0.1666)}
points = ', '.join(f'{name}: {list(place)}' for name, place in SEDAN_POINTS.items())
kit = pathlib.Path(folder.name) / 'kit.yaml'
(pathlib.Path(folder.name) / 'parts').symlink_to(models / 'parts')
kit.write_text('linkage: 1\nname: kit\ngravity: [0, 0, -9.81]\nparts:\n' + ''.join(
    f'  {side}: {{file: parts/double-wishbone.yaml, position: [1.388, 0, 0], {mirror} ports: {{rod: rack}}, '
    f'points: {{{points}}}, parameters: {{stiffness: 90000}}}}\n' for side, mirror in (('fl', ''), ('fr', 'mirror: y,')))
    + 'bodies:\n  chassis: {mass: 1250, inertia: [222.8, 944.1, 1053.5], position: [0, 0, 0.55]}\n'
      '  rack: {mass: 3, inertia: [0.05, 0.002, 0.05], position: [1.188, 0, 0.3166]}\njoints:\n'
      '  rack: {type: prismatic, bodies: [chassis, rack], point: [1.188, 0, 0.3166], axis: [0, 1, 0], drive: {input: steer}}\n'
      'inputs:\n  steer: {type: drive}\n')
car = drawn('sedan.yaml', run('flatten', models / 'sedan.yaml'))
a = json.loads(run('kc', kit, '--wheel', 'fl.axle,fr.axle', '--radius', 0.3266, '--json'))
b = json.loads(run('kc', car, '--steer', 'rack', '--json'))


def numbers(value, path=''):
    """All numbers of the first axle, by their paths."""
    if isinstance(value, dict):
        for key, v in value.items():
            yield from numbers(v, f'{path}.{key}')
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from numbers(v, f'{path}.{i}')
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


of_kit = {p: v for p, v in numbers(a['axles'][0])}
of_car = {p: v for p, v in numbers(b['axles'][0])}
kinematic = re.compile(r'\.(toe|camber|caster|inclination|scrub|trail|centre_x|contact_y|toe_rate|camber_rate|track|roll_centre)\b')
compared = [p for p in of_kit if kinematic.search(p) and p in of_car]
check('kit: as many numbers', len(compared) > 300, len(compared))
for p in compared:
    check(f'kit: {p}', abs(of_kit[p] - of_car[p]) <= 1e-9 * max(1, abs(of_car[p])), (of_kit[p], of_car[p]))

for car in ('hatchback', 'coupe'):
    check(f'{car}: checked', 'is a good model' in run('check', models / f'{car}.yaml'))
    for axle in json.loads(run('kc', models / f'{car}.yaml', '--json'))['axles']:
        for path, value in numbers(axle):
            if kinematic.search(path) and '.left' in path and not path.startswith('.steer'):
                other = dict(numbers(axle))[path.replace('.left', '.right')]
                check(f'{car}: {path}', abs(value - other) <= 1e-8 * max(1, abs(value)), (value, other))

# ---- bodies of rods ----

rods = [((0, 0, 0), (0.3, 0.1, 0)), ((0.3, 0.1, 0), (0.3, -0.2, 0.4)), ((0, 0, 0), (0.3, -0.2, 0.4))]
d, density, parts = 0.03, 7850, 2000
mass = sum(density * math.pi / 4 * d * d * math.dist(p, q) for p, q in rods)
samples = [(density * math.pi / 4 * d * d * math.dist(p, q) / parts,
            [p[k] + (i + 0.5) / parts * (q[k] - p[k]) for k in range(3)],
            [(q[k] - p[k]) / math.dist(p, q) for k in range(3)]) for p, q in rods for i in range(parts)]
centre = [sum(m * x[k] for m, x, _ in samples) / mass for k in range(3)]


def moment(i, j):
    """Slices of a round rod: m d^2/16 (1 + u u^T) each, and their distance from the centre."""
    return sum(m * ((i == j) * sum((x[k] - centre[k]) ** 2 for k in range(3)) - (x[i] - centre[i]) * (x[j] - centre[j])
                    + d * d / 16 * ((i == j) + u[i] * u[j])) for m, x, u in samples)


body = pathlib.Path(folder.name) / 'rods.yaml'
body.write_text(f'linkage: 1\nname: rods\nbodies:\n  a: {{rods: {[[list(p), list(q)] for p, q in rods]}, diameter: {d}, '
                'angular_velocity: [1, 0, 0]}\noutputs: {a: {type: body-pose, body: a}, energy: {type: energy}}\n')
for axis in range(3):
    header, rows = read_table(run('run', body, '-d', 0.001, '-o', '-', '--param',
                                  f'bodies.a.angular_velocity.1={int(axis == 0)}', '--param',
                                  f'bodies.a.angular_velocity.2={int(axis == 1)}', '--param',
                                  f'bodies.a.angular_velocity.3={int(axis == 2)}'))
    energy = rows[0][header.index('energy.kinetic [J]')]
    check(f'rods: moment {axis + 1}', abs(2 * energy - moment(axis, axis)) <= 1e-6 * moment(axis, axis),
          (2 * energy, moment(axis, axis)))
for k, name in enumerate('xyz'):
    check(f'rods: centre {name}', abs(rows[0][header.index(f'a.{name} [m]')] - centre[k]) <= 1e-9)

# ---- linkage flatten ----

out = pathlib.Path(folder.name) / 'out.yaml'
listed = [line.split(' ')[0] for line in run('params', models / 'hatchback.yaml').splitlines()]
check('params: points of parts, which no setting can move, are not listed', len(listed) > 100
      and not any(path.startswith('points.fl.') for path in listed))
run('flatten', models / 'sedan.yaml', '-o', out, '--param', 'bodies.wheel_fl.mass=30')
check('flatten: a number from outside', 'wheel_fl: {mass: 30,' in out.read_text())
check('flatten: twice', run('flatten', out).split('\n', 1)[1] == out.read_text().split('\n', 1)[1])
own = pathlib.Path(folder.name) / 'own.yaml'
own.write_text('linkage: 1\nname: own\nparts: {a: {file: parts/none.yaml}}\n')
run('flatten', own, status=1)
run('flatten', own, '-o', own, status=1)
run('flatten', status=2)
sys.exit(failed)
