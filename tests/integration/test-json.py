#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--json of run, modes, equilibrium, info and sweep: one object on the standard output, with the numbers of the text.

usage: test-json.py LINKAGE TIMED-RECORDING CONFIG LABORATORY(true or false)"""
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

linkage, recorder, config, has_laboratory = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), *sys.argv[3:]
models = pathlib.Path(config, 'models').resolve()
given = pathlib.Path(config, 'studies/four-bar.yaml').resolve()
faults = []


def say(*arguments, code=0):
    done = subprocess.run([linkage, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != code:
        faults.append(f'{arguments}: exit status {done.returncode} instead of {code}: {done.stderr}')
    return done


def ask(*arguments, code=0):
    """the object, which has no NaN and no key twice"""
    def refuse(word):
        raise ValueError(f'{word} is no JSON')

    def unique(pairs):
        assert len({key for key, _ in pairs}) == len(pairs), pairs
        return dict(pairs)
    return json.loads(say(*arguments, code=code).stdout, parse_constant=refuse, object_pairs_hook=unique)


def near(what, value, text, rounding=5e-3):
    """@text: as it is printed, rounded to 3 digits or more"""
    if not math.isclose(value, float(text), rel_tol=rounding, abs_tol=1e-300):
        faults.append(f'{what}: {value} in the object, {text} in the text')


def same(what, value, expected):
    if value != expected:
        faults.append(f'{what}: {value}, expected {expected}')


def find(pattern, text):
    found = re.search(pattern, text)
    if not found:
        faults.append(f'no {pattern} in {text}')
    return found.groups() if found else ['nan'] * 9


def run():
    options = ('run', models / 'four-bar.yaml', '-d', '0.5', '--set', 'motor=3')
    text, data = say(*options).stdout, ask(*options, '--json')
    steps, step, order, time = find(r'four-bar: (\d+) steps of (\S+) ms, order (\d), (\S+) s', text)
    same('run', (data['model'], data['steps'], data['order'], data['turning']),
         ('four-bar', int(steps), int(order), find(r"largest turn.*body '(.*)'", text)[0]))
    near('step', data['step_s'], float(step) / 1e3)
    near('time', data['time_s'], time)
    near('drift', data['energy_drift_J'], find(r'energy drift +(\S+) J', text)[0])
    near('energy', data['energy_start_J'], find(r'energy at the start (\S+) J', text)[0])
    for key, value in zip(('residual_position', 'residual_velocity'), find(r'residuals +position (\S+) .*velocity (\S+)', text)):
        near(key, data[key], value)
    near('increment', data['increment'], find(r'largest increment +(\S+)', text)[0])
    near('turn', data['turn_rad'], find(r'largest turn +(\S+)', text)[0])
    both = say(*options, '--json', '-o', '-')
    same('rows beside', (json.loads(both.stderr)['steps'], len(both.stdout.splitlines())), (int(steps), int(steps) + 2))
    same('no object of a failure', say('run', 'nowhere.yaml', '--json', code=1).stdout, '')


def method():
    options = ('run', models / 'four-bar.yaml', '-d', '0.1', '--formulation', 'absolute', '--tolerance', '1e-8')
    text, data = say(*options).stdout, ask(*options, '--json')
    same('method', ', '.join([data['formulation'], data['integrator'], f"tolerance {data['tolerance']:g}"]), find(r'method +(.*)', text)[0])
    same('steps', (data['steps'], data['step_s']), (int(find(r'four-bar: (\d+) steps', text)[0]), None))
    same('work', tuple(map(str, (data['rates'], data['factorisations'], data['iterations'], data['rejected']))),
         find(r'work +(\d+) right-hand sides, (\d+) factorisations, (\d+) iterations, (\d+)', text))
    near('drift', data['energy_drift_J'], find(r'energy drift +(\S+) J', text)[0])


def drift():
    """The work of loads and of drives is none."""
    loads = 'forces: {push: {type: constant-torque, body: top, torque: [0, 2, 0]}, ' \
            'air: {type: drag, body: top, area: [1, 1, 1], wind: [3, 0, 0]}}\n'
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder, 'top.yaml')
        top.write_text((models / 'heavy-top.yaml').read_text().replace('outputs:\n', loads + 'outputs:\n  work: {type: work}\n'))
        runs = [(top,), (models / 'walker.yaml',)]
        if has_laboratory == 'true':
            runs.append((top, '--formulation', 'absolute', '--tolerance', '1e-8'))
        for options in runs:
            options = ('run', *options, '-d', '2')
            first, *_, last = csv.reader(say(*options, '-o', '-').stdout.splitlines())
            work = max(abs(float(last[first.index(f'work.{name} [J]')])) for name in ('drive', 'applied'))
            found = ask(*options, '--json')['energy_drift_J']
            if not work > 0.1 or not found < 1e-3 * work:
                faults.append(f'{options}: a drift of {found} J, where {work} J of work were done')


def modes():
    for options in ([models / 'quarter-car.yaml'], [models / 'bicycle.yaml', '--pose'], [models / 'pendulum.yaml']):
        text, data = say('modes', *options).stdout, ask('modes', *options, '-j')
        rows = re.findall(r'^ *(\d+)  +(\S+) (?:\+- (\S+) +)? *([\d.e+-]+|) +(free|creeps|grows|[\d.-]+)  (.*)$', text, re.M)
        same('modes', [int(row[0]) for row in rows], [mode['mode'] for mode in data['modes']])
        same('freedoms', data['degrees_of_freedom'], int(find(r'(\d+) degrees', text)[0]))
        same('about', data['about'] == 'equilibrium', 'static equilibrium' in text)
        same('rests', data['rests'], 'does not rest' not in text)
        for (_, re_, im, hz, kind, moves), mode in zip(rows, data['modes']):
            same('kind', mode['kind'], kind if kind in ('free', 'creeps', 'grows') else 'swings')
            near('real part', mode['re_per_s'], re_, 1e-5)
            near('imaginary part', mode['im_per_s'], im or 0, 1e-5)
            near('frequency', mode['frequency_hz'], hz or 0)
            if mode['kind'] == 'swings':
                same('damping', f"{mode['damping']:.4f}", kind)
            same('moves', ', '.join(f"{part['body']} {part['direction']} {100 * part['share']:.0f} %" for part in mode['moves'][:4]),
                 moves.strip())
    data = ask('modes', models / 'quarter-car.yaml', '--pose', '--json', '-o', 'm')
    same('matrices', (data['matrices'], os.path.exists('m-A.csv')), ('m', True))


def equilibrium():
    text, data = say('equilibrium', models / 'quarter-car.yaml').stdout, ask('equilibrium', models / 'quarter-car.yaml', '--json')
    same('iterations', data['iterations'], int(find(r'after (\d+) iterations', text)[0]))
    near('force', data['largest_force_N'], find(r'largest is (\S+)', text)[0])
    lines = {line.split()[0]: line.split()[1:] for line in text.split('outputs\n')[0].splitlines() if line.startswith('  ')}
    numbers = [(body['name'], body['position_m'] + body['orientation']) for body in data['bodies']]
    numbers += [(joint['name'], joint['force_N'] + joint['torque_Nm']) for joint in data['joints']]
    for name, values in numbers:
        for value, word in zip(values, lines[name], strict=True):
            near(name, value, word, 1e-5)
    for output in data['outputs']:
        words = ' '.join(f"{component} {value:.9g} {unit}".strip() + ',' for component, value, unit
                         in zip(output['components'], output['values'], output['units'], strict=True))[:-1]
        line = next(line for line in text.split('outputs\n')[1].splitlines() if line.split()[0] == output['name'])
        same('output', ' '.join(line.split()).replace(' -0 ', ' 0 '), f"{output['name']} {words}")


def info():
    subprocess.run([recorder, 'plain', 'good.mcap'], check=True)
    whole = pathlib.Path('good.mcap').read_bytes()
    pathlib.Path('cut.mcap').write_bytes(whole[:len(whole) * 3 // 4])
    for name, ending in (('good.mcap', 'whole'), ('cut.mcap', 'cut')):
        text, data = say('info', name).stdout, ask('info', name, '--json')
        size, duration = find(rf'{name}: (\d+) bytes, (\S+) s', text)
        same('bytes', (data['bytes'], data['file'], data['ending']), (int(size), name, ending))
        near('duration', data['duration_s'], duration)
        same('whole', ending == 'whole', 'the file is whole' in text)
        for topic in data['topics']:
            same(topic['name'], topic['messages'], int(find(rf"  {topic['name']} +(\d+) messages", text)[0]))
        same('model', data['begin']['model'], find(r'  model +(.*)', text)[0])


def sweep():
    study = pathlib.Path('study.yaml')  # of which some cases do not pass
    study.write_text(given.read_text(encoding='utf-8').replace('../models', str(models)).replace('[-8, 8]', '[-3, 3]'), encoding='utf-8')
    data = ask('sweep', study, '-o', 'table.csv', '--json', code=3)
    text = say('sweep', '--join', 'table.csv.journal', '-o', 'again.csv', code=3).stdout
    rows = [line.split(',')[1] for line in pathlib.Path('table.csv').read_text(encoding='utf-8').splitlines()[1:]]
    same('sweep', data, {'table': 'table.csv', 'complete': True, 'cases': len(rows), 'done': len(rows),
                         'passed': rows.count('passed'), 'not_passed': len(rows) - rows.count('passed')})
    same('its text', text, f"again.csv: {data['cases']} cases, {data['passed']} passed, {data['not_passed']} not\n")
    part = ask('sweep', study, '-o', 'parts.csv', '--shard', '1/2', '--json')
    same('a part', (part['complete'], part['done'], part['passed']), (False, len(rows) // 2, None))
    same('both', ask('sweep', study, '-o', 'parts.csv', '--shard', '2/2', '--json', code=3)['passed'], data['passed'])
    same('joined', ask('sweep', '--join', 'table.csv.journal', '-o', 'again.csv', '--json', code=3)['not_passed'], data['not_passed'])
    say('sweep', study, '--list', '--json', code=2)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for test in [run, drift, modes, equilibrium, info, sweep] + [method] * (has_laboratory == 'true'):
        test()
    os.chdir('/')
print('\n'.join(faults) or 'good')
sys.exit(1 if faults else 0)
