#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A beam as a modal body: the spin-up of Kane, frequencies of a cantilever, rest under its weight beside the beam itself; one
result from a file and from the flat text, and from a state that was kept; refused files.
usage: test-modal.py LINKAGE MODELS"""
import json
import math
import pathlib
import re
import sys

from tool import Tool

models = pathlib.Path(sys.argv[2]).resolve()
tool = Tool(sys.argv[1])
linkage, here, check, run, write, table = tool.program, tool.here, tool.check, tool.run, tool.write, tool.table


def near(what, value, expected, tolerance):
    check(what, abs(value - expected) <= tolerance, f'{value:.8g} instead of {expected:.8g}')


# the beam of the shipped model, as the beam itself and by 20 of its modes
BEAM = re.search(r'  beam: (\{.*?\}\})', (models / 'spin-up-beam.yaml').read_text(), re.S).group(1)
BODIES = {'beam': BEAM, 'modal': '{type: modal, file: beam.modes}'}
run('flex', models / 'spin-up-beam.yaml', '--beam', 'beam', '--modes', 20, '-o', 'beam.modes')

SPIN = '''linkage: 1
name: spin
flexible:
  beam: %s
joints:
  root: {type: revolute, bodies: [ground, beam.root], point: [0, 0, 0], axis: [0, 0, 1], drive: {input: angle, period: 0}}
inputs:
  angle: {type: drive}
outputs:
  tip: {type: body-pose, body: beam.tip}
  phi: {type: joint-position, joint: root}
  first: {type: %s}
'''
REST = '''linkage: 1
name: rest
gravity: %s
start: equilibrium
flexible:
  beam: %s
joints:
  root: {type: fixed, bodies: [ground, beam.root], point: [0, 0, 0]}
outputs:
  tip: {type: body-pose, body: beam.tip}
  root: {type: joint-reaction, joint: root}
'''

# ---- the spin-up: values of a geometrically exact beam, see flexible bodies in doc/figures.md ----

T, RATE = 15, 2 * math.pi / 15
with open(here / 'angle.csv', 'w', encoding='ascii') as file:
    file.write('time,angle\n')
    for k in range(16000):
        t = k * 0.001
        angle = 6 / T * (t * t / 2 + (math.cos(RATE * t) - 1) / RATE**2) if t < T else 6 * t - 45
        file.write(f'{t:.3f},{angle:.17g}\n')
write('spin.yaml', SPIN % (BODIES['modal'], 'mode, body: beam, mode: 1'))
run('run', 'spin.yaml', '--inputs', 'angle.csv', '-d', 15.1, '-n', 1, '-o', 'spin.csv')
for row in table('spin.csv'):
    for t, u, v, turn in ((3, -2.728e-3, -0.21727, -0.029624), (7.5, -1.7742e-2, -0.55908, -0.074779),
                          (15, 5.140e-4, 1.303e-3, 1.68e-4)):
        if abs(row['time'] - t - 0.001) > 1e-6:  # the drive is a step behind its input
            continue
        a, x, y = row['phi'], row['tip.x'], row['tip.y']
        near(f'u({t})', math.cos(a) * x + math.sin(a) * y - 10, u, 0.01 * 1.7742e-2)
        near(f'v({t})', -math.sin(a) * x + math.cos(a) * y, v, 0.002 * 0.559)
        near(f'turn({t})', math.remainder(2 * math.atan2(row['tip.qz'], row['tip.qw']) - a, 2 * math.pi), turn, 0.002 * 0.0748)

# ---- one result, whatever the way ----

(here / 'flat.yaml').write_text(run('flatten', 'spin.yaml').stdout)
check('flat text', 'beam.modes' not in (here / 'flat.yaml').read_text(), 'names the file')
for name in ('spin', 'flat'):
    run('run', f'{name}.yaml', '--inputs', 'angle.csv', '-d', 1, '-o', f'{name}-1.csv', '--force')
check('flat text', (here / 'spin-1.csv').read_text() == (here / 'flat-1.csv').read_text(), 'moves otherwise')
run('run', 'spin.yaml', '--inputs', 'angle.csv', '-d', 0.5, '--save-state', 'half')
run('run', 'spin.yaml', '--inputs', 'angle.csv', '-d', 0.5, '--start-state', 'half', '-o', 'second.csv')
check('state', table('second.csv')[-1] == table('spin-1.csv')[-1], 'goes on with other bits')

# ---- small motions and rest ----


def frequencies(text):
    return [float(match) for match in re.findall(r'\+- ([0-9.]+)', text)]


write('cantilever.yaml', REST % ('[0, 0, 0]', BODIES['modal']))
found, unit = frequencies(run('modes', 'cantilever.yaml').stdout), math.sqrt(1.4e4 / 1.2e4)
for k, exact in ((0, 3.51602), (2, 22.03449), (4, 61.69721)):
    near(f'frequency {k}', found[k] / (exact * unit), 1, 0.012 + 0.01 * (k > 2))
    near(f'frequency {k + 1}', found[k + 1], found[k], 1e-4 * found[k])
for name in BODIES:
    write(f'{name}.yaml', REST % ('[0, 0, -9.81]', BODIES[name]))
    run('run', f'{name}.yaml', '-d', 0.2, '-n', 100, '-o', f'{name}.csv')
tip = {name: table(f'{name}.csv')[-1] for name in BODIES}
near('deflection', tip['modal']['tip.z'], tip['beam']['tip.z'], 0.003)
near('it rests', tip['modal']['tip.z'], table('modal.csv')[0]['tip.z'], 1e-9)
near('weight', tip['modal']['root.fz'], 12 * 9.81, 1e-6)
near('moment', tip['modal']['root.ty'], tip['beam']['root.ty'], 0.05)
loaded = [frequencies(run('modes', f'{name}.yaml').stdout) for name in BODIES]
for k in range(6):
    near(f'frequency {k} under weight', loaded[1][k] / loaded[0][k], 1, 0.003)

# ---- what moves, by its kinetic energy ----

write('free.yaml', '''linkage: 1
name: free
gravity: [0, 0, 0]
bodies:
  arm: {mass: 3, inertia: [1, 1, 1], position: [0, 0, 0], modes: {frequency: [2], nodes: {tip: {position: [1, 0, 0], shape: [[0.3, 0, 0, 0, 0, 0]]}}}}
''')
moves = [mode for mode in json.loads(run('modes', 'free.yaml', '--json').stdout)['modes'] if mode['kind'] == 'swings']
check('the mode of a free body', [[(part['body'], part['direction']) for part in mode['moves']] for mode in moves] == [[('arm', 'bending')]], moves)
near('its share', moves[0]['moves'][0]['share'], 1, 1e-6)

# ---- about a steady rotation: Euler-Bernoulli beam under its centrifugal tension, flap and lag in turn ----

TURN = '''linkage: 1
name: turn
gravity: [0, 0, 0]
flexible:
  beam: %s
bodies:
  hub: {mass: 1e3, inertia: [1e9, 1e9, 1e9], position: [0, 0, 0], angular_velocity: [0, 0, %.17g]}
joints:
  hinge: {type: revolute, bodies: [ground, hub], point: [0, 0, 0], axis: [0, 0, 1]}
  root: {type: fixed, bodies: [hub, beam.root], point: [%g, 0, 0]}
'''
AWAY = {'beam': BEAM.replace('from: [0, 0, 0], to: [10,', 'from: [10, 0, 0], to: [20,'), 'modal': '{type: modal, file: beam.modes, position: [10, 0, 0]}'}
for name in BODIES:
    for r, eta, exact in ((0, 1, (3.54324, 3.68165, 22.15846, 22.18101)), (0, 2, (3.62180, 4.13732, 22.52631, 22.61492)),
                          (1, 2, (4.40052, 4.83369, 23.28029, 23.36604))):
        if name == 'beam' and r == 0:  # 97 degrees of freedom take a second
            continue
        write('turn.yaml', TURN % ((AWAY if r else BODIES)[name], eta * unit, 10 * r))
        found = frequencies(run('modes', 'turn.yaml', '--turning', 'hub').stdout)
        for k in range(4):
            near(f'{name}, hub {r}, rate {eta}, {k}', found[k] / (exact[k] * unit), 1, 0.002 if k < 2 else 0.007)

# ---- refused ----


def refused(what, text, *words):
    write('bad.yaml', text)
    error = run('check', 'bad.yaml', status=1).stderr
    for word in words:
        check(what, word in error, error)


refused('no file', SPIN.replace('%s', '{type: modal}', 1) % 'energy', "bad.yaml:4:9: the key 'file' is missing")
refused('other file', SPIN.replace('%s', '{type: modal, file: none.modes}', 1) % 'energy', "bad.yaml:4:29: there is no file 'none.modes'")
refused('other folder', SPIN.replace('%s', '{type: modal, file: ../beam.modes}', 1) % 'energy', 'bad.yaml:4:29:')
lines = (here / 'beam.modes').read_text().split('\n')
at = next(i for i, line in enumerate(lines) if line.startswith('frequency'))
lines[at] = lines[at].replace('[', '[-', 1)
write('bad.modes', '\n'.join(lines))
refused('bad file', SPIN.replace('%s', '{type: modal, file: bad.modes}', 1) % 'energy', f'bad.modes:{at + 1}:13: frequency is -')
write('half.modes', 'mass: 1\ninertia: [1, 1, 1]\n')
refused('half a file', SPIN.replace('%s', '{type: modal, file: half.modes}', 1) % 'energy', 'half.modes')

sys.exit(tool.failed)
