#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""linkage-gateway between a real daemon and viewers over real sockets: channels and what their messages say, parameters,
pages of other sites, hostile and slow clients, a daemon that ends and comes back with another model, keys.

usage: test-gateway.py LINKAGED LINKAGECTL GATEWAY LINKAGE SOURCE-ROOT GATEWAY-WITH-CLOCK [client|browser|driver FOLDER]
GATEWAY-WITH-CLOCK has the wall clock of wall_clock.c. With the last two: the protocol's own client, or the operator's page in a browser, or a driver at this page, instead; FOLDER is for packages of npm."""
import base64, json, os, pathlib, random, re, shutil, signal, socket, ssl, struct, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import websocket
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

judge, modules = (*sys.argv[7:9], None, None)[:2]
linkaged, linkagectl, gateway, linkage, root = *sys.argv[1:5], pathlib.Path(sys.argv[5]).resolve()
with_clock = sys.argv[6]
made = pathlib.Path(gateway).resolve().parent / 'page'   # by the build
work = pathlib.Path(tempfile.mkdtemp())
PATIENCE_S = 60
SDK = 'foxglove.sdk.v1'
processes = []

DRIVEN = """linkage: 1
name: driven
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}
joints:
  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}
forces:
  drag: {type: joint-spring-damper, joint: pin, damping: 0.5}
parameters:
  load: {acts: [bodies.arm.mass], limits: [0.5, 5]}
inputs:
  motor: {type: joint-torque, joint: pin, limits: [-10, 10]}
outputs:
  angle: {type: joint-position, joint: pin}
  pose: {type: body-pose, body: arm}
solver: {step: 0.005}
"""


FOR_PAGES = """record: {directory: recordings}
snapshots: {directory: recordings}
cueing: {sensor: feel, platform: {type: six-axis, low: -0.2, high: 0.2, speed: 0.4, acceleration: 4}}
"""


def fail(text):
    print(f'FAILED: {text}')
    for name in ('log', 'gateway.log'):
        print((work / name).read_text() if (work / name).exists() else '')
    sys.exit(1)


def expect(what, found, wanted):
    if found != wanted:
        fail(f'{what}: {found!r}, expected {wanted!r}')


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def start(log, *command):
    with open(work / log, 'a', encoding='utf-8') as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=out)
    processes.append(process)
    return process


def end(process, number=signal.SIGTERM):
    process.send_signal(number)
    return process.wait(PATIENCE_S)


def write_config(model, more=''):
    (work / 'd.yaml').write_text(f"""linkaged: 1
