#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""linkage-can between a real daemon and a bus that is this test: outputs in messages against the offline run, cycles by the
steps, counters and checksums; messages as inputs with their owner; what is refused; a bus that goes, is bus-off and comes
back; another model, a daemon that ends; keys; the file of a model; and one line for each mistake.

usage: test-can.py LINKAGED LINKAGECTL LINKAGE-CAN LINKAGE"""
import csv, json, os, struct, subprocess, sys, traceback

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from can_bus import Bus, ERROR, EXTENDED, crc8, put_raw, raw_of
from programs import DRIVEN_ARM, Programs

linkaged, linkagectl, can, linkage = sys.argv[1:5]
programs = Programs(linkaged, linkagectl)
work, fail, expect, ctl = programs.work, programs.fail, programs.expect, programs.ctl

MODEL = DRIVEN_ARM + """inputs:
  motor: {type: joint-torque, joint: pin, limits: [-10, 10]}
  push-tip: {type: body-force, body: arm}
outputs:
  angle: {type: joint-position, joint: pin}
  rate: {type: joint-velocity, joint: pin}
  pose: {type: body-pose, body: arm}
  heard: {type: input, input: motor}
solver: {step: 0.001}
"""
DBC = """VERSION ""
BU_: linkaged Controller
BO_ 256 Arm: 8 linkaged
 SG_ angle : 7|16@0- (0.01,0) [-327|327] "deg" Controller
 SG_ rate : 16|24@1- (0.0001,0) [0|0] "rad/s" Controller
 SG_ alive : 40|4@1+ (1,0) [0|0] "" Controller
 SG_ crc : 48|8@1+ (1,0) [0|0] "" Controller
BO_ 2147483905 Pose: 24 linkaged
 SG_ z : 0|64@1- (1,0) [0|0] "m" Controller
 SG_ heard : 64|32@1- (1,0) [0|0] "N m" Controller
BO_ 512 Torque: 4 Controller
 SG_ motor : 7|16@0- (0.001,0) [-20|20] "Nm" linkaged
 SG_ count : 16|8@1+ (1,0) [0|0] "" linkaged
BO_ 513 Push: 6 Controller
 SG_ push_tip_x : 0|16@1- (0.1,0) [0|0] "N" linkaged
 SG_ push_tip_z : 32|16@1- (0.1,0) [0|0] "N" linkaged
BO_ 600 Foreign: 8 Controller
 SG_ temperature : 0|8@1+ (1,-40) [0|0] "degC" Vector__XXX
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_ "GenMsgCycleTime" BO_ 256 10;
SIG_VALTYPE_ 2147483905 z : 2;
SIG_VALTYPE_ 2147483905 heard : 1;
"""
MAP = """can: 1
node: linkaged
signals:
  Arm.angle: {channel: angle, factor: 57.29577951308232}
  z: pose.z
messages:
  Arm: {counter: alive, checksum: {signal: crc, kind: crc8-j1850}}
  Pose: {cycle: 0.025}
  Torque: {counter: count}
