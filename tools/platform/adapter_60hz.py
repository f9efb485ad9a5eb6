#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Between linkaged and a motion platform that is commanded 60 times a second by big-endian datagrams.

From the daemon: datagrams of `motion` with `platform: true`. To the daemon: reports (`cueing: {report: ...}`);
doc/reference/sending.md and platforms.md have the layouts. To and from the platform: README.md of this folder.

The daemon brings a ride to its end by itself, so the adapter passes poses on while the daemon follows or holds, and
lets the platform rise and park by its own means. A daemon that is silent for SILENT seconds: the platform parks, and
stays there and not ready, whatever the daemon says, until the daemon is parked as well.
Each command is within STEP of the one before, whatever the daemon or the network does.

usage: adapter_60hz.py DAEMON_PORT REPORT_HOST:PORT PLATFORM_HOST:PORT"""
import select, socket, struct, sys, time

PERIOD, SILENT, NO_REPLY = 1 / 60, 0.2, 0.5
STEP = (0.012,) * 3 + (0.012,) * 3  # a command after the other: x y z [m], roll pitch yaw [rad]
PARKED, RISING, FOLLOWING, HOLDING, SETTLING = range(1, 6)       # the daemon's platform_state
IDLE, STANDBY, ENGAGED, PARKING = 1, 2, 3, 7                     # the platform's state
PARK, ENGAGE, DOF_MODE, NEW_POSITION = 210, 180, 170, 130        # command words
ESTOP = 0x8000
READY, FAULT, EMERGENCY = 1, 2, 4


def decode(packet):
    """(state, pose) of a datagram of the daemon; None if it is none of version 2"""
    if len(packet) < 40 or packet[:4] != b'LKM1' or packet[4:6] != b'\x02\0':
        return None
    wide = packet[6] & 1
    size, letter = (8, 'd') if wide else (4, 'f')
    if len(packet) != 40 + 24 * size + 8 + 12 * size:
        return None
    state, _ = struct.unpack_from('<II', packet, 40 + 24 * size)
    return state, struct.unpack_from('<6' + letter, packet, 48 + 24 * size)


def encode(word, pose):
    """A command. The platform's axes are those of an aircraft, x ahead, y right, z down: check each on the machine."""
    x, y, z, roll, pitch, yaw = pose
    return struct.pack('>I7f', word, roll, -pitch, -z, x, -yaw, -y, 0)


def pose_of(feedback):
    """encode() backwards: where the platform is"""
    roll, pitch, heave, surge, yaw, lateral = feedback
    return surge, -lateral, -heave, roll, -pitch, -yaw


def choose(daemon, platform, pose, last):
    """(command word, pose): the next command. daemon: its state, None if silent; last: pose commanded before"""
    neutral = (0,) * 6
    if daemon in (RISING, FOLLOWING, HOLDING) and platform in (IDLE, STANDBY):
        return (ENGAGE, neutral) if daemon == RISING else (DOF_MODE, neutral)
    if platform == ENGAGED and daemon in (RISING, FOLLOWING, HOLDING):
        aim = neutral if daemon == RISING else pose
        return NEW_POSITION, tuple(a + max(-s, min(s, b - a)) for a, b, s in zip(last, aim, STEP))
    if platform in (STANDBY, ENGAGED):
        return PARK, last
    return DOF_MODE, neutral


def report(daemon, platform, faults, heard):
    """flags for the daemon; a platform that has not risen with it is not ready to follow"""
    fit = (STANDBY, ENGAGED) if daemon in (FOLLOWING, HOLDING) else (IDLE, STANDBY, ENGAGED)
    flags = (FAULT if faults else 0) | (EMERGENCY if faults & ESTOP else 0)
    return flags | (READY if heard and not faults and platform in fit else 0)


class Adapter:
    def __init__(self, port, reports, platform):
        self.daemon = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.daemon.bind(('127.0.0.1', port))
        self.platform = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.reports, self.platform_at = reports, platform
        self.state, self.pose, self.last = None, (0,) * 6, (0,) * 6
        self.platform_state, self.faults, self.counter = 0, 0, 0
        self.over = False                                # the daemon's ride, though it may not know
        self.daemon_seen = self.platform_seen = -1e9  # never

    def hear(self, until):
        while True:
            rest = until - time.monotonic()
            ready, _, _ = select.select([self.daemon, self.platform], [], [], max(rest, 0))
            if not ready and rest <= 0:
                return
            for s in ready:
                try:
                    self.take(s, s.recv(2048))
                except OSError:
                    pass  # nobody listens at the other end

    def take(self, s, packet):
        now = time.monotonic()
        if s is self.daemon:
            said = decode(packet)
            if said:
                self.take_daemon(said, now)
        elif len(packet) == 40:
            faults, _, state, *at = struct.unpack('>3I7f', packet)
            self.take_platform(faults, state & 15, at[:6], now)

    def take_daemon(self, said, now):
        self.state, self.pose = said
        self.daemon_seen = now

    def take_platform(self, faults, state, at, now):
        lost, self.platform_seen = now - self.platform_seen > NO_REPLY, now
        self.faults, self.platform_state = faults, state
        if lost and state == ENGAGED:  # by an adapter before this one, or before its replies were lost
            self.last = pose_of(at)

    def tick(self, now):
        silent = now - self.daemon_seen > SILENT
        heard = now - self.platform_seen <= NO_REPLY
        if self.state == PARKED:
            self.over = False
        elif silent and self.state is not None:
            self.over = True
        daemon = None if silent or self.over else self.state
        platform = self.platform_state if heard else 0
        word, self.last = choose(daemon, platform, self.pose, self.last)
        self.counter = self.counter + 1 & 0xffffffff
        flags = report(daemon, platform, self.faults, heard and not self.over)
        for packet, to in ((encode(word, self.last), self.platform_at),
                           (struct.pack('<4sHHI', b'LKP1', 1, flags, self.counter), self.reports)):
            try:
                self.platform.sendto(packet, to)
            except OSError:
                pass

    def run(self):
        due = time.monotonic()
        while True:
            due = max(due + PERIOD, time.monotonic())
            self.hear(due)
            self.tick(time.monotonic())


def address(text):
    host, _, port = text.rpartition(':')
    return host, int(port)


if __name__ == '__main__':
    if len(sys.argv) != 4:
        print(__doc__)
        sys.exit(2)
    try:
        Adapter(int(sys.argv[1]), address(sys.argv[2]), address(sys.argv[3])).run()
    except KeyboardInterrupt:
        pass