endpoints: {{control: "ipc://{work}/control", inputs: "ipc://{work}/inputs", outputs: "ipc://{work}/outputs"}}
model: {model}
realtime: {{core: none, priority: 0, lock_memory: false, degraded: allow}}
overrun: {{fault_in_a_row: 0}}
watchdog: {{time: 60}}
budget: {{steps: 1000}}
{more}
""", encoding='utf-8')


def start_daemon(model, more=''):
    write_config(model, more)
    return start('log', linkaged, '--config', work / 'd.yaml')


def control(*words):
    return subprocess.run([linkagectl, '--endpoint', f'ipc://{work}/control', '--timeout', '60', '--json', *words],
                          capture_output=True, text=True)


def ctl(*words):
    done = control(*words)
    if done.returncode != 0:
        fail(f'{" ".join(words)}: {done.stdout}{done.stderr}')
    return done.stdout


def run():
    """on a machine as it is: late cycles are no fault, and a proof that others disturb is asked for again"""
    end_s = time.monotonic() + PATIENCE_S
    while (done := control('arm', '--allow-degraded')).returncode != 0:
        if time.monotonic() > end_s:
            fail(f'arm: {done.stdout}')
    ctl('start')


def start_gateway(*more, program=gateway):
    """once it has printed its addresses: it listens before that; another port if another test took this one"""
    port, log = free_port(), work / 'gateway.log'
    before = log.stat().st_size if log.exists() else 0
    process = start('gateway.log', program, '--endpoint', f'ipc://{work}/control', '--outputs',
                    f'ipc://{work}/outputs', '--inputs', f'ipc://{work}/inputs', '--recordings', work / 'recordings',
                    '--port', port, *more)
    end_s = time.monotonic() + PATIENCE_S
    while not re.search(rb'to operate: .*\n', log.read_bytes()[before:]):
        if process.poll() is not None and b'on binding' in log.read_bytes()[before:]:
            return start_gateway(*more, program=program)
        if process.poll() is not None or time.monotonic() > end_s:
            fail('the gateway does not listen')
        time.sleep(0.02)
    return process, port


def read_cdr(channel, data):
    """a message of ROS 2 of doubles and of messages of doubles: {'angle': .., 'pose.x': ..}"""
    parts = [part.strip().split('\n') for part in re.split('={60,}', channel['schema'])]
    types = {part[0].split()[1]: part[1:] for part in parts[1:]}
    names = []
    for kind, name in (line.split() for line in parts[0]):
        names += [name] if kind == 'float64' else [f'{name}.{line.split()[1]}' for line in types[kind]]
    expect('plain CDR, little-endian', data[:4], b'\0\1\0\0')
    return dict(zip(names, struct.unpack(f'<{len(names)}d', data[4:])))


class Viewer:
    """a client of the protocol; messages of topics as objects of their advertised types"""

    def __init__(self, port, protocol=SDK, **more):
        self.ws = websocket.Socket(port, protocol, **more)
        self.channels, self.types, self.seen, self.texts, self.time_ns = {}, {}, [], [], 0
        opcode, data = self.ws.receive()
        self.info = json.loads(data)
        expect('the first message', (opcode, self.info['op']), (websocket.TEXT, 'serverInfo'))

    def say(self, **message):
        self.ws.send(websocket.TEXT, json.dumps(message).encode())

    def learn(self, channel):
        self.channels[channel['topic']] = channel
        if channel['encoding'] == 'protobuf':
            pool = descriptor_pool.DescriptorPool()
            files = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(channel['schema']))
            for file in files.file:
                pool.Add(file)
            named = pool.FindMessageTypeByName(channel['schemaName'])
            make = getattr(message_factory, 'GetMessageClass', None)
            self.types[channel['id']] = make(named) if make else message_factory.MessageFactory(pool).GetPrototype(named)

    def step(self):
        """one message. Return: its op, or (topic, ns, message)"""
        opcode, data = self.ws.receive()
        if opcode == websocket.CLOSE:
            raise ConnectionError('closed ' + str(struct.unpack('>H', data[:2])[0] if len(data) > 1 else 0))
        if opcode == websocket.TEXT:
            said = json.loads(data)
            self.texts.append(said)
            if said['op'] == 'advertise':
                for channel in said['channels']:
                    self.learn(channel)
            elif said['op'] == 'unadvertise':
                self.channels = {t: c for t, c in self.channels.items() if c['id'] not in said['channelIds']}
            return said['op']
        if data[0] == 2:
            self.time_ns, = struct.unpack('<Q', data[1:])
            return 'time'
        number, ns = struct.unpack('<IQ', data[1:13])
        topic = self.topics[number]
        if self.channels[topic]['encoding'] == 'cdr':
            return topic, ns, read_cdr(self.channels[topic], data[13:])
        kind = self.types.get(self.channels[topic]['id'])
        return topic, ns, kind.FromString(data[13:]) if kind else json.loads(data[13:])

    def await_op(self, op, test=lambda said: True):
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            if self.step() == op and (op == 'time' or test(self.texts[-1])):
                return self.texts[-1] if op != 'time' else self.time_ns
        fail(f'no {op} came')

    def subscribe(self, *topics, first=100):
        self.topics = {first + i: topic for i, topic in enumerate(topics)}
        self.say(op='subscribe', subscriptions=[{'id': number, 'channelId': self.channels[topic]['id']}
                                                for number, topic in self.topics.items()])

    def await_message(self, topic, test=lambda message: True):
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            said = self.step()
            if isinstance(said, tuple) and said[0] == topic and test(said[2]):
                return said[1:]
        fail(f'nothing on {topic}')


def refused(port, protocols=SDK, **more):
    try:
        websocket.Socket(port, protocols, **more).close()
    except websocket.Refused:
        return True
    return False


def test_channels(port):
    for protocol in (SDK, 'foxglove.websocket.v1', 'unheard-of, foxglove.websocket.v1'):
        viewer = Viewer(port, protocol)
        if 'sec-websocket-protocol: foxglove.' not in viewer.ws.head.lower():
            fail(f'no subprotocol is chosen of {protocol}: {viewer.ws.head}')
        viewer.ws.close()
    viewer = Viewer(port)
    viewer.await_op('advertise', lambda said: any(c['topic'] == '/tf' for c in said['channels']))
    expect('topics', sorted(viewer.channels), ['/inputs', '/log', '/outputs', '/ros2/inputs', '/ros2/outputs',
                                               '/scene', '/status', '/tf'])
    expect('units', {key: viewer.channels['/outputs']['metadata'][key] for key in ('angle', 'pose.x')},
           {'angle': 'rad', 'pose.x': 'm'})
    expect('units of inputs', viewer.channels['/inputs']['metadata'], {'motor': 'N m'})
    expect('of ROS 2', [viewer.channels['/ros2/outputs'][key] for key in ('schemaName', 'schemaEncoding', 'metadata')],
           ['driven/msg/Outputs', 'ros2msg', viewer.channels['/outputs']['metadata']])
    viewer.subscribe('/tf', '/outputs', '/scene', '/status', '/inputs', '/ros2/outputs', '/ros2/inputs')
    _, scene = viewer.await_message('/scene')
    expect('old shapes go', scene.deletions[0].type, 1)
    expect('entities', [(e.id, e.frame_id, e.frame_locked) for e in scene.entities],
           [('ground', 'ground', True), ('arm', 'arm', True)])
    if len(scene.entities[1].cubes) + len(scene.entities[1].cylinders) == 0:
        fail(f'the arm looks like nothing: {scene.entities[1]}')
    run()
    seen, end_s = {}, time.monotonic() + PATIENCE_S
    while not any(len(found) == 3 for found in seen.values()):   # all of one step
        said = viewer.step()
        if said[0] in ('/tf', '/outputs', '/ros2/outputs'):
            seen.setdefault(said[1], {})[said[0]] = said[2]
        if time.monotonic() > end_s:
            fail('no /tf and /outputs of one step')
        seen = dict(list(seen.items())[-40:])
    both = next(found for found in seen.values() if len(found) == 3)
    at, pose = both['/tf'].transforms[0], both['/outputs'].pose
    view = both['/tf'].transforms[1]
    expect('the frame for cameras', (view.parent_frame_id, view.child_frame_id, view.rotation.w), ('ground', 'ground/view', 1))
    expect('frames', (at.parent_frame_id, at.child_frame_id), ('ground', 'arm'))
    expect('place', (at.translation.x, at.translation.y, at.translation.z), (pose.x, pose.y, pose.z))
    expect('turn', (at.rotation.w, at.rotation.x, at.rotation.y, at.rotation.z), (pose.qw, pose.qx, pose.qy, pose.qz))
    expect('in ROS 2', both['/ros2/outputs'], {'angle': both['/outputs'].angle, **{
        f'pose.{name}': getattr(pose, name) for name in ('x', 'y', 'z', 'qw', 'qx', 'qy', 'qz')}})
    _, status = viewer.await_message('/status', lambda said: said['state'] == 'running')
    expect('status', (status['model'], status['mode']), ('driven', 'realtime'))
    ctl('set', 'motor', '2.5')
    viewer.await_message('/inputs', lambda said: said.motor == 2.5)
    viewer.await_message('/ros2/inputs', lambda said: said['motor'] == 2.5)
    before = viewer.time_ns
    if viewer.await_op('time') <= before or abs(viewer.time_ns / 1e9 - time.time()) > 3600:
        fail(f'time {viewer.time_ns}')
    viewer.say(op='unsubscribe', subscriptionIds=[n for n in viewer.topics if viewer.topics[n] != '/status'])
    for _ in range(3):   # what was under way comes first
        viewer.await_message('/status')
    topics = []
    while topics.count('/status') < 3:
        said = viewer.step()
        topics += [said[0]] if isinstance(said, tuple) else []
    expect('only what is subscribed', set(topics), {'/status'})
    return viewer


def test_parameters(viewer):
    viewer.say(op='getParameters', parameterNames=['load'], id='p1')
    said = viewer.await_op('parameterValues')
    expect('parameters', (said['parameters'], said['id']), ([{'name': 'load', 'value': 1, 'type': 'float64'}], 'p1'))
    viewer.say(op='getParameters', parameterNames=['nothing'], id='p2')
    expect('no such', viewer.await_op('parameterValues')['parameters'], [])
    viewer.say(op='setParameters', parameters=[{'name': 'load', 'value': 3}], id='p3')
    expect('refused', viewer.await_op('status')['level'], 1)
    expect('as it was', viewer.await_op('parameterValues')['parameters'][0]['value'], 1)


def test_other_sites(port):
    expect('no subprotocol', refused(port, None), True)
    expect('another subprotocol', refused(port, 'chat'), True)
    for origin in ('https://evil.example', 'http://127.0.0.1.evil.example', 'http://localhostile', 'null',
                   'http://evil.example/http://127.0.0.1', 'https://127.0.0.1:1', 'http://' + 'a' * 2000):
        expect(f'origin {origin[:60]}', refused(port, headers=[f'Origin: {origin}']), True)
    expect('another name', refused(port, host=f'evil.example:{port}'), True)
    expect('another name', refused(port, host='127.0.0.1.evil.example'), True)
    for origin in ('http://localhost:8080', 'http://127.0.0.1', 'file://', 'https://app.example'):
        expect(f'origin {origin}', refused(port, headers=[f'Origin: {origin}']), False)


def send_and_see(port, text, op):
    viewer = Viewer(port)
    viewer.await_op('advertise')
    viewer.ws.send(websocket.TEXT, text)
    viewer.await_op(op)
    viewer.ws.close()


def test_hostile(port):
    for text in (b'', b'{', b'[]', b'7', b'null', b'{"op": 7}', b'{"op": "dance"}', b'{"op": "subscribe"}{',
                 b'\xff\xfe', b'[' * 60000, b'{"op":"subscribe","subscriptions":[7]}',
                 b'{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}',
                 b'{"op":"subscribe","subscriptions":[{"id":1,"channelId":99999999999999}]}',
                 b'{"op":"advertise","channels":[]}', b'{"op":"fetchAsset","uri":"file:///etc/passwd"}'):
        send_and_see(port, text, 'status')
    viewer = Viewer(port)   # subscribed twice: told so; unsubscribed from what is not
    viewer.await_op('advertise')
    viewer.subscribe('/status')
    viewer.subscribe('/status')
    viewer.say(op='unsubscribe', subscriptionIds=[77, 'x', None])
    viewer.await_op('status')
    viewer.ws.send(websocket.BINARY, b'\x01' * 100)
    viewer.await_op('status')
    viewer.ws.send(websocket.TEXT, b'{"op":"sub', final=False)   # in parts
    viewer.ws.send(0, b'scribe","subscriptions":[{"id":1}]}')
    viewer.await_op('status')
    for size in (65537, 1 << 20):   # beyond the bound
        viewer = Viewer(port)
        try:
            viewer.ws.send(websocket.TEXT, b' ' * size)
            while True:
                viewer.step()
        except ConnectionError:
            viewer.ws.close()
    viewer = Viewer(port)   # asks and does not read
    try:
        for _ in range(200000):
            viewer.say(op='getParameters', parameterNames=[], id='x' * 1000)
        fail('a client that does not read its answers is still there')
    except (ConnectionError, TimeoutError):
        viewer.ws.close()
    for text in (b'\x00' * 5000, b'GET / HTTP/1.1\r\n' + b'X: ' + b'y' * 100000, b'POST / HTTP/1.1\r\n\r\n',
                 b'GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n'):
        with socket.create_connection(('127.0.0.1', port)) as s:
            try:
                s.sendall(text)
                s.settimeout(0.2)
                if b'root:' in s.recv(4096):
                    fail('it gives a file away')
            except OSError:
                pass


def spoilt(draw, data):
    """the same bytes, but for some"""
    data = bytearray(data)
    for _ in range(draw.randrange(4)):
        at = draw.randrange(len(data) + 1)
        data[at:at + draw.randrange(3)] = draw.randbytes(draw.randrange(3))
    return bytes(data)


def test_anything(port):
    """requests, frames and messages with some bytes changed, by viewers and pages with and without a token: all others go on"""
    (_, look), (_, operate) = tokens()
    draw = random.Random(1)
    log, begin_s = len((work / 'gateway.log').read_text()), time.monotonic()
    says = [json.dumps(said).encode() for said in (
        {'op': 'subscribe', 'subscriptions': [{'id': 1, 'channelId': 8}, {'id': 2, 'channelId': 9}]},
        {'op': 'unsubscribe', 'subscriptionIds': [1, 2]}, {'op': 'getParameters', 'parameterNames': ['load'], 'id': 'p'},
        {'op': 'subscribeParameterUpdates', 'parameterNames': []}, {'op': 'login', 'token': look}, {'op': 'alive'},
        {'op': 'recordings'}, {'op': 'download', 'name': 'x.mcap'}, {'op': 'claim', 'channel': 'motor'},
        {'op': 'set', 'channel': 'motor', 'values': [1.5]}, {'op': 'release', 'channel': 'motor'}, {'op': 'give-controls'},
        {'op': 'take-controls'}, {'op': 'inject', 'kind': 'stall', 'amount': 0, 'clear': True})]
    watching = Viewer(port)
    watching.await_op('time')
    for _ in range(500):
        kind = draw.choice((SDK, 'linkage.page.v1', 'linkage.page.v1', None))
        try:
            if kind is None:
                s = socket.create_connection(('127.0.0.1', port), PATIENCE_S)
                s.sendall(spoilt(draw, b'GET /page.js HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
                                       b'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n'))
                s.close()
                continue
            ws = websocket.Socket(port, kind)
            if kind != SDK and draw.randrange(4):
                ws.send(websocket.TEXT, json.dumps({'op': 'login', 'token': draw.choice((look, operate))}).encode())
            for _ in range(draw.randrange(1, 12)):
                ws.send(draw.choice((websocket.TEXT, websocket.TEXT, websocket.TEXT, websocket.BINARY, 0, websocket.PING, 11)),
                        spoilt(draw, draw.choice(says)), final=draw.randrange(6) > 0)
            if draw.randrange(3) == 0:   # what is no frame
                ws.socket.sendall(draw.randbytes(draw.randrange(40)))
            if draw.randrange(2):
                ws.send(websocket.CLOSE, struct.pack('>H', draw.randrange(5000)))
            ws.close()
        except (websocket.Refused, OSError):
            pass
    for _ in range(80):
        with socket.create_connection(('127.0.0.1', port), PATIENCE_S) as s:
            s.sendall(b'GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: x\r\n\r\n')
            s.recv(100)
    watching.await_op('time')
    watching.ws.close()
    most = 10 * (2 + (time.monotonic() - begin_s) / 10)   # ten in ten seconds
    if (n := (work / 'gateway.log').read_text()[log:].count('lws_')) > most:
        fail(f'{n} lines of the library in the log')


def test_many(port):
    """so many connections and no more; those that are there stay"""
    viewers, end_s = [], time.monotonic() + PATIENCE_S
    try:
        while len(viewers) < 100:
            viewers.append(Viewer(port))
    except websocket.Refused:
        pass
    if not 8 <= len(viewers) <= 32:
        fail(f'{len(viewers)} connections')
    viewers[0].await_op('time')
    for viewer in viewers:
        viewer.ws.close()
    while refused(port):
        if time.monotonic() > end_s:
            fail('no connection once others have gone')
        time.sleep(0.05)


def crowd(port, n, text=b'', address='127.0.0.1'):
    """connections of strangers: they say this much and wait"""
    there = [socket.create_connection(('127.0.0.1', port), PATIENCE_S, (address, 0)) for _ in range(n)]
    for each in there:
        try:
            each.sendall(text)
        except OSError:   # it had to make room
            pass
    return there


def test_strangers(port):
    """who has no token keeps nobody out that has one"""
    _, (_, operate) = tokens()
    log = (work / 'gateway.log').stat().st_size

    def operator_comes(beside):
        page = Page(port, operate)
        expect(f'the operator beside {beside}', page.await_op('role')['operates'], True)
        page.ws.close()
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:   # until the controls are free
            page = Page(port, operate)
            operates = page.await_op('role')['operates']
            page.ws.close()
            if operates:
                return
        fail('the controls stay with a page that has gone')

    viewers = []
    try:
        while True:
            viewers.append(Viewer(port))
    except websocket.Refused:
        pass
    expect('viewers', len(viewers), 24)
    for _ in range(30):
        expect('one more viewer', refused(port), True)
    operator_comes('viewers')
    pages = [websocket.Socket(port, 'linkage.page.v1') for _ in range(20)]   # without a word
    operator_comes('pages that do not log in')
    for text in (b'', b'G', b'GET / HTTP/1.1\r\nHost: loc', b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'):
        there = crowd(port, 150, text)
        operator_comes(f'150 times {text[:20]}')
        for each in there:
            each.close()
    viewers[0].await_op('time')
    for each in viewers:
        each.ws.close()
    for each in pages:
        each.close()
    end_s = time.monotonic() + PATIENCE_S
    while not stay_beside(port):
        if time.monotonic() > end_s:
            fail('a crowd of one address keeps others out')
    said = (work / 'gateway.log').read_text()
    expect('in the log', ('refused a viewer: there are 24 viewers and 0 pages' in said, 'without a login made room' in said),
           (True, True))
    said = said[log:]
    if said.count('\n') > 40:
        fail(f'{said.count(chr(10))} lines of the log about strangers')
    while refused(port):
        time.sleep(0.05)


def test_slow(port):
    """more than it reads: the oldest go, and it is told"""
    viewer = Viewer(port, receive_bytes=2048)
    viewer.await_op('advertise')
    viewer.subscribe('/tf', '/outputs')
    viewer.await_message('/tf')
    time.sleep(3)   # it does not read; how much came meanwhile decides nothing
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        said = viewer.step()
        if said == 'status' and viewer.texts[-1].get('id') == 'slow':
            viewer.await_message('/tf')
            viewer.ws.close()
            return
        time.sleep(0.02)
    fail('a slow viewer was not told')


def test_another_daemon(daemon, port):
    viewer = Viewer(port)
    viewer.await_op('advertise')
    viewer.subscribe('/log', '/tf')
    _, said = viewer.await_message('/log', lambda said: said.name == 'model')
    expect('a message with its identifier', said.message, "model 'driven' is loaded (LK-2001)")
    old = dict(viewer.channels)
    end(daemon, signal.SIGKILL)
    viewer.await_message('/log', lambda said: said.name == 'line' and said.level == 4)
    daemon = start_daemon(root / 'config/models/four-bar.yaml', FOR_PAGES)
    gone = viewer.await_op('unadvertise')
    expect('all have gone', sorted(gone['channelIds']), sorted(c['id'] for c in old.values()))
    viewer.await_op('advertise', lambda said: any(c['topic'] == '/tf' for c in said['channels']))
    expect('new numbers', set(gone['channelIds']) & {c['id'] for c in viewer.channels.values()}, set())
    expect('its type', viewer.channels['/outputs']['schemaName'], 'four_bar.Outputs')
    viewer.subscribe('/scene', '/log', '/status', '/tf')
    seen = []
    while not seen or seen[-1][0] != '/status':
        said = viewer.step()
        seen += [said] if isinstance(said, tuple) else []
    expect('no event twice', [said.message for topic, _, said in seen if topic == '/log' and 'driven' in said.message], [])
    scene = next(said for topic, _, said in seen if topic == '/scene')
    expect('entities', [e.id for e in scene.entities], ['ground', 'crank', 'coupler', 'rocker'])
    _, frames = viewer.await_message('/tf')
    expect('frames', [t.child_frame_id for t in frames.transforms], ['crank', 'coupler', 'rocker', 'ground/view'])
    late = Viewer(port)   # it hears what happened before it came, in that order
    late.await_op('advertise')
    late.subscribe('/log')
    lost, _ = late.await_message('/log', lambda said: said.name == 'line' and said.level == 4)
    found, _ = late.await_message('/log', lambda said: 'four-bar' in said.message)
    expect('in order', lost < found, True)
    for each in (viewer, late):
        each.ws.close()
    return daemon


def keygen(*words):
    done = subprocess.run([linkagectl, 'keygen', *words], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f'keygen: {done.stderr}')
    return done.stdout


def test_keys():
    """with a key of role read all is there; with one that is not on the list nothing is, and it says so"""
    keygen('server', work / 'server.key')
    line = keygen('client', 'viewer', '--role', 'read', work)
    keygen('client', 'stranger', '--role', 'control', work)
    (work / 'clients').write_text(line, encoding='utf-8')
    daemon = start_daemon(root / 'config/models/four-bar.yaml', 'security: {secret_key: server.key, clients: clients}')
    keys = ['--server-key', work / 'server.key.pub', '--key']
    process, port = start_gateway(*keys, work / 'viewer.key')
    viewer = Viewer(port)
    viewer.await_op('advertise', lambda said: any(c['topic'] == '/tf' for c in said['channels']))
    viewer.subscribe('/scene')
    viewer.await_message('/scene')
    expect('the end', end(process), 0)
    process, port = start_gateway(*keys, work / 'stranger.key')
    viewer = Viewer(port)
    viewer.await_op('advertise')
    viewer.subscribe('/log')
    viewer.await_message('/log', lambda said: said.name == 'line' and said.level == 4)
    expect('nothing to see', '/tf' in viewer.channels, False)
    expect('the end', (end(process), end(daemon)), (0, 0))


def test_roads():
    """a model with a file of a road: its picture needs the folder that the daemon has"""
    roads = work / 'roads'
    roads.mkdir()
    made = subprocess.run([linkage, 'road', root / 'tests/fuzz/binary.crg', '-o', roads / 'arc.road', '--step', '0.25', '--margin', '0.5'],
                          capture_output=True, text=True)
    expect('a road', made.returncode, 0)
    text = (root / 'config/models/strut-car.yaml').read_text()
    (roads / 'car.yaml').write_text(text.replace('type: plane', 'type: grid, file: arc.road'))
    daemon = start_daemon(roads / 'car.yaml', f'roads: {{directory: {roads}}}')
    process, port = start_gateway('--roads', roads)
    viewer = Viewer(port)
    viewer.await_op('advertise', lambda said: any(c['topic'] == '/scene' for c in said['channels']))
    viewer.subscribe('/scene')
    _, scene = viewer.await_message('/scene')
    if not any(e.frame_id == 'ground' and sum(len(line.points) for line in e.lines) > 20 for e in scene.entities):
        fail('there is no road in the scene')
    expect('the end', end(process), 0)
    process, port = start_gateway()   # without the folder: all but the picture
    viewer = Viewer(port)
    viewer.await_op('advertise', lambda said: any(c['topic'] == '/outputs' for c in said['channels']))
    expect('no picture', '/scene' in viewer.channels, False)
    viewer.subscribe('/log')
    expect('why', 'arc.road' in viewer.await_message('/log', lambda said: said.name == 'scene')[1].message, True)
    expect('the end', (end(process), end(daemon)), (0, 0))


# of certificates, by a name of their files; who operates beside --operator ann, anna, jürgen and several
SUBJECTS = {'anna': '/CN=anna', 'lena': '/CN=lena', 'with-email': '/O=rig/CN=anna/emailAddress=anna@example.org',
            'in-the-middle': '/CN=anna/O=rig/OU=bench', 'umlaut': '/CN=jürgen',
            'organisation': '/O=x\\/CN=anna', 'organisation-before': '/O=x\\/CN=anna/CN=lena', 'unit': '/O=rig/OU=anna',
            'name-of-email': '/CN=anna\\/emailAddress=a@b.c', 'longer': '/CN=annabel', 'shorter': '/CN=an', 'email': '/O=a/emailAddress=anna',
            'two-names': '/CN=anna/CN=lena', 'two-names-back': '/CN=lena/CN=anna', 'twice': '/CN=anna/CN=anna', 'slash': '/CN=x\\/CN=anna'}
OPERATORS = ('anna', 'with-email', 'in-the-middle', 'umlaut')


def make_authority(name):
    """an authority of its own, with a server and clients. Return: its folder"""
    folder = work / name
    folder.mkdir()

    def openssl(*words):
        subprocess.run(['openssl', *map(str, words)], cwd=folder, check=True, capture_output=True)

    new = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    openssl(*new, '-x509', '-days', 2, '-subj', f'/CN={name}', '-keyout', 'ca.key', '-out', 'ca.pem')
    (folder / 'names').write_text('subjectAltName=DNS:localhost,IP:127.0.0.1')
    for who, subject in {'server': '/CN=server', **SUBJECTS}.items():
        openssl(*new, '-utf8', '-subj', subject, '-keyout', f'{who}.key', '-out', f'{who}.csr')
        openssl('x509', '-req', '-in', f'{who}.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', 2,
                '-extfile', 'names', '-out', f'{who}.pem')
    return folder


def as_client(authority, folder=None, who=None):
    context = ssl.create_default_context(cafile=authority / 'ca.pem')
    if who:
        context.load_cert_chain(folder / f'{who}.pem', folder / f'{who}.key')
    return context


def comes_in(port, **more):
    try:
        websocket.Socket(port, SDK, **more).receive()
    except (websocket.Refused, OSError):
        return False
    return True


def end_crowd(there):
    """Return: how many of them were still connected"""
    n = 0
    for each in there:
        each.setblocking(False)
        try:
            each.recv(1)
        except BlockingIOError:
            n += 1
        except OSError:
            pass
        each.close()
    return n


def comes_in_beside(port, tls):
    """at once, while 62 silent connections are still there. On a busy machine they may have timed out before"""
    there = crowd(port, 62)
    came = comes_in(port, tls=tls)
    return end_crowd(there) == 62 and came


def stay_beside(port):
    """a few silent connections of one address beside a crowd of another one, as long as they do not time out"""
    few = crowd(port, 5, address='127.0.0.3')
    many = crowd(port, 120, address='127.0.0.2')
    comes_in(port)   # after them: all of them have been accepted
    return end_crowd(few) == 5 and end_crowd(many) < 120


def test_tls():
    """encrypted; a certificate is a login, that of a stranger is none, and no page of another site borrows it"""
    own, other = make_authority('own'), make_authority('other')
    options = ['--tls-cert', own / 'server.pem', '--tls-key', own / 'server.key']
    process, port = start_gateway(*options)   # encryption alone: tokens as without it
    (address, look), (_, operate) = tokens('https')
    expect('its address', address.startswith('https://127.0.0.1:'), True)
    for good, origin in ((True, f'https://localhost:{port}'), (False, f'http://localhost:{port}'), (False, 'https://evil.example'),
                         (False, f'https://localhost:{port}.evil.example'), (False, 'file://')):
        expect(f'origin {origin}', comes_in(port, tls=as_client(own), host=f'localhost:{port}', headers=[f'Origin: {origin}']), good)
    expect('clear text', comes_in(port), False)
    expect('another authority', comes_in(port, tls=as_client(other)), False)
    page = Page(port, look, tls=as_client(own))
    expect('a token', page.await_op('role')['operates'], False)
    page.ws.close()
    expect('the end', end(process), 0)
    before = len((work / 'gateway.log').read_text())
    options += ['--tls-clients', own / 'ca.pem', '--operator', 'ann', '--operator', 'anna', '--operator', 'jürgen']
    process, port = start_gateway(*options)
    expect('tokens in the log', re.search('#[0-9a-f]{32}', (work / 'gateway.log').read_text()[before:]), None)
    expect('no certificate', comes_in(port, tls=as_client(own)), False)
    expect('of another authority', comes_in(port, tls=as_client(own, other, 'anna')), False)
    expect('a viewer', comes_in(port, tls=as_client(own, own, 'lena')), True)
    expect('borrowed', comes_in(port, tls=as_client(own, own, 'anna'), headers=['Origin: https://evil.example']), False)
    for who, may in ((who, who in OPERATORS) for who in SUBJECTS):
        page = Page(port, operate, tls=as_client(own, own, who))   # its certificate decides, not a token
        expect(f'{who}', page.await_op('role')['operates'], may)
        if who in ('anna', 'lena'):
            expect(f'{who} asks', page.ask('stop')['text'] == 'this page looks on: it has no controls', not may)
        page.ws.close()
    there = crowd(port, 100) + crowd(port, 40, bytes.fromhex('160301020001'))
    expect('beside handshakes that do not end', comes_in(port, tls=as_client(own, own, 'anna')), True)
    for each in there:
        each.close()
    end_s = time.monotonic() + PATIENCE_S
    while not comes_in_beside(port, as_client(own, own, 'anna')):
        if time.monotonic() > end_s:
            fail('nobody comes in before others have given up')
    expect('the end', end(process), 0)
    (own / 'server.key').chmod(0o644)
    for status, words in ((1, options), (2, options[:2]), (2, ['--tls-clients', own / 'ca.pem']), (2, ['--operator', 'anna']),
                          (2, ['--address', '0.0.0.0']), (2, ['--address', '0.0.0.0', *options[:4]]),
                          (1, ['--tls-cert', 'nowhere', '--tls-key', own / 'ca.key'])):
        done = subprocess.run([gateway, *words], capture_output=True, text=True, timeout=PATIENCE_S)
        expect(f'exit status of {words}: {done.stderr}', (done.returncode, done.stderr.count('\n')), (status, 1))


def test_command_line():
    for words in (['--port', '0'], ['--port', 'x'], ['--rate', '-1'], ['--what'], ['file'], ['--key', 'x'],
                  ['--allow-origin', 'https://a'] * 9):
        done = subprocess.run([gateway, *words], capture_output=True, text=True)
        expect(f'exit status of {words}', done.returncode, 2)
    done = subprocess.run([gateway, '--server-key', 'nowhere', '--key', 'nowhere'], capture_output=True, text=True)
    expect('no such key', (done.returncode, 'nowhere' in done.stderr), (1, True))
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        done = subprocess.run([gateway, '--port', str(taken.getsockname()[1])], capture_output=True, text=True)
    expect('a port in use', (done.returncode, 'cannot listen' in done.stderr), (1, True))


def test_official_client():
    daemon = start_daemon(work / 'driven.yaml')
    run()
    process, port = start_gateway()
    Viewer(port).await_op('advertise', lambda said: any(c['topic'] == '/tf' for c in said['channels']))
    done = subprocess.run(['node', root / 'tests/integration/check-gateway.cjs', str(port)], capture_output=True, text=True,
                          env={**os.environ, 'NODE_PATH': modules}, timeout=PATIENCE_S, check=False)
    if done.returncode != 0:
        fail(f'the protocol\'s own client: {done.stdout}{done.stderr}')
    expect('the end', (end(process), end(daemon)), (0, 0))


def tokens(scheme='http'):
    """of the newest gateway: to look, to operate"""
    log = (work / 'gateway.log').read_text()
    return [re.findall(rf'to {what}: +({scheme}://\S+/)#(\w+)', log)[-1] for what in ('look', 'operate')]


def test_browser():
    """the page's own script says what it has done, and is told when the daemon has gone and is back"""
    daemon = start_daemon(root / 'config/models/four-bar.yaml')
    pushed = DRIVEN.replace('outputs:', '  push: {type: body-force, body: arm, limits: [-50, 50]}\noutputs:')
    (work / 'pushed.yaml').write_text(pushed, encoding='utf-8')
    process, _ = start_gateway()
    (look, look_token), (operate, operate_token) = tokens()
    made = subprocess.run([linkage, 'view', root / 'config/models/four-bar.yaml', '--html', work / 'way.html', '--time', '0.5',
                           '--set', 'motor=3'], capture_output=True, text=True)
    expect('a page of linkage view', made.returncode, 0)
    script = subprocess.Popen(['node', root / 'tests/integration/check-operator.cjs', f'{operate}#{operate_token}',
                               f'{look}#{look_token}', work / 'pushed.yaml', work / 'way.html', *sys.argv[9:]], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, env={**os.environ, 'NODE_PATH': modules})
    processes.append(script)
    for line in script.stdout:
        if line == 'ready to lose the daemon\n':
            end(daemon, signal.SIGKILL)
            print('gone', file=script.stdin, flush=True)
        elif line == 'stale\n':
            daemon = start_daemon(work / 'driven.yaml')
            print('back', file=script.stdin, flush=True)
    expect('the browser', script.wait(PATIENCE_S), 0)
    expect('the end', (end(process), end(daemon)), (0, 0))


