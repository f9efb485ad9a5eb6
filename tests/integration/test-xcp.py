#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""linkage-xcp between a real daemon and masters over real sockets: the A2L file and what stands at its addresses, values that
are set and refused, lists of measurement against the offline run, bit for bit, overload, a second master, a daemon that ends
and another model, keys, and bytes that are no XCP.

usage: test-xcp.py LINKAGED LINKAGECTL LINKAGE-XCP LINKAGE BENCH"""
import csv, os, signal, socket, struct, subprocess, sys, traceback, zlib

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from programs import DRIVEN_ARM, Programs, free_port
from xcp_master import NOT_NOW, Master, Refused, Silence, read_a2l

linkaged, linkagectl, slave, linkage, bench = sys.argv[1:6]
programs = Programs(linkaged, linkagectl)
started = []   # ports of all slaves so far
work, fail, expect, ctl = programs.work, programs.fail, programs.expect, programs.ctl
DENIED, PROTECTED, RANGE, UNKNOWN = 0x24, 0x23, 0x22, 0x20

MODEL = DRIVEN_ARM + """forces:
  drag: {type: joint-spring-damper, joint: pin, damping: 0.5}
parameters:
  load: {acts: [bodies.arm.mass], limits: [0.5, 5]}
  drag: {acts: [forces.drag.damping], limits: [0, 10], tunable: true}
inputs:
  motor: {type: joint-torque, joint: pin, limits: [-10, 10]}
  push-tip: {type: body-force, body: arm}
outputs:
  angle: {type: joint-position, joint: pin}
  pose: {type: body-pose, body: arm}
  heard: {type: input, input: motor}
