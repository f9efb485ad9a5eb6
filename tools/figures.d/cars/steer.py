#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the steer of lane-change: a driver who has driven the track before and knows where it was tight. Values of
the steer every 0.2 s, smooth between them, by least squares (Levenberg, Marquardt) on what the middles of the axles
lack of 6 cm of room in the gates, on their distance from the middle of the way and on the bends of the steer; slopes
by runs of the model. Minutes; by hand.

usage: steer.py LINKAGE MODEL INPUT SPEED WIDTH SIZE OUT.csv [OPTION OF linkage run...]
SPEED [m/s] and WIDTH [m] of the car; SIZE of a large steer. What is in OUT.csv is where it begins. Prints for each pass
the room in the gates [m] and the largest v r [m/s^2]."""
import csv
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
import numpy as np

if len(sys.argv) < 8:
    print(__doc__), sys.exit(2)
linkage, model, name = sys.argv[1:4]
speed, width, size = map(float, sys.argv[4:7])
out, options = sys.argv[7], sys.argv[8:]
AHEAD, LENGTH = 40, 135                       # of the start, behind the first gate [m]
GATES = [(0, 15, 0), (45, 70, 3.5), (95, 125, 0)]
ROOM = [((1 + k / 10) * width + 0.25 - width) / 2 for k in (1, 2, 3)]
MARGIN, EPS, PASSES = 0.06, 0.01, 12
KNOT = 0.2
time = np.arange(0, (AHEAD + LENGTH) / speed * 1.04, 0.02)
knots = np.arange(1.0, time[-1], KNOT)
seen = np.arange(-20, 131, 1.0)               # along the track [m]


def hump(x):
    """A cubic B-spline."""
    x = abs(x)
    return np.where(x < 1, 2 / 3 - x * x + x ** 3 / 2, np.where(x < 2, (2 - x) ** 3 / 6, 0))


shape = hump((time[:, None] - knots[None, :]) / KNOT)


def middle(x):
    def rise(u):
        u = np.clip(u, 0, 1)
        return u ** 3 * (10 - 15 * u + 6 * u * u)
    return 3.5 * (rise((x - 13) / 34) - rise((x - 68) / 29))


def write(values, path):
    with open(path, "w") as file:
        file.write(f"time,{name}\n")
        file.writelines(f"{t:.2f},{steer:.5g}\n" for t, steer in zip(time, size * shape @ values))


def drive(values):
    """The axles where they are seen, and the largest v r."""
    with tempfile.TemporaryDirectory() as work:
        write(values, f"{work}/steer.csv")
        subprocess.run([linkage, "run", model, "-d", f"{time[-1]:.2f}", "-n", "10", "--interpolate", "--inputs",
                        f"{work}/steer.csv", "-o", f"{work}/out.csv", *options], check=True, capture_output=True)
        with open(f"{work}/out.csv") as file:
            head = [title.split(" ")[0] for title in next(csv.reader(file))]
            columns = dict(zip(head, np.array([row.split(",") for row in file], float).T))
    axles = []
    for end in "fr":
        x, y = ((columns[f"contact_{end}l.{k}"] + columns[f"contact_{end}r.{k}"]) / 2 for k in "xy")
        axles.append(np.interp(seen, x - AHEAD, y))
    aside = np.hypot(columns["motion.vx"], columns["motion.vy"]) * columns["motion.wz"]
    return np.array(axles), np.max(abs(aside))


def residuals(values):
    axles, _ = drive(values)
    parts = [(axles - middle(seen)).ravel() / 2, np.diff(values, 2) / 2, [values[-1], values[-2]]]
    for (first, last, aside), room in zip(GATES, ROOM):
        off = axles[:, (seen >= first - 0.5) & (seen <= last + 0.5)] - aside
        parts.append((np.sign(off) * np.maximum(abs(off) - room + MARGIN, 0)).ravel() / 0.02)
    return np.concatenate(parts)


def report(values):
    axles, aside = drive(values)
    rooms = [room - np.max(abs(axles[:, (seen >= first) & (seen <= last)] - at))
             for (first, last, at), room in zip(GATES, ROOM)]
    print(", ".join(f"{room:.2f}" for room in rooms), f"m; {aside:.1f} m/s^2", flush=True)


def record():
    values, damping = np.zeros(len(knots)), 1.0
    if os.path.exists(out):
        begin = np.loadtxt(out, delimiter=",", skiprows=1).T
        values = np.linalg.lstsq(shape, np.interp(time, *begin) / size, rcond=None)[0]
    off = residuals(values)
    with ThreadPoolExecutor() as pool:
        for _ in range(PASSES):
            others = list(pool.map(residuals, values + EPS * np.eye(len(values))))
            slopes = (np.array(others) - off).T / EPS
            for _ in range(6):
                way = np.linalg.solve(slopes.T @ slopes + damping * np.eye(len(values)), -slopes.T @ off)
                try:
                    further = residuals(values + way)
                except subprocess.CalledProcessError:  # beyond the limits of the input, or the car fell over
                    further = np.full(len(off), np.inf)
                if further @ further < off @ off:
                    break
                damping *= 4
            else:
                return
            values, off, damping = values + way, further, damping / 4
            write(values, out)
            report(values)


record()