def start_driver():
    """the driver model, once it has the car"""
    program = pathlib.Path(linkage).resolve().parent.parent / 'drive/linkage-driver'
    lines = (word for line in ('control', 'inputs', 'outputs') for word in (f'--{line}', f'ipc://{work}/{line}'))
    driver = start('log', program, root / 'config/roads/circuit.xodr', *lines)
    end_s = time.monotonic() + PATIENCE_S
    while json.loads(ctl('inputs').splitlines()[0])['inputs'][0]['bench'] != 'linkage-driver':
        if time.monotonic() > end_s:
            fail('the driver model does not get the car')
        time.sleep(0.1)
    return driver


def test_driver():
    """a driver at the page, whose car the daemon runs: by keys, and by a pad that the test moves"""
    undriven = re.search(r"^undriven='(.*)'$", (root / 'tools/quickstart').read_text(encoding='utf-8'), re.M)[1]
    daemon = start_daemon(root / 'config/models/sedan.yaml', undriven)
    process, _ = start_gateway()
    operate, token = tokens()[1]
    run()
    stand_in = start_driver()
    script = subprocess.Popen(['node', root / 'tests/integration/check-driver.cjs', f'{operate}#{token}', *sys.argv[9:]],
                              stdout=subprocess.PIPE, text=True, env={**os.environ, 'NODE_PATH': modules})
    processes.append(script)
    for line in script.stdout:
        if line == 'taken\n':
            expect('the stand-in', end(stand_in), 0)
    expect('the driver', script.wait(PATIENCE_S), 0)
    end_s = time.monotonic() + PATIENCE_S
    while True: # who has closed the page has left the car, which rolls out
        acting = {entry['channel']: entry['acting'][0] for entry in json.loads(ctl('inputs').splitlines()[0])['inputs']}
        if acting['throttle'] == acting['steer'] == 0:
            break
        if time.monotonic() > end_s:
            fail(f'a car without a driver: {acting}')
        time.sleep(0.1)
    expect('the end', (end(start_driver()), end(process), end(daemon)), (0, 0, 0))


