#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A motion platform that is none: the protocol of README.md, its own dynamics, limits and faults.

It rises when engaged, follows within its own speed and acceleration, and parks by itself on PARK, on any fault, and
when no command has come for half a second. A command out of range or a jump between two commands is a fault, as with
a real one. Standard input has the buttons, one a line: `estop`, `fault`, `reset`, and `show`; standard output has a
JSON line for every change of state and every `show`: state, faults, position, and the largest step between commands.

usage: simulated_platform.py PORT        (0: any free one; the first line says which)"""
import json, math, select, socket, struct, sys, time

IDLE, STANDBY, ENGAGED, PARKING, FAULT1 = 1, 2, 3, 7, 8
NAMES = {1: 'idle', 2: 'standby', 3: 'engaged', 7: 'parking', 8: 'fault'}
PARK, ENGAGE, RESET, NEW_POSITION = 210, 180, 160, 130
ESTOP, RANGE, COMMUNICATION, ENVELOPE, AMPLIFIER = 0x8000, 0x0200, 0x0008, 0x0002, 0x0010
PERIOD, SILENT = 0.005, 0.5
# roll, pitch, heave, surge, yaw, lateral; rad and m, heave down
LIMIT = (0.37, 0.38, 0.18, 0.26, 0.38, 0.26)
SPEED = (0.6, 0.6, 0.5, 0.6, 0.6, 0.6)
ACCELERATION = (8, 8, 6, 7, 8, 7)
JUMP = (0.02,) * 6          # largest step of a command
HOME = (0, 0, 0.18, 0, 0, 0)
NEUTRAL = (0,) * 6
CALM = 0.2                  # part of the speed that rising and parking use


class Platform:
    def __init__(self):
        self.state, self.faults, self.said = IDLE, 0, None
        self.at, self.speed, self.target = list(HOME), [0] * 6, HOME
        self.last, self.heard, self.worst = NEUTRAL, time.monotonic(), 0

    # ---- motion ----

    def move(self, h):
        part = 1 if self.state == ENGAGED else CALM
        for i in range(6):
            way = self.target[i] - self.at[i]
            a = ACCELERATION[i]
            wish = min(abs(way) / h, part * SPEED[i], math.sqrt((a * h / 2) ** 2 + a * abs(way)) - a * h / 2)
            wish = math.copysign(wish, way)
            self.speed[i] += max(-a * h, min(a * h, wish - self.speed[i]))
            self.at[i] += h * self.speed[i]

    def arrived(self):
        return all(abs(a - b) < 1e-4 for a, b in zip(self.at, self.target)) and max(map(abs, self.speed)) < 1e-2

    def step(self, h):
        if time.monotonic() - self.heard > SILENT and self.state in (STANDBY, ENGAGED):
            self.fail(COMMUNICATION)
        self.move(h)
        if self.state == STANDBY and self.arrived():
            self.state, self.last = ENGAGED, NEUTRAL
        if self.state == PARKING and self.arrived():
            self.state = FAULT1 if self.faults else IDLE

    # ---- commands ----

    def park(self):
        if self.state in (STANDBY, ENGAGED):
            self.state, self.target = PARKING, HOME

    def fail(self, fault):
        self.faults |= fault
        self.park()
        if self.state == IDLE:
            self.state = FAULT1

    def reset(self):
        if self.state in (IDLE, FAULT1):
            self.state, self.faults = IDLE, 0

    def new_position(self, position):
        step = max(abs(a - b) / j for a, b, j in zip(position, self.last, JUMP))
        self.worst = max(self.worst, step)
        if not all(abs(p) <= limit for p, limit in zip(position, LIMIT)):
            self.fail(RANGE)
        elif not step <= 1:
            self.fail(ENVELOPE)
        else:
            self.target = self.last = position

    def command(self, packet):
        if len(packet) != 32:
            return
        word, *position, _ = struct.unpack('>I7f', packet)
        self.heard = time.monotonic()
        if word == PARK:
            self.park()
        elif word == RESET:
            self.reset()
        elif word == ENGAGE and self.state == IDLE and not any(position):
            self.state, self.target = STANDBY, NEUTRAL
        elif word == NEW_POSITION and self.state == ENGAGED:
            self.new_position(tuple(position))

    def reply(self):
        return struct.pack('>3I7f', self.faults, int(self.state == IDLE), 0x20 | self.state, *self.at, 0)

    # ---- people ----

    def press(self, button):
        if button == 'estop':
            self.fail(ESTOP)
        elif button == 'fault':
            self.fail(AMPLIFIER)
        elif button == 'reset':
            self.reset()
        elif button == 'show':
            self.said = None

    def tell(self):
        now = (self.state, self.faults)
        if now != self.said:
            self.said = now
            print(json.dumps({'state': NAMES[self.state], 'faults': self.faults, 'position': self.at,
                              'largest_step': self.worst * JUMP[0]}), flush=True)


def main():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(('127.0.0.1', int(sys.argv[1])))
    print(json.dumps({'port': s.getsockname()[1]}), flush=True)
    platform, last = Platform(), time.monotonic()
    while True:
        ready, _, _ = select.select([s, sys.stdin], [], [], PERIOD)
        if s in ready:
            packet, sender = s.recvfrom(2048)
            platform.command(packet)
            s.sendto(platform.reply(), sender)
        if sys.stdin in ready:
            line = sys.stdin.readline()
            if not line:
                return
            platform.press(line.strip())
        now = time.monotonic()
        if now - last >= PERIOD:
            platform.step(min(now - last, 4 * PERIOD))
            last = now
        platform.tell()


if __name__ == '__main__':
    if len(sys.argv) != 2:
        print(__doc__)
        sys.exit(2)
    try:
        main()
    except KeyboardInterrupt:
        pass
