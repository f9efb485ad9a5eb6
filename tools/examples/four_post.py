#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A four-post rig for config/models/four-post.yaml: shakes the car in heave, pitch and roll, one after the other, by
sweeps of growing frequency, and prints by how much the body answers the posts below and above its resonance.

usage: four_post.py SECONDS [CONTROL INPUTS OUTPUTS]      of each of the three"""
import math
import sys
from rig import Rig

if len(sys.argv) not in (2, 5):
    print(__doc__), sys.exit(2)
WHEELS = ["fl", "fr", "rl", "rr"]
MODES = {"heave": [1, 1, 1, 1], "pitch": [-1, -1, 1, 1], "roll": [1, -1, 1, -1]}
AMPLITUDE, FIRST, LAST = 0.005, 0.5, 8.0        # [m], [Hz]
span = float(sys.argv[1])
rig = Rig("four posts", {f"post_{wheel}": "m" for wheel in WHEELS}, sys.argv[2:])


def sweep(t):
    """A sine whose frequency grows evenly, faded in and out over a tenth of the time."""
    fade = max(0.0, min(1.0, 10 * t / span, 10 * (span - t) / span))
    return fade * AMPLITUDE * math.sin(2 * math.pi * (FIRST * t + 0.5 * (LAST - FIRST) * t * t / span))


for mode, signs in MODES.items():
    start, body, loads = None, [], []

    def answer(sample):
        global start
        start = sample.time_s if start is None else start
        t = sample.time_s - start
        w, x, y, z = (rig.show(sample, "chassis", 3 + i) for i in range(4))
        body.append((t, {"heave": rig.show(sample, "chassis", 2), "pitch": 2 * (w * y - x * z) * 1.29,
                         "roll": 2 * (w * x + y * z) * 0.69}[mode]))
        loads.append(min(rig.show(sample, f"load_{wheel}", 2) for wheel in WHEELS))
        return [sign * sweep(t) for sign in signs]

    samples = rig.run(span, answer)
    early = [value for t, value in body if t < 0.3 * span]
    late = [value for t, value in body if t > 0.7 * span]
    print(f"{mode}: samples {samples}, body {500 * (max(early) - min(early)):.2f} mm below and "
          f"{500 * (max(late) - min(late)):.2f} mm above its resonance on posts of {1e3 * AMPLITUDE:.0f} mm, "
          f"least wheel load {min(loads):.0f} N", flush=True)
rig.leave()