class Page:
    """a connection of the operator's page"""

    def __init__(self, port, token, **more):
        self.ws = websocket.Socket(port, 'linkage.page.v1', **more)
        self.say(op='login', token=token)

    def say(self, **message):
        self.ws.send(websocket.TEXT, json.dumps(message).encode())

    def await_op(self, op, test=lambda said: True):
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            opcode, data = self.ws.receive()
            if opcode == websocket.CLOSE:
                raise ConnectionError('closed')
            if opcode == websocket.TEXT and json.loads(data)['op'] == op and test(json.loads(data)):
                return json.loads(data)
        fail(f'no {op} came')

    def ask(self, op, **more):
        self.say(op=op, **more)
        return self.await_op('answer', lambda said: said['to'] == op)

    def samples(self, kind):
        while True:
            opcode, data = self.ws.receive()
            values = struct.unpack(f'<{len(data) // 8}d', data) if opcode == websocket.BINARY else [None]
            if values[0] == kind:
                return values[2:]


def fetch(port, path, host=None):
    with socket.create_connection(('127.0.0.1', port), PATIENCE_S) as s:
        s.sendall(f'GET {path} HTTP/1.1\r\nHost: {host or "localhost"}\r\nConnection: close\r\n\r\n'.encode())
        data = b''
        try:
            while part := s.recv(65536):
                data += part
        except ConnectionError:
            pass
    head, _, body = data.partition(b'\r\n\r\n')
    return head.decode(), body


