#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ground from another process: the sedan on a road of type external, whose waves linkage-ground tells over real sockets.
The car follows them; without the server its last plane stays; a recording replays without a server.
usage: test-ground.py LINKAGED LINKAGECTL LINKAGE LINKAGE-GROUND SOURCE-ROOT"""
import csv, json, math, pathlib, re, shutil, signal, subprocess, sys, tempfile, time

linkaged, linkagectl, linkage, ground = sys.argv[1:5]
root = pathlib.Path(sys.argv[5])
work = pathlib.Path(tempfile.mkdtemp(prefix='linkage-ground-'))
lines = {name: f'ipc://{work}/{name}' for name in ('control', 'inputs', 'outputs')}
PATIENCE_S = 60
AMPLITUDE, LENGTH = 0.05, 12
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


def owner():
    return {one['channel']: one['bench'] for one in ctl('inputs')['inputs']}['ground_fl']


def write_car():
    """the sedan with an external road: its corners have an input each"""
    car = (root / 'config/models/sedan.yaml').read_text(encoding='utf-8')
    car = re.sub(r'(?m)^  ground: \{type: plane.*$', '  ground: {type: external, friction: {input: grip}}', car)
    (work / 'car.yaml').write_text(car, encoding='utf-8')
    shutil.copytree(root / 'config/models/parts', work / 'parts')
    path = work / 'parts/sedan-corner.yaml'
    corner = path.read_text(encoding='utf-8')
    corner = corner.replace('{type: tyre, joint: axle, road: ground,', '{type: tyre, joint: axle, road: ground, ground: {input: ground},')
    path.write_text(corner + 'inputs:\n  ground: {type: ground}\n', encoding='utf-8')


def main():
    write_car()
    (work / 'd.yaml').write_text(f"""linkaged: 1
endpoints: {json.dumps(lines)}
model: {work}/car.yaml
realtime: {{core: none, priority: 0, lock_memory: false, degraded: allow}}
overrun: {{fault_in_a_row: 0}}
watchdog: {{time: 60}}
budget: {{steps: 1000}}
record: {{directory: {work}, autostart: true}}
policy: {{stale: {{action: hold, timeout: 200}}}}
""", encoding='utf-8')
    daemon = start(linkaged, '--config', work / 'd.yaml')
    await_that('the daemon does not come up', lambda: ctl('status', may_fail=True) is not None)
    server = start(ground, '--amplitude', AMPLITUDE, '--length', LENGTH,
                   *(word for name, line in lines.items() for word in (f'--{name}', line)))
    await_that('the server does not get the ground', lambda: owner() == 'linkage-ground')
    await_that('the daemon does not arm', lambda: ctl('arm', '--allow-degraded', may_fail=True) is not None)
    ctl('start')
    ctl('set', 'throttle', 1)
    await_that('the car does not drive over a wave', lambda: ctl('inputs')['inputs'] and
               {one['channel']: one for one in ctl('inputs')['inputs']}['ground_fl']['acting'][0] > 2 * LENGTH)
    server.send_signal(signal.SIGKILL)
    server.wait()
    await_that('nobody says that the ground is stale',
               lambda: all(one['stale'] for one in ctl('inputs')['inputs'] if one['channel'].startswith('ground')))
    if ctl('status')['status']['state'] != 'running':
        fail('the last plane does not stay')
    ctl('stop')
    ctl('shutdown')
    if daemon.wait(PATIENCE_S) != 0:
        fail('the daemon ended with an error')
    recording, = work.glob('*.mcap')
    said = subprocess.run([linkage, 'replay', recording], capture_output=True, text=True)
    if said.returncode != 0 or 'every bit the same' not in said.stdout:
        fail(f'replay: {said.stdout}{said.stderr}')
    subprocess.run([linkage, 'export', recording, '-o', work / 'run.csv'], check=True)
    check_way(work / 'run.csv')


def check_way(path):
    """while the server answered, the contact of a front wheel lies on the wave, to what a late answer on a curved
    ground makes: answers may be late on a busy machine, and are not judged then"""
    with open(path, encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    names = {key.split(' ')[0]: key for key in rows[0]}
    errors, seen = [], 0
    for row in rows:
        x, z = (float(row[names[f'contact_fl.{axis}']]) for axis in 'xz')
        told = float(row[names['ground_fl.x']]) if 'ground_fl.x' in names else x
        if 2 < x < 2 * LENGTH and abs(told - x) < 0.3:
            errors.append(abs(z - AMPLITUDE * math.sin(2 * math.pi * x / LENGTH)))
            seen += 1
    curvature = AMPLITUDE * (2 * math.pi / LENGTH) ** 2
    if seen < 100:
        fail(f'{seen} rows on the waves')
    if max(errors) > 0.5 * curvature * 0.3 ** 2 + 1e-4:
        fail(f'the wheel is {max(errors)} m beside the ground')


try:
    main()
finally:
    for process in processes:
        if process.poll() is None:
            process.kill()
    shutil.rmtree(work, ignore_errors=True)
