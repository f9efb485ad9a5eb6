#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows the datagrams for motion platforms (doc/reference/sending.md has their layout).

usage: motion_listen.py PORT [SECONDS]"""
import socket, struct, sys, time

STATES = ["", "EMPTY", "READY", "RUNNING", "PAUSED", "FAULT", "ARMED", "ARMING"]
FLAGS = ["degraded", "stale", "tripped", "rate-limited", "injected", "lost"]

if len(sys.argv) not in (2, 3):
    print(__doc__), sys.exit(2)
listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listener.bind(("", int(sys.argv[1])))
listener.settimeout(1)
end = time.monotonic() + (float(sys.argv[2]) if len(sys.argv) == 3 else 1e9)
last, shown, lost = 0, 0.0, 0
while time.monotonic() < end:
    try:
        packet = listener.recv(65536)
    except TimeoutError:
        print("silence: a platform would stop now", flush=True)
        continue
    if packet[:4] != b"LKM1" or len(packet) < 40:
        continue
    version, form, counter, status, step, seconds, utc = struct.unpack_from("<HHIIQdQ", packet, 4)
    lost += (counter - last - 1) & 0xffffffff if last else 0
    last = counter
    if version != 1 or time.monotonic() < shown + 0.1:
        continue                    # ten lines a second are enough to read
    shown = time.monotonic()
    values = struct.unpack_from("<24d" if form & 1 else "<24f", packet, 40)
    words = [word for bit, word in enumerate(FLAGS) if status >> (8 + bit) & 1]
    pose = " ".join(f"{value:9.4f}" for value in values[:6])
    state = STATES[status & 0xff]
    print(f"{state:8} {seconds:9.3f} s  pose {pose}  lost {lost}", *words, flush=True)