def closed(page):
    try:
        page.await_op('never')
    except ConnectionError:
        return True
    return False


def test_claims(first, second, looker):
    """a value is for whoever has claimed its input, and stays for as long as the page is heard of"""
    expect('not claimed', 'claim' in first.ask('set', channel='motor', values=[7])['text'], True)
    expect('no controls', second.ask('claim', channel='motor')['ok'], False)
    expect('no such input', first.ask('claim', channel='nothing')['id'], 'LK-8006')
    expect('claimed', first.ask('claim', channel='motor')['ok'], True)
    expect('others hear of it', looker.await_op('held', lambda said: said['channels'])['channels'], ['motor'])
    expect('set', first.ask('set', channel='motor', values=[7])['ok'], True)
    for values in ([70], [7, 7], [], ['7'], [None]):
        expect(f'set to {values}', first.ask('set', channel='motor', values=values)['ok'], False)
    owned = looker.await_op('inputs', lambda said: said['inputs'][0]['acting'] == [7])
    expect('the owner', owned['inputs'][0]['bench'], 'operator')
    told = looker.await_op('histograms', lambda said: said['wakeup']['count'])
    expect('buckets', (len(told['wakeup']['upper_ns']), told['period_ns'] > 0, sum(told['compute']['count']) > 0),
           (len(told['wakeup']['count']), True, True))
    end_s = time.monotonic() + 2   # longer than its time-out: it is sent again and again
    while time.monotonic() < end_s:
        first.say(op='alive')
        time.sleep(0.2)
    expect('not stale', first.await_op('inputs')['inputs'][0]['commanded'], [7])
    first.await_op('event', lambda said: said['name'] == 'claims')   # nothing is heard from it any more
    looker.await_op('inputs', lambda said: said['inputs'][0]['bench'] == '')
    expect('claimed once more', first.ask('claim', channel='motor')['ok'], True)
    expect('released', first.ask('release', channel='motor')['ok'], True)
    looker.await_op('inputs', lambda said: said['inputs'][0]['bench'] == '')
    expect('released twice', first.ask('release', channel='motor')['ok'], False)