solver: {step: 0.001}
"""


def start_slave(port, *more):
    started.append(port)
    process = programs.start('xcp.log', slave, '--endpoint', programs.endpoint('control'), '--outputs',
                             programs.endpoint('outputs'), '--port', port, *more)
    programs.await_log('xcp.log', f'127.0.0.1:{port}', started.count(port))
    return process


def refused(code, what, *words):
    try:
        what(*words)
    except Refused as error:
        expect(f'{what.__name__}{words}: the error', hex(error.args[0]), hex(code))
        return error.args[1]
    return fail(f'{what.__name__}{words} was not refused')


def connected(port, tcp=False):
    """a master with a session, once the slave knows a model"""
    master = Master(port, tcp)

    def try_it():
        try:
            master.info = master.connect()
            return True
        except Refused as error:
            expect('why not yet', hex(error.args[0]), hex(NOT_NOW))
            return False
    programs.await_true('no session', try_it)
    return master


def run_to_armed():
    programs.await_true('no proof', lambda: programs.control('arm', '--allow-degraded').returncode == 0)
    ctl('start')


def step(n):
    return ctl('step', n)


def step_seen(master, n=1):
    """one after the other, each of which has been published: two at once would be one sample"""
    for _ in range(n):
        before = master.ask('<B', 0xdc)
        step(1)
        programs.await_true('no step', lambda: master.ask('<B', 0xdc) != before)


def offline(*more):
    """the same by linkage run: rows of numbers by column"""
    done = subprocess.run([linkage, 'run', work / 'm.yaml', '--step', '0.001', '--output', '-', *more], capture_output=True,
                          text=True, check=True)
    rows = [line for line in done.stdout.splitlines() if not line.startswith('#')]
    table = list(csv.reader(rows))
    return {name.split(' ')[0]: [float(row[i]) for row in table[1:]] for i, name in enumerate(table[0])}


def test_file(master, port):
    """the file that comes by GET_ID is that of the export, and its addresses are those of the slave"""
    expect('what CONNECT says', master.info, (0x05, 0x80, 1, 1))
    exported = subprocess.run([linkage, 'export', '--a2l', work / 'm.yaml', '--port', str(port)], capture_output=True, check=True)
    text = master.identify(4)
    expect('the file', text == exported.stdout and len(text) > 1000, True)
    expect('names', (master.identify(1), master.identify(2)), (b'driven-arm'.replace(b'-', b'_'), b'driven_arm.a2l'))
    expect('nothing of another kind', master.identify(3), b'')
    measured, calibrated, (epk, at) = read_a2l(text.decode('ascii'))
    expect('the EPK', (master.read(at, len(epk)).decode(), master.identify(5).decode()), (epk, epk))
    expect('what is measured', [name for name in measured if name.startswith('outputs.')],
           ['outputs.angle', *(f'outputs.pose.{c}' for c in ('x', 'y', 'z', 'qw', 'qx', 'qy', 'qz')), 'outputs.heard'])
    expect('what is set', {name: what[2:] for name, what in calibrated.items()},
           {'inputs.motor': (-10, 10, 'N m'), 'parameters.drag': (0, 10, 'N m s/rad'), 'parameters.load': (0.5, 5, 'kg'),
            **{f'inputs.push_tip.{c}': (-1e300, 1e300, 'N') for c in 'xyz'}})
    expect('units', (measured['outputs.angle'][4], measured['outputs.pose.z'][4], measured['rig.time'][4]), ('rad', 'm', 's'))
    for name, (address, *_) in {**measured, **calibrated}.items():
        size = 4 if name in ('rig.state', 'rig.flags') else 8
        expect(f'bytes of {name}', len(master.read(address, size)), size)
    return {name: what[0] for name, what in {**measured, **calibrated}.items()}


def test_commands(master, at):
    """what is refused, and by which error"""
    refused(0x00, master.ask, '<B', 0xfc)
    refused(UNKNOWN, master.ask, '<B', 0xd2)                # PROGRAM_START
    refused(UNKNOWN, master.ask, '<BB', 0xc0, 0x77)
    refused(0x21, master.ask, '<BB', 0xf6, 0)               # SET_MTA, too short
    refused(DENIED, master.read, 0x10)
    refused(DENIED, master.read, 0xfffffffc)
    refused(DENIED, master.read, at['outputs.heard'] + 4)   # over the end
    refused(RANGE, master.read, at['outputs.angle'], 0)
    expect('the version', master.ask('<BB', 0xc0, 0)[1:5], bytes([1, 3, 1, 3]))
    refused(DENIED, master.checksum, 0x10, 8)
    expect('how much at a time', refused(RANGE, master.checksum, at['outputs.angle'], 1 << 20)[4:], struct.pack('<I', 1 << 16))
    image = b''.join(master.read(at['parameters.load'] + i) for i in (0,))
    expect('CRC 32', master.checksum(at['parameters.load'], 8), (9, zlib.crc32(image)))


def commanded(channel):
    return next(c['commanded'] for c in ctl('inputs')[0]['inputs'] if c['channel'] == channel)


def test_calibration(master, at):
    master.set(at['inputs.motor'], 2.5)
    expect('the daemon has it', commanded('motor'), [2.5])
    expect('and the image', master.value(at['inputs.motor']), 2.5)
    for value in (10.5, -1e9, float('nan'), float('inf')):
        refused(RANGE, master.set, at['inputs.motor'], value)
    expect('nothing of that', (commanded('motor'), master.value(at['inputs.motor'])), ([2.5], 2.5))
    refused(RANGE, master.write, at['inputs.motor'], bytes(4))          # half a number
    refused(RANGE, master.write, at['inputs.motor'] + 4, bytes(8))
    refused(PROTECTED, master.set, at['outputs.angle'], 1)
    refused(PROTECTED, master.set, at['parameters.load'], 1)
    refused(PROTECTED, master.set, at['acting.motor'], 1)
    refused(DENIED, master.set, 0x10, 1)
    refused(DENIED, master.set, at['parameters.drag'], 1, 2)            # over the end
    master.set(at['parameters.drag'], 0.75)
    expect('a parameter', ctl('param', 'get', 'drag')[0]['value'], 0.5)  # acts from the next step on
    expect('commanded', commanded('drag'), [0.75])
    master.write_short(at['inputs.push_tip.y'], struct.pack('<d', -3))
    expect('one of three', commanded('push-tip'), [0, -3, 0])
    master.set(at['inputs.motor'], 1, 2, 3, 4)                          # two channels at once
    expect('both', (commanded('motor'), commanded('push-tip')), ([1], [2, 3, 4]))
    refused(RANGE, master.set, at['inputs.motor'], 7, 7, 7, float('nan'))
    expect('all or nothing', (commanded('motor'), commanded('push-tip')), ([1], [2, 3, 4]))
    master.set(at['inputs.motor'], 0, 0, 0, 0, 0.5)
    expect('as it was', (commanded('motor'), commanded('push-tip'), commanded('drag')), ([0], [0, 0, 0], [0.5]))


def test_claimed(master, at):
    """what a bench has claimed is the bench's"""
    process = programs.start('bench.log', bench, 'motor', 'N m', '3600', *map(programs.endpoint, ('control', 'inputs', 'outputs')))
    programs.await_true('no claim', lambda: len(ctl('inputs')[0]['claims']) == 1)
    refused(DENIED, master.set, at['inputs.motor'], 1)
    master.set(at['inputs.push_tip.x'], 0)   # nobody's
    programs.end(process, signal.SIGKILL)


