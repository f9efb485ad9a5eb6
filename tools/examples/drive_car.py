#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A drive in a car of config/models: sedan and strut-car set off, steer to the left and to the right, and brake to a
stand; iltis, which rolls at 20 m/s whatever happens, only steers. Prints what car and tyres did.

usage: drive_car.py SECONDS [CONTROL INPUTS OUTPUTS]"""
import math
import sys
from rig import Rig

if len(sys.argv) not in (2, 5):
    print(__doc__), sys.exit(2)
INPUTS = {
    "sedan": {"steer": "rad", "throttle": "1", "brake": "1"},
    "strut-car": {"steer": "rad", "motor_rl": "N m", "motor_rr": "N m", "brake": "1"},
    "iltis": {"rack": "m"},
}
PHASES = {  # share of the time; what the inputs are, the first of them times a sine
    "sedan": {"set off": (0.4, [0, 1, 0]), "steer": (0.3, [4, 0.1, 0]), "brake": (0.3, [0, 0, 0.6])},
    "strut-car": {"set off": (0.4, [0, 450, 450, 0]), "steer": (0.3, [0.2, 0, 0, 0]), "brake": (0.3, [0, 0, 0, 0.7])},
    "iltis": {"steer": (1.0, [0.006])},
}
rig = Rig("a drive", INPUTS, sys.argv[2:])


def drive(name, span, values):
    """A phase: the values at full size, the first of them once to and fro."""
    times, speeds, aside, leans = [], [], [], []

    def answer(sample):
        times.append(sample.time_s)
        speeds.append(math.hypot(rig.show(sample, "motion", 0), rig.show(sample, "motion", 1)))
        aside.append(abs(speeds[-1] * rig.show(sample, "motion", 5)))
        fl, fr, rl, rr = (rig.show(sample, f"tyre_{wheel}", 2) for wheel in ("fl", "fr", "rl", "rr"))
        leans.append(max(fl + rl, fr + rr) / max(fl + fr + rl + rr, 1e-9))
        return [values[0] * math.sin(2 * math.pi * (times[-1] - times[0]) / span)] + values[1:]

    samples = rig.run(span, answer)
    way = sum(v * (b - a) for v, a, b in zip(speeds, times, times[1:]))
    print(f"{name}: samples {samples}, from {speeds[0]:.2f} to {speeds[-1]:.2f} m/s in {way:.2f} m, at most "
          f"{max(aside):.2f} m/s^2 aside, the outer wheels carry {100 * max(leans):.1f} %", flush=True)


for name, (share, values) in PHASES[rig.description.name].items():
    drive(name, share * float(sys.argv[1]), values)
rig.leave()