def test_faults(first, looker):
    """a cycle that stalls on purpose is a missed deadline, with its cause and time"""
    expect('no such kind', first.ask('inject', kind='flood')['ok'], False)
    expect('inject', first.ask('inject', kind='stall', amount=0.1, every_s=0.5, for_s=60)['ok'], True)
    said = looker.await_op('event', lambda said: said['id'] == 'LK-3010')
    expect('its words', said['text'], 'faults are injected')
    fault = looker.await_op('faults', lambda said: said['injections'])['injections'][0]
    expect('the fault', (fault['kind'], fault['amount'], fault['for_s']), ('stall', 0.1, 60))
    missed = looker.await_op('missed', lambda said: any(c['ended_ns'] > 1e8 for c in said['cycles']))
    worst = max(missed['cycles'], key=lambda c: c['ended_ns'])
    if not worst['cause'] or abs(worst['time'] - time.time()) > 3600 or worst['step'] == 0:
        fail(f'the missed deadline is {worst}')
    expect('ended', first.ask('inject', clear=True)['ok'], True)
    looker.await_op('faults', lambda said: said['injections'] == [])


def test_recordings(port, first, looker):
    """what is recorded can be had, by a ticket, once; nothing else of that folder or of others can"""
    folder = work / 'recordings'
    expect('snapshot', first.ask('snapshot', name='here')['ok'], True)
    expect('restore in a run', first.ask('restore', name='here')['id'], 'LK-8004')
    expect('record', first.ask('record', name='ride')['ok'], True)
    looker.await_op('status', lambda said: said['recording']['active'] and said['recording']['cycles'] > 50)
    expect('record', first.ask('record', stop=True)['ok'], True)
    looker.await_op('status', lambda said: not said['recording']['active'])
    (folder / 'link.mcap').symlink_to(work / 'd.yaml')
    (folder / '.hidden.mcap').write_text('x')
    (folder / 'folder.mcap').mkdir()
    looker.say(op='recordings')
    files = looker.await_op('recordings')['files']
    expect('the list', [(file['name'], file['bytes']) for file in files],
           [('ride.mcap', (folder / 'ride.mcap').stat().st_size)])
    for name in ('../d.yaml', str(work / 'd.yaml'), 'link.mcap', '.hidden.mcap', 'folder.mcap', 'here.snapshot', '', None, 7):
        looker.say(op='download', name=name)
        expect(f'download {name}', looker.await_op('answer', lambda said: said['to'] == 'download')['ok'], False)
    looker.say(op='download', name='ride.mcap')
    address = looker.await_op('download')['address']
    expect('by another name', fetch(port, address, 'evil.example')[1], b'')
    head, body = fetch(port, address)
    expect('the recording', body, (folder / 'ride.mcap').read_bytes())
    expect('as a file', 'attachment; filename="ride.mcap"' in head, True)
    for path in (address, '/recordings/', '/recordings/ride.mcap', '/recordings/../d.yaml', '/recordings/' + '0' * 32):
        expect(f'{path} again', '404' in fetch(port, path)[0], True)