"""
BUS_NAME = work / 'bus'
times = {'Push': 0, 'Torque': 0}   # that they were claimed


def start_can(*more):
    return programs.start('can.log', can, '--endpoint', programs.endpoint('control'), '--inputs', programs.endpoint('inputs'),
                          '--outputs', programs.endpoint('outputs'), '--interface', f'unix:{BUS_NAME}', '--dbc', work / 'x.dbc',
                          *more)


def claims():
    return sorted(claim['bench'] for claim in ctl('inputs')[0]['claims'])


def commanded(channel):
    return next(c['commanded'] for c in ctl('inputs')[0]['inputs'] if c['channel'] == channel)


def await_claims(*names, anew=True):
    """the daemon has them, and linkage-can knows of those that it did not have"""
    programs.await_true(f'claims are not {names}', lambda: claims() == sorted(f'linkage-can {name}' for name in names))
    for name in names:
        times[name] += anew
        programs.await_log('can.log', f'inputs of {name}: claimed', times[name])


def run_to_armed():
    programs.await_true('no proof', lambda: programs.control('arm', '--allow-degraded').returncode == 0)
    ctl('start')


def offline(steps):
    """the same by linkage run: rows of numbers by column"""
    done = subprocess.run([linkage, 'run', work / 'm.yaml', '--duration', str(steps * 0.001), '--output', '-', '--set', 'motor=2.5'],
                          capture_output=True, text=True, check=True)
    table = list(csv.reader(line for line in done.stdout.splitlines() if not line.startswith('#')))
    return {name.split(' ')[0]: [float(row[i]) for row in table[1:]] for i, name in enumerate(table[0])}


def torque(value, count, length=4):
    data = bytearray(4)
    put_raw(data, round(value / 0.001) & 0xffff, 7, 16, True)
    put_raw(data, count, 16, 8)
    return bytes(data[:length])


def step_one(bus, k):
    """a step, and the frames of it: those of Arm at 1, 10, 20 .. and those of Pose at 1, 25, 50 .."""
    frames = []
    ctl('step', 1)
    for number in [256] * (k == 1 or k % 10 == 0) + [EXTENDED | 257] * (k == 1 or k % 25 == 0):
        frames.append(bus.receive())
        expect(f'the identifier of step {k}', hex(frames[-1][0]), hex(number))
    return dict(frames)


def test_outputs(bus):
    """numbers of the offline run in the bits of messages, at the steps of their cycles"""
    n = 60
    run = offline(n)
    arms = 0
    for k in range(1, n + 1):
        frames = step_one(bus, k)
        if 256 in frames:
            data = frames[256]
            expect('bytes', len(data), 8)
            expect(f'angle at {k}', raw_of(data, 7, 16, True, True), round(run['angle'][k] * 57.29577951308232 / 0.01))
            expect(f'rate at {k}', raw_of(data, 16, 24, False, True), round(run['rate'][k] / 0.0001))
            expect('the counter', raw_of(data, 40, 4), arms % 16)
            expect('the checksum', data[6], crc8(data[:6] + data[7:]))
            arms += 1
        if EXTENDED | 257 in frames:
            data = frames[EXTENDED | 257]
            expect('bytes of FD', len(data), 24)
            expect(f'z at {k}', struct.unpack_from('<d', data)[0], run['pose.z'][k])
            expect('what is heard', struct.unpack_from('<f', data, 8)[0], 2.5)
    expect('frames of Arm', arms, 7)


def test_inputs(bus):
    """a frame commands an input; its sender has the claim; what is refused changes nothing"""
    await_claims('Push', 'Torque', anew=False)
    bus.send(512, torque(-3.125, 1))
    programs.await_true('the torque is not there', lambda: commanded('motor') == [-3.125])
    bus.send(512, torque(10.5, 2))      # beyond the limits of the input
    bus.send(512, torque(1, 3, 3))      # too short
    bus.send(512, torque(1.5, 2))       # the count of the one that was refused
    bus.send(512 | EXTENDED, torque(1, 4))
    bus.send(600, bytes(8))
    bus.send(513, bytes([20, 0, 9, 9, 0xf6, 0xff]))
    programs.await_true('the push is not there', lambda: commanded('push-tip') == [2, 0, -1])
    expect('nothing of what was refused', commanded('motor'), [-3.125])
    bus.send(512, torque(2.5, 5), fd=True)
    programs.await_true('the next torque is not there', lambda: commanded('motor') == [2.5])
    done = programs.control('set', 'motor', '1')
    expect('it is claimed', (done.returncode, 'linkage-can Torque' in done.stderr + done.stdout), (1, True))


def test_bus_goes(bus):
    """without the bus nobody owns the inputs; it comes back by itself"""
    bus.close()
    programs.await_log('can.log', 'is not there')
    await_claims()
    bus = Bus(BUS_NAME)
    bus.accept()
    await_claims('Push', 'Torque')
    bus.send(ERROR | 0x40, bytes(8))
    programs.await_log('can.log', 'is bus-off')
    await_claims()
    bus.send(ERROR | 0x100, bytes(8))
    await_claims('Push', 'Torque')
    bus.send(512, torque(1.25, 77))
    programs.await_true('no torque after a restart', lambda: commanded('motor') == [1.25])
    return bus


def test_other_model(bus):
    """another model is planned anew; one that the map does not fit is said"""
    (work / 'other.yaml').write_text(MODEL.replace('push-tip', 'push-end'))
    ctl('stop')
    ctl('load', work / 'other.yaml')
    await_claims('Torque')
    (work / 'none.yaml').write_text(MODEL.replace('  pose: {type: body-pose, body: arm}\n', ''))
    ctl('load', work / 'none.yaml')
    programs.await_log('can.log', "m.map:5:6: the model has no output 'pose.z' of one number")
    await_claims()
    ctl('load', work / 'm.yaml')
    await_claims('Push', 'Torque')
    run_to_armed()
    expect('a run anew', sorted(step_one(bus, 1)), [256, EXTENDED | 257])


def test_daemon_ends(bus, daemon):
    """one that begins anew has its benches again, and its run begins all messages"""
    programs.end(daemon, 9)
    daemon = programs.start_daemon(work / 'm.yaml', 'inputs: {claims: required}')
    programs.await_true('no answer', lambda: programs.control('status').returncode == 0)
    await_claims('Push', 'Torque')
    run_to_armed()
    expect('its first step', sorted(step_one(bus, 1)), [256, EXTENDED | 257])
    return daemon


def test_counts(process):
    """at the end all is counted"""
    expect('the end', programs.end(process), 0)
    counts = json.loads((work / 'can.log').read_text().splitlines()[-1])
    expect('frames', {key: counts[key] for key in ('sent', 'not_sent', 'taken', 'out_of_range', 'short', 'repeated', 'spoilt')},
           {'sent': 14, 'not_sent': 0, 'taken': 5, 'out_of_range': 1, 'short': 1, 'repeated': 1, 'spoilt': 0})
    expect('samples', (counts['given'], counts['unheard'], counts['times_down']), (5, 0, 2))
    await_claims()


def run(*words, status=1):
    done = subprocess.run([can, *map(str, words)], capture_output=True, text=True, timeout=60)
    expect(f'exit status of {words}: {done.stdout}{done.stderr}', done.returncode, status)
    return done


def test_check():
    """what is sent and received, by the model file as by the daemon"""
    words = ('--check', '--dbc', work / 'x.dbc', '--map', work / 'm.map')
    by_file = run(*words, work / 'm.yaml', status=0).stdout
    by_daemon = run(*words, '--endpoint', programs.endpoint('control'), '--inputs', programs.endpoint('inputs'), '--outputs',
                    programs.endpoint('outputs'), status=0).stdout
    expect('both', by_file, by_daemon)
    for line in ('sent Arm: identifier 0x100, 8 bytes, every 10 ms, counter alive to 15, checksum crc (crc8-j1850)\n',
                 'received Torque: identifier 0x200, 4 bytes, counter count to 255\n',
                 'not received, without a channel (1): Foreign.temperature\n', 'inputs without a signal: push-tip.y\n',
                 "'motor' reaches from -20 to 20, the limits of 'motor' are -10 to 10"):
        expect(line, line in by_file, True)


def test_mistakes():
    """one line, which says where"""
    (work / 'bad.dbc').write_text(DBC.replace('0.01,0', '0,0'))
    (work / 'bad.map').write_text(MAP.replace('pose.z', 'pose.w'))
    (work / 'worse.map').write_text(MAP.replace('cycle: 0.025', 'cycles: 0.025'))
    base = ('--check', '--dbc', work / 'x.dbc')
    model = work / 'm.yaml'
    for words, status, line in (
            (('--check', '--dbc', work / 'bad.dbc', '--node', 'linkaged', model), 1, "bad.dbc:4:6: the factor of 'angle' is 0, expected another\n"),
            (('--check', '--dbc', work / 'no.dbc', model), 1, 'no.dbc: No such file or directory\n'),
            ((*base, '--map', work / 'bad.map', model), 1,
             "bad.map:5:6: the model has no output 'pose.w' of one number, expected CHANNEL or CHANNEL.COMPONENT\n"),
            ((*base, '--map', work / 'worse.map', model), 1, 'worse.map:8:10: '),
            ((*base, '--node', 'nobody', model), 1, "x.dbc has no node 'nobody', expected one of BU_\n"),
            ((*base, work / 'no.yaml'), 1, 'no.yaml: '),
            ((*base, '--key', 'x', model), 2, "--server-key and --key belong together, given is only 'x'"),
            ((*base, model, 'more'), 2, "no argument is expected, not 'more'"),
            (('--dbc', work / 'x.dbc'), 2, "missing: '--interface'"),
            (('--interface', 'can0'), 2, "missing: '--dbc'"),
            (('--dbc', work / 'x.dbc', '--interface', 'x' * 16), 2, '--interface: expected can0, or unix:PATH, not'),
            (('--dbc', work / 'x.dbc', '--interface', 'can0', '--endpoint', 'ipc:///x'), 2, '--inputs is wanted beside --endpoint')):
        done = run(*words, status=status)
        expect(f'the lines of {words}', (done.stderr.count('\n'), line in done.stderr), (1, True))
    done = run('--check', '--dbc', work / 'bad.dbc', model, status=0)
    expect('a mistake that matters to nobody', "bad.dbc:4:6: the factor of 'angle' is 0" in done.stdout, True)
    expect('help', 'usage: linkage-can' in run('--help', status=0).stdout, True)


def test_file_of_a_model():
    """linkage export --dbc: every channel of it is matched, by both lengths of frames"""
    for fd, messages in ((False, 7), (True, 2)):
        exported = work / 'model.dbc'
        subprocess.run([linkage, 'export', '--dbc', work / 'm.yaml', '-o', exported, *['--fd'] * fd], check=True)
        text = run('--check', '--dbc', exported, '--node', 'linkaged', work / 'm.yaml', status=0).stdout
        lines = text.splitlines()
        expect('messages', sum(line.startswith(('sent', 'received')) for line in lines), messages)
        expect('outputs and inputs', (text.count(' <- '), text.count(' -> ')), (10, 4))
        expect('nothing is left', ('without' in text, 'warning' in text), (False, False))


def test_keys(bus):
    """a client of role bench sends and receives; one of role read only sends"""
    def keygen(*words):
        return subprocess.run([linkagectl, 'keygen', *words], capture_output=True, text=True, check=True).stdout

    keygen('server', work / 'server.key')
    names = {'reader': 'read', 'rig': 'bench', 'boss': 'control'}
    (work / 'clients').write_text(''.join(keygen('client', name, '--role', role, work) for name, role in names.items()))
    programs.keys = ['--server-key', work / 'server.key.pub', '--key', work / 'boss.key']
    daemon = programs.start_daemon(work / 'm.yaml', 'security: {secret_key: server.key, clients: clients}')
    for name, has_claims in (('reader', False), ('rig', True)):
        process = start_can('--map', work / 'm.map', '--server-key', work / 'server.key.pub', '--key', work / f'{name}.key')
        bus.accept()
        if has_claims:
            await_claims('Push', 'Torque')
        else:
            programs.await_log('can.log', 'inputs of Torque: claim is beyond the role of this client')
        run_to_armed()
        programs.await_true(f'no frame with {name}', lambda: ctl('step', 10) and bus.has_frame())
        expect('one of ours', bus.receive()[0] in (256, EXTENDED | 257), True)
        ctl('stop')
        expect('the end', programs.end(process), 0)
    programs.end(daemon)


def main():
    (work / 'm.yaml').write_text(MODEL)
    (work / 'x.dbc').write_text(DBC)
    (work / 'm.map').write_text(MAP)
    test_mistakes()
    test_file_of_a_model()
    process = start_can('--map', work / 'm.map')
    programs.await_log('can.log', 'is not there')
    bus = Bus(BUS_NAME)
    bus.accept()
    daemon = programs.start_daemon(work / 'm.yaml', 'inputs: {claims: required}')
    programs.await_log('can.log', 'model driven-arm: 2 messages are sent, 2 received')
    test_check()
    await_claims('Push', 'Torque')
    bus.send(512, torque(2.5, 200))
    programs.await_true('the torque is not there', lambda: commanded('motor') == [2.5])
    run_to_armed()
    test_outputs(bus)
    test_inputs(bus)
    bus = test_bus_goes(bus)
    test_other_model(bus)
    daemon = test_daemon_ends(bus, daemon)
    test_counts(process)
    programs.end(daemon)
    test_keys(bus)
    bus.close()


try:
    main()
except Exception:
    fail(traceback.format_exc())
programs.close()
