#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon, an adapter and a simulated platform over real sockets: a car on a moving road is followed; then the ride is
ordered to end, the run stops, the platform fails, somebody presses the emergency button. Each time the platform ends
parked, and no command was ever a jump: the simulated platform takes one for a fault. The recording replays platform
and all.

usage: test-platform.py LINKAGED LINKAGECTL LINKAGE SOURCE-ROOT"""
import pathlib, struct, subprocess, sys, time

sys.dont_write_bytecode = True
from platform_rig import AMPLIFIER, ESTOP, SIX_AXIS, Failed, Rig, free_port, run_test

root = pathlib.Path(sys.argv[4])
HEAVE = 2
sys.path.insert(0, str(root / 'tools/platform'))
import adapter_60hz as a60


def write_car(rig):
    text = (root / 'config/models/quarter-car.yaml').read_text()
    text = text.replace('inputs:\n', 'inputs:\n  strength: {type: signal, limits: [0, 2], initial: 0.6}\n')
    text = text.replace('outputs:\n', 'outputs:\n  strength_now: {type: input, input: strength}\n')
    (rig.work / 'car.yaml').write_text(text)


def ride(rig):
    """shake the road, and end in the middle of it"""
    def shake(i):
        rig.ctl('set', 'road', str(0.08 * (-1) ** i))
        rig.ctl('set', 'strength', str(1 if i % 2 else 0.7))
    rig.ride(shake, HEAVE, 0.005)


def spoil(recording, channel, number):
    """a copy in which one bit of the last value of a message is another; its chunk has no checksum"""
    data = bytearray(recording.read_bytes())
    at = 8
    while at < len(data) - 8:
        kind, size = data[at], struct.unpack_from('<Q', data, at + 1)[0]
        begin = at = at + 9
        at += size
        if kind != 6:
            continue
        words = struct.unpack_from('<I', data, begin + 28)[0]
        inner = begin + 28 + 4 + words + 8
        while inner < at:
            kind, size = data[inner], struct.unpack_from('<Q', data, inner + 1)[0]
            inner += 9
            if kind == 5 and struct.unpack_from('<H', data, inner)[0] == channel:
                number -= 1
                if number == 0:
                    data[inner + size - 3] ^= 1
                    data[begin + 24:begin + 28] = bytes(4)
                    copy = recording.with_name('spoilt')
                    copy.write_bytes(data)
                    return copy
            inner += size
    raise Failed('the recording has too few steps')


def check_recording(rig):
    """of the first run, which has ended: what its rides did stands among the events"""
    def linkage(*words):
        return subprocess.run([rig.linkage, *words], capture_output=True, text=True)

    recording, = rig.work.glob('*.mcap')
    done = linkage('replay', recording)
    if done.returncode != 0 or done.stdout.count('every bit the same') != 2:
        raise Failed(f'the replay: {done.stdout}{done.stderr}')
    print(done.stdout.splitlines()[-1])
    spoilt = linkage('replay', spoil(recording, 5, 3000))
    if spoilt.returncode == 0 or 'of the platform differs: actuators.a6' not in spoilt.stdout:
        raise Failed(f'the replay of a spoilt recording: {spoilt.stdout}{spoilt.stderr}')
    head, *rows = linkage('export', '--topic', 'platform', recording).stdout.splitlines()
    place = head.split(',').index('gains [1]')
    if not any(float(row.split(',')[place]) for row in rows):
        raise Failed('no gain was moved')
    done = linkage('export', '--topic', 'events', recording)
    for event in ('rising', 'following', 'settling: ordered to park', 'parked'):
        if f'"{event}"' not in done.stdout:
            raise Failed(f'no event {event}: {done.stdout}{done.stderr}')


def check_other_adapter():
    """one that begins where another has ended goes on from where the platform is"""
    at = [0.1, -0.05, 0.02, 0.03, 0.04, -0.06]
    other = a60.Adapter(free_port(), ('127.0.0.1', 9), ('127.0.0.1', 9))
    other.take(other.platform, struct.pack('>3I7f', 0, 0, 0x20 | a60.ENGAGED, *at, 0))
    other.take(other.platform, struct.pack('>3I7f', 0, 0, 0x20 | a60.ENGAGED, *[0.2] * 6, 0))
    sent = struct.unpack('>I7f', a60.encode(a60.NEW_POSITION, other.last))
    if sent[0] != a60.NEW_POSITION or any(abs(x - y) > 1e-6 for x, y in zip(sent[1:], at)):
        raise Failed(f'another adapter begins at {sent}, the platform is at {at}')
    if a60.report(a60.FOLLOWING, a60.IDLE, 0, True) & a60.READY or \
            not a60.report(a60.RISING, a60.IDLE, 0, True) & a60.READY:
        raise Failed('a platform that has not risen is ready to follow')


def check_silences():
    """time is the test's own: the platform's replies and the daemon's datagrams fail for a while"""
    sent = {}
    adapter = a60.Adapter(free_port(), ('to', 'reports'), ('to', 'platform'))

    class Line:
        def sendto(self, packet, to):
            sent[to[1]] = struct.unpack('>I7f' if to[1] == 'platform' else '<4sHHI', packet)

    def hears(now, daemon=None, platform=None):
        """Return: command word, surge, whether it reports ready"""
        if daemon:
            adapter.take_daemon((daemon, (0.1,) * 6), now)
        if platform:
            adapter.take_platform(0, platform, (0, 0, 0, 0.1, 0, 0), now)
        adapter.tick(now)
        return sent['platform'][0], round(sent['platform'][4], 6), sent['reports'][2] & a60.READY

    def expect(what, seen, wanted):
        if seen != wanted:
            raise Failed(f'{what}: {seen}, expected {wanted}')

    adapter.platform = Line()
    hears(0, a60.FOLLOWING, a60.ENGAGED)
    expect('it follows', hears(0.1, a60.FOLLOWING, a60.ENGAGED), (a60.NEW_POSITION, 0.1, a60.READY))
    # the platform goes on from where it is once it is heard again
    expect('without replies', hears(0.7, a60.FOLLOWING), (a60.DOF_MODE, 0, 0))
    expect('with replies again', hears(0.75, a60.HOLDING, a60.ENGAGED), (a60.NEW_POSITION, 0.1, a60.READY))
    # a daemon that comes back into its ride after a silence: the platform has parked, and waits for another ride
    expect('silence', hears(1, None, a60.ENGAGED)[0], a60.PARK)
    expect('back, the platform is going down', hears(1.1, a60.RISING, a60.PARKING)[::2], (a60.DOF_MODE, 0))
    expect('back, the platform is down', hears(1.2, a60.RISING, a60.IDLE)[::2], (a60.DOF_MODE, 0))
    expect('back, it follows', hears(1.3, a60.FOLLOWING, a60.ENGAGED)[::2], (a60.PARK, 0))
    expect('the ride is over', hears(1.4, a60.PARKED, a60.IDLE)[::2], (a60.DOF_MODE, a60.READY))
    expect('another ride', hears(1.5, a60.RISING, a60.IDLE)[::2], (a60.ENGAGE, a60.READY))