def test_wall_clock():
    """set forward and back by an hour, while a page holds an input: nothing waits for it, and nothing is judged by it"""
    def set_clock(ahead_s):
        (work / 'new-clock').write_text(str(ahead_s))
        (work / 'new-clock').rename(work / 'wall-clock')

    os.environ['WALL_CLOCK'] = str(work / 'wall-clock')
    set_clock(0)
    daemon = start_daemon(work / 'driven.yaml', FOR_PAGES)
    run()
    process, port = start_gateway(program=with_clock)
    look, operate = (token for _, token in tokens())
    looker, page = Page(port, look), Page(port, operate)
    expect('a claim', page.ask('claim', channel='motor')['ok'], True)
    for value, ahead_s in enumerate((3600, 0, -3600, 7200), 1):
        set_clock(ahead_s)
        expect(f'set at {ahead_s} s', page.ask('set', channel='motor', values=[value]).get('text'), 'done')
        looker.await_op('inputs', lambda said: said['inputs'][0]['acting'] == [value] and said['inputs'][0]['bench'] == 'operator')
        for _ in range(8):   # looks at the inputs: its samples go on
            page.say(op='alive')
            looker.await_op('inputs')
        looker.await_op('inputs', lambda said: not said['inputs'][0]['stale'] and said['inputs'][0]['age_steps'] < 100)
    viewer = Viewer(port)
    viewer.await_op('advertise', lambda said: any(c['topic'] == '/log' for c in said['channels']))
    viewer.subscribe('/log')
    viewer.await_message('/log')
    set_clock(-7200)
    looker.await_op('event', lambda said: said['name'] == 'claims' and 'not heard' in said['text'])   # the page is silent
    ctl('stop')
    ctl('load', root / 'config/models/four-bar.yaml')
    viewer.await_op('advertise', lambda said: any(c['topic'] == '/log' for c in said['channels']))
    control('arm', '--allow-degraded')   # whether the proof passes or not
    heard = looker.await_op('event', lambda said: re.match('arm(ing|ed) at step 0', said['text']))['text']  # not that of the stop
    viewer.subscribe('/log')   # anew, as it does with each model: it hears what came meanwhile
    viewer.await_message('/log', lambda said: heard in said.message)
    set_clock(3600)
    expect('the end', (end(process), end(daemon)), (0, 0))