def lists_of(master, packets, sizes, timestamps=True):
    """rows by list: time stamp, numbers; a list has ODTs of so many numbers"""
    rows, part = {i: [] for i in range(len(sizes))}, {}
    for packet in packets:
        odt, number = packet[0], packet[1]
        data = packet[2:]
        if odt == 0:
            part[number] = [struct.unpack('<I', data[:4])[0]] if timestamps else [None]
            data = data[4:] if timestamps else data
        part[number] += struct.unpack(f'<{len(data) // 8}d', data)
        if odt == len(sizes[number]) - 1:
            rows[number].append(part[number])
    return rows


def receive_rows(master, n, sizes):
    """until each list has so many rows"""
    packets, rows = [], {}
    while not rows or any(len(rows[i]) < n[i] for i in rows):
        packets.append(master.receive())
        if packets[-1][0] == 0xfd:
            fail(f'an event: {packets[-1]}')
        rows = lists_of(master, packets, sizes)
    return rows


def test_measurement(master, at):
    """each step is there, with its time, the numbers of the offline run; a prescaler takes each third"""
    names = ['outputs.angle', 'outputs.pose.x', 'outputs.pose.z', 'outputs.heard', 'rig.time']
    columns = ['angle', 'pose.x', 'pose.z', 'heard']
    master.allocate([[[(at[name], 8) for name in names[:2]], [(at[name], 8) for name in names[2:]]], [[(at['outputs.angle'], 8)]]])
    master.mode(0, 0)
    master.mode(1, 0, prescaler=3)
    expect('mode', master.ask('<BxH', 0xdf, 1), struct.pack('<BxxHBB', 0x10, 0, 3, 0))
    master.set(at['inputs.motor'], 2.5)
    master.start(0, 1)
    expect('running', master.ask('<B', 0xfd)[0], 0x40)
    refused(0x11, master.ask, '<BxH', 0xd5, 1)
    step_seen(master, 30)
    rows = receive_rows(master, [30, 10], [[2, 3], [1]])
    run = offline('--duration', '0.03', '--set', 'motor=2.5')
    expect('rows of the run', len(run['angle']), 31)
    for k, row in enumerate(rows[0]):
        expect(f'step {k + 1}', row[1:5], [run[column][k + 1] for column in columns])
        expect(f'time of step {k + 1}', round(row[5], 9), round((k + 1) * 1e-3, 9))
    first = rows[0][0][0]
    expect('time stamps', [row[0] - first for row in rows[0]], [1000 * k for k in range(30)])
    expect('each third', [row[1] for row in rows[1]], [rows[0][k][1] for k in range(0, 30, 3)])
    expect('clock', struct.unpack_from('<I', master.ask('<B', 0xdc), 3)[0], rows[0][-1][0])
    expect('state', struct.unpack('<I', master.read(at['rig.state'], 4))[0], 3)
    master.stop()
    step(1)
    expect('silence after a stop', (master.ask('<B', 0xfd)[0], master.packets), (0, []))
    ask_list(master, at)
    for _ in range(2):   # two runs of one step each
        ctl('stop')
        run_to_armed()
        step_seen(master)
    again = [row[0] for row in receive_rows(master, [2], [[1]])[0]]
    if not 0 < again[0] - rows[0][-1][0] < 100000 or again[1] <= again[0]:
        fail(f'the time stamps of the next runs: {rows[0][-1][0]}, then {again}')
    master.stop()