def test(rig):
    write_car(rig)
    check_other_adapter()
    check_silences()
    rig.start_daemon('car', 'ride')
    if rig.control('platform', 'engage').returncode == 0:
        raise Failed('a platform that does not report was engaged')
    rig.start_adapter()

    ride(rig)
    rig.ctl('platform', 'park')
    rig.platform.expect('idle', 0)
    rig.await_parked('ordered to park')

    ride(rig)
    rig.ctl('stop')
    rig.platform.expect('idle', 0)
    rig.await_parked('the cycle does not run in real time')

    check_recording(rig)
    rig.ctl('start')
    ride(rig)
    rig.platform.press('fault')
    rig.platform.expect('fault', AMPLIFIER)
    rig.await_parked('the platform reports a fault')
    rig.platform.press('reset')

    ride(rig)
    rig.platform.press('estop')
    rig.platform.expect('fault', ESTOP)
    rig.await_ride('parked')
    rig.platform.press('reset')
    rig.await_ready()
    if not rig.ctl('platform')['emergency'] or rig.control('platform', 'engage').returncode == 0:
        raise Failed('an emergency is forgotten')
    rig.ctl('platform', 'release')

    ride(rig)
    rig.ctl('platform', 'park')
    said = rig.platform.expect('idle', 0)
    print(f'five rides, largest step between two commands {said["largest_step"]:.4f} m or rad')


sys.exit(run_test(test, Rig(sys.argv[1:4], root, SIX_AXIS, 'gains: {force_scale: strength_now}')))
