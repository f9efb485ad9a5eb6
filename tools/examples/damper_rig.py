#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A damper rig for config/models/damper-rig.yaml: the road is a sine, the damper is here. It gets stroke and speed, and
says its force together with how much that grows with the speed, so that the step solves with it what comes next.

usage: damper_rig.py SECONDS [CONTROL INPUTS OUTPUTS]"""
import math
import sys
from rig import Rig

if len(sys.argv) not in (2, 5):
    print(__doc__), sys.exit(2)
AMPLITUDE, FREQUENCY = 0.015, 1.5               # of the road [m, Hz]
SPEED = [-1.5, -0.3, 0.0, 0.3, 1.5]             # of the damper [m/s]: in compression below 0
FORCE = [-4200.0, -1500.0, 0.0, 2400.0, 6000.0]  # against it [N]


def damper(speed):
    """Force against the speed, and its slope, straight between the points and beyond them."""
    i = sum(speed > x for x in SPEED[1:-1])
    slope = (FORCE[i + 1] - FORCE[i]) / (SPEED[i + 1] - SPEED[i])
    return FORCE[i] + slope * (speed - SPEED[i]), slope


rig = Rig("damper rig", {"road": "m", "damper_force": "N", "damper_damping": "N s/m"}, sys.argv[2:])
strokes, heights, works = [], [], []
start = None


def answer(sample):
    global start
    start = sample.time_s if start is None else start
    t = sample.time_s - start  # the run may be old when the rig joins, and the platform must not jump
    speed = rig.show(sample, "speed")
    force, slope = damper(speed)
    strokes.append(rig.show(sample, "stroke"))
    heights.append(rig.show(sample, "height"))
    works.append(rig.show(sample, "work"))
    # the model has damper_force - damper_damping v, which is -force at this speed
    return [min(1.0, t) * AMPLITUDE * math.sin(2 * math.pi * FREQUENCY * t), slope * speed - force, slope]


samples = rig.run(float(sys.argv[1]), answer)
rig.leave()
half = len(strokes) // 2
print(f"samples {samples}: stroke {1e3 * (max(strokes[half:]) - min(strokes[half:])):.1f} mm, mount "
      f"{1e3 * (max(heights[half:]) - min(heights[half:])):.1f} mm on a road of {2e3 * AMPLITUDE:.0f} mm, "
      f"the damper took {-works[-1]:.1f} J")