def ask_list(master, at):
    master.allocate([[[(at['outputs.angle'], 8)]]])
    master.mode(0, 0)
    master.start(0)


def test_acting(master, at):
    """inputs as they act come with each look at them"""
    master.allocate([[[(at['acting.motor'], 8)]]])
    master.mode(0, 1)
    master.set(at['inputs.motor'], -1.5)
    step(1)
    master.start(0)
    programs.await_true('the value that acts', lambda: lists_of(master, [master.receive()], [[1]])[0][0][1] == -1.5)
    master.stop()


def test_allocation(master, at):
    """bounds, and the order of the commands"""
    master.ask('<B', 0xd6)
    refused(0x29, master.ask, '<BxHB', 0xd4, 0, 1)           # no lists yet
    refused(0x30, master.ask, '<BxH', 0xd5, 1000)
    master.ask('<BxH', 0xd5, 2)
    expect('lists', struct.unpack('<BHHBB', master.ask('<B', 0xda)), (0x93, 2, 2, 0, 0x40))
    refused(RANGE, master.ask, '<BxHB', 0xd4, 2, 1)
    refused(0x30, master.ask, '<BxHB', 0xd4, 0, 0xfd)
    master.ask('<BxHB', 0xd4, 0, 2)
    refused(0x29, master.ask, '<BxH', 0xd5, 2)
    master.ask('<BxHBB', 0xd3, 0, 0, 8)
    refused(0x29, master.ask, '<BBBBI', 0xe1, 0xff, 8, 0, at['outputs.angle'])
    master.ask('<BxHBB', 0xe2, 0, 0, 0)
    refused(DENIED, master.ask, '<BBBBI', 0xe1, 0xff, 8, 0, 0x10)
    refused(DENIED, master.ask, '<BBBBI', 0xe1, 0xff, 8, 1, 0)
    refused(RANGE, master.ask, '<BBBBI', 0xe1, 3, 8, 0, at['outputs.angle'])
    master.ask('<BBBBI', 0xe1, 0xff, 8, 0, at['outputs.angle'])
    refused(0x2a, master.ask, '<BBH', 0xde, 1, 0)            # entries that are not written
    refused(RANGE, master.mode, 0, 2)
    refused(0x27, master.mode, 0, 0, 1, 0x02)                # stimulation
    expect('an entry', (master.ask('<BxHBB', 0xe2, 0, 0, 0), master.ask('<B', 0xdb)),
           (b'', struct.pack('<BBxI', 0xff, 8, at['outputs.angle'])))
    expect('the event', struct.unpack('<BBBBBB', master.ask('<BxH', 0xd7, 0)), (0x84, 0xff, 4, 1, 6, 0))
    expect('its name', master.upload(4), b'step')
    expect('resolution', struct.unpack('<BBBBBH', master.ask('<B', 0xd9)), (1, 248, 1, 0, 0x34, 1))
    master.ask('<B', 0xd6)