def test_platform(first, looker):
    parked = looker.await_op('platform')
    expect('a platform', (parked['state'], parked['low'], parked['high'], parked['feet']), ('parked', [-0.2] * 6, [0.2] * 6, []))
    expect('emergency', first.ask('platform', order='emergency')['ok'], True)
    looker.await_op('platform', lambda said: said['emergency'])
    expect('not now', 'does not rise' in first.ask('platform', order='engage')['text'], True)
    expect('release', first.ask('platform', order='release')['ok'], True)
    looker.await_op('platform', lambda said: not said['emergency'])


def test_page(port):
    """with four-bar, READY"""
    look, operate = (token for _, token in tokens())
    head, body = fetch(port, '/')
    if '200 OK' not in head or b'<title>linkaged</title>' not in body or 'content-security-policy' not in head.lower():
        fail(f'the page is {head}')
    source = root / 'tools/gateway/page'
    pictures = made if (made / 'pictures.js').exists() else source / 'without'
    for path, folder in (('/page.js', source), ('/inputs.js', source), ('/page.css', source), ('/pictures.js', pictures)):
        expect(path, fetch(port, path)[1], (folder / path[1:]).read_bytes())
    expect('remedies', 'remedy' in json.loads(fetch(port, '/conditions.json')[1])['LK-2004'], True)
    for path, host in (('/embed.py', None), ('/view.js', None), ('/../meson.build', None), ('/', 'evil.example')):
        expect(f'{path} of {host}', b'linkaged' in fetch(port, path, host)[1], False)
    expect('another site', refused(port, 'linkage.page.v1', headers=['Origin: https://evil.example']), True)
    for text in (b'{"op": "stop"}', b'[]', b'{', b'{"op": "login"}', b' ' * 2000):   # before a login
        page = Page(port, 'x' * 32)
        expect('a wrong token', page.await_op('answer')['ok'], False)
        page.ws.send(websocket.TEXT, text)
        expect(f'{text[:20]} without a login', closed(page), True)
    first = Page(port, operate)
    expect('the model', [b for b in first.await_op('model')['scene']['bodies']], ['crank', 'coupler', 'rocker'])
    expect('the role', first.await_op('role')['operates'], True)
    second = Page(port, operate)
    expect('a second operator', 'another page has the controls' in second.await_op('answer')['text'], True)
    looker = Page(port, look)
    expect('a looker', looker.await_op('role'), {'op': 'role', 'operates': False, 'may_operate': False})
    for page in (second, looker):
        expect('no controls', page.ask('stop')['ok'], False)
    expect('no such command', first.ask('shutdown')['ok'], False)
    said = first.ask('start')
    expect('too early', (said['ok'], said['id']), (False, 'LK-8004'))
    expect('a bad model', first.ask('load', name='x.yaml', text='linkage: 1\nname: x\n')['ok'], False)
    expect('a model', first.ask('load', name='driven.yaml', text=DRIVEN)['ok'], True)
    expect('all hear of it', looker.await_op('model', lambda said: said.get('name') == 'driven')['inputs'][0]['high'], 10)
    end_s = time.monotonic() + PATIENCE_S
    state = 'ready'
    while state != 'armed':   # a proof may be disturbed
        expect('arm', first.ask('arm', allow_degraded=True)['ok'], True)
        first.await_op('status', lambda said: said['state'] == 'arming' or said.get('proof'))
        state = first.await_op('status', lambda said: said['state'] != 'arming')['state']
        if time.monotonic() > end_s:
            fail(f'arm: {state}')
    expect('start', first.ask('start')['ok'], True)
    test_claims(first, second, looker)
    expect('poses', len(looker.samples(0)), 7)
    expect('outputs', len(looker.samples(1)), 8)
    test_faults(first, looker)
    test_recordings(port, first, looker)
    test_platform(first, looker)
    expect('claimed again', first.ask('claim', channel='motor')['ok'], True)
    first.ws.close()
    looker.await_op('held', lambda said: said['channels'] == [])
    looker.await_op('inputs', lambda said: said['inputs'][0]['bench'] == '' and said['claims'] == [])
    end_s = time.monotonic() + PATIENCE_S
    while True:   # once the first has gone
        second.say(op='take-controls')
        if second.await_op('role')['operates']:
            break
        if time.monotonic() > end_s:
            fail('the controls stay with a page that has gone')
    expect('stop', second.ask('stop')['ok'], True)
    second.ws.close()
    looker.ws.close()


def get_packages():
    """packages of npm, of the versions of the lock file, once. Return: why there are none"""
    global modules
    folder = pathlib.Path(modules)
    modules = folder / 'node_modules'
    if not (shutil.which('npm') and shutil.which('node')):
        return 'there is no npm'
    done = subprocess.run([sys.executable, root / 'tests/integration/viewers/npm.py', 'npm', root / 'tests/integration/viewers', folder],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip() if done.returncode != 0 else None


def look_for_browser():
    """Return: why there is none"""
    if judge == 'client':
        return None
    if not (made / 'pictures.js').exists():
        return 'the page was built without curves and 3D: install esbuild, libjs-three and libjs-dygraphs, configure again'
    return None if os.path.exists('/usr/bin/chromium') else 'there is no chromium: apt-get install chromium'


def main():
    (work / 'driven.yaml').write_text(DRIVEN, encoding='utf-8')
    (work / 'recordings').mkdir()
    if judge:
        return {'client': test_official_client, 'browser': test_browser, 'driver': test_driver}[judge]()
    first, port = start_gateway('--rate', '1000', '--allow-origin', 'https://app.example')
    early = Viewer(port)   # before there is a daemon
    early.await_op('advertise')
    expect('topics without a daemon', sorted(early.channels), ['/log', '/status'])
    daemon = start_daemon(work / 'driven.yaml')
    early.await_op('advertise', lambda said: any(c['topic'] == '/tf' for c in said['channels']))
    early.ws.close()
    viewer = test_channels(port)
    test_parameters(viewer)
    viewer.ws.close()
    test_other_sites(port)
    test_hostile(port)
    test_anything(port)
    test_many(port)
    test_strangers(port)
    test_slow(port)
    daemon = test_another_daemon(daemon, port)
    test_page(port)
    expect('the end of the gateway', end(first), 0)
    expect('the end of the daemon', end(daemon), 0)
    test_roads()
    test_keys()
    if shutil.which('openssl'):
        test_tls()
    test_wall_clock()
    test_command_line()


if __name__ == '__main__':
    if judge and (why := get_packages() or look_for_browser()):
        print('left out: ' + why)
        sys.exit(77)
    try:
        main()
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(work, ignore_errors=True)