def test_others(port, master, at):
    """a second master is told; the first goes on"""
    for tcp in (False, True):
        other = Master(port, tcp)
        refused(NOT_NOW, other.connect)
        other.send(struct.pack('<BB', 0xfd, 0))
        try:
            other.receive(0.3)
            fail('one without a session got an answer')
        except Silence:
            pass
        other.close()
    expect('the first one', len(master.read(at['outputs.angle'])), 8)
    # what was measured may still have been on its way
    told = {packet[:10] for packet in master.packets if packet[0] >= 0xfc}
    expect('it was told', told, {b'\xfc\x01another '})
    master.packets.clear()


def test_gone(port):
    """a master that ends without a word has no session that others have to wait for"""
    gone = Master(port)
    gone.connect()
    gone.close()
    other = Master(port)
    programs.await_true('no session', lambda: attempt(other))
    other.disconnect()
    other.close()


def test_nonsense(port, master, at):
    """lengths that no packet has: a datagram is passed over, a connection ends"""
    raw = socket.socket(type=socket.SOCK_DGRAM)
    for bytes_ in (b'', b'\0', bytes(4), b'\xff' * 1472, struct.pack('<HH', 300, 0) + bytes(300), struct.pack('<HHBB', 8, 0, 255, 0)):
        raw.sendto(bytes_, ('127.0.0.1', port))
    raw.close()
    with socket.create_connection(('127.0.0.1', port), 60) as connection:
        connection.sendall(struct.pack('<HH', 9999, 0) + bytes(64))
        try:
            expect('the end of a connection', connection.recv(100), b'')
        except ConnectionResetError:
            pass
    master.send(struct.pack('<B', 0xfc), struct.pack('<B', 0xfd))   # two in one datagram
    refused(0x00, master.answer)
    expect('the second of them', len(master.answer()), 5)
    expect('still there', len(master.read(at['outputs.angle'])), 8)


def test_overload(port, at):
    """a master that does not read: what it missed is said, lists are whole, and it goes on"""
    master = Master(port, True, receive_bytes=4096)
    programs.await_true('no session', lambda: attempt(master))
    master.allocate([[[(at['outputs.angle'], 72)] * 16] * 20])
    master.mode(0, 0)
    master.start(0)
    run_to_armed()
    packets = []

    def is_told():
        """after more steps that nobody reads, 23 kB each; how many of them are published is the daemon's"""
        for _ in range(30):
            step(1)
        try:
            while True:
                packets.append(master.receive(0.2))
        except Silence:
            return b'\xfd\x06' in packets
    programs.await_true('an overload that is not said', is_told)
    while packets[-1][0] != 19:   # a list that comes after it
        try:
            packets.append(master.receive(0.2))
        except Silence:
            step(1)
    numbers = [packet[0] for packet in packets if packet[0] != 0xfd]
    expect('whole lists', numbers, [k % 20 for k in range(len(numbers))])
    master.close()


def test_unpublished(port, at):
    """steps that the daemon has not published are said, though no message is lost"""
    master = connected(port)
    ask_list(master, at)
    run_to_armed()
    step_seen(master, 3)   # one after the other: each is due

    def is_told():
        step(50)   # in one go, of which few are published
        try:
            while master.receive(0.2) != b'\xfd\x06':
                pass
            return True
        except Silence:
            return False
    programs.await_true('steps that are not there and not said', is_told)
    master.stop()
    ctl('stop')
    master.disconnect()
    master.close()


def attempt(master):
    try:
        master.connect()
        return True
    except Refused:
        return False


def test_another_model(port, master):
    ctl('stop')
    text = MODEL.replace('motor:', 'engine:').replace('input: motor', 'input: engine')
    (work / 'other.yaml').write_text(text)
    epk = master.identify(5)
    ctl('load', work / 'other.yaml')
    expect('the end of the session', master.receive(), b'\xfd\x07')
    master = connected(port)
    expect('another file', master.identify(5) != epk and b'inputs.engine' in master.identify(4), True)
    master.disconnect()
    master.close()


def test_keys(port):
    """a key of role read measures and sets nothing; one that is not on the list finds no daemon"""
    def keygen(*words):
        return subprocess.run([linkagectl, 'keygen', *words], capture_output=True, text=True, check=True).stdout

    keygen('server', work / 'server.key')
    lines = keygen('client', 'reader', '--role', 'read', work) + keygen('client', 'boss', '--role', 'control', work)
    (work / 'clients').write_text(lines)
    daemon = programs.start_daemon('m.yaml', 'security: {secret_key: server.key, clients: clients}')
    keys = ['--server-key', work / 'server.key.pub', '--key']
    process = start_slave(port, *keys, work / 'reader.key')
    master = connected(port)
    at = {name: what[0] for name, what in read_a2l(master.identify(4).decode())[1].items()}
    refused(DENIED, master.set, at['inputs.motor'], 1)
    expect('the end', (programs.end(process), master.receive()), (0, b'\xfd\x07'))
    master.close()
    process = start_slave(port, *keys, work / 'boss.key')
    master = connected(port)
    master.set(at['inputs.motor'], 1)
    expect('set', master.value(at['inputs.motor']), 1)
    programs.end(daemon, signal.SIGKILL)
    expect('without a daemon', master.receive(), b'\xfd\x07')
    refused(NOT_NOW, master.connect)
    expect('the end', programs.end(process), 0)


def test_command_line():
    for words, said in ((['--port', '0'], '1 to 65535'), (['--address', '0.0.0.0'], 'one interface'),
                        (['--address', '192.0.2.1'], '--master is wanted'), (['--key', 'x'], 'belong together'),
                        (['--master', 'me'], 'an address'), (['more'], 'no argument')):
        done = subprocess.run([slave, *words], capture_output=True, text=True)
        expect(f'{words}: {done.stderr}', (done.returncode, said in done.stderr), (2, True))
    for words, said in ((['--port', '70000'], '1 to 65535'), (['--port', '5.5'], '1 to 65535'), (['--address', 'a"b'], '192.168.7.1')):
        done = subprocess.run([linkage, 'export', '--a2l', work / 'm.yaml', *words], capture_output=True, text=True)
        expect(f'{words}: {done.stderr}', (done.returncode, said in done.stderr), (2, True))


def main():
    (work / 'm.yaml').write_text(MODEL)
    port = free_port()
    process = start_slave(port)
    early = Master(port)
    refused(NOT_NOW, early.connect)   # no daemon yet
    early.close()
    daemon = programs.start_daemon('m.yaml')
    addresses = None
    for tcp in (False, True):
        master = connected(port, tcp)
        addresses = test_file(master, port)
        test_commands(master, addresses)
        test_calibration(master, addresses)
        test_allocation(master, addresses)
        run_to_armed()
        test_measurement(master, addresses)
        test_acting(master, addresses)
        test_others(port, master, addresses)
        if tcp:
            master.close()   # without DISCONNECT
        else:
            test_nonsense(port, master, addresses)
            session = master.counters[len(master.counters) - master.counters[::-1].index(0) - 1:]
            expect('packets are counted', (session, len(session) > 100), ([*range(len(session))], True))
            master.disconnect()
        ctl('stop')
        expect('the daemon forgets nothing', programs.control('set', 'motor', '0').returncode, 0)
    test_gone(port)
    master = connected(port)
    test_claimed(master, addresses)
    master.disconnect()
    master.close()
    test_unpublished(port, addresses)
    test_overload(port, addresses)
    test_another_model(port, connected(port))
    expect('the end', (programs.end(process), programs.end(daemon)), (0, 0))
    test_keys(free_port())
    test_command_line()
    programs.close()


try:
    main()
except Exception:  # pylint: disable=broad-except # whatever it was, nothing is left behind
    traceback.print_exc()
    fail('see above')
