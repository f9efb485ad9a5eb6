#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The spin-up of Kane from a mode file alone, by an integrator that knows nothing of ours: a judge of the data in the file.

The root turns by 6/15 (t^2/2 + (15/2pi)^2 (cos(2 pi t/15) - 1)) until 15 s. Prints deflection along and across and rotation of
the tip as seen from the root. References of a geometrically exact beam: 3 s -2.728e-3, -0.21727, -0.029624; 7.5 s
-1.7742e-2, -0.55908, -0.074779; 15 s 5.140e-4, 1.303e-3, 1.68e-4.

usage: linkage flex config/models/spin-up-beam.yaml --beam beam -o beam.modes
       tests/bench/spin_up_modes.py beam.modes [STEP [DURATION]]
Needs python3-numpy and python3-yaml.
"""
import sys

import numpy as np
import yaml

PLANE = [0, 1, 5]  # x, y and rotation about z


class Body:
    """A mode file, of which only modes in the plane z = 0 are used."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            data = yaml.load(file, Loader=yaml.CSafeLoader)
        shapes = {name: np.array(node["shape"], float) for name, node in data["nodes"].items()}
        ends = np.hstack([shapes["root"], shapes["tip"]])
        self.modes = [k for k, row in enumerate(ends)
                      if np.abs(row[[2, 3, 4, 8, 9, 10]]).max() < 1e-9 and np.abs(row).max() > 1e-6]
        self.at = {k: i for i, k in enumerate(self.modes)}
        n = self.n = len(self.modes)
        self.mass, self.inertia = data["mass"], data["inertia"][2]
        self.square = (2 * np.pi * np.array(data["frequency"], float)[self.modes]) ** 2
        self.first = np.array([data["inertia_first"][k][2] for k in self.modes], float)
        self.second, self.beta = np.zeros((n, n)), np.zeros((n, n))
        for k, l, row in self.pairs(data["second"]):
            self.second[k, l] = self.second[l, k] = row[2]
            if k != l:
                self.beta[k, l], self.beta[l, k] = row[8], -row[8]
        self.node = {}
        for name in ("root", "tip"):
            bend = np.zeros((3, n, n))
            for k, l, row in self.pairs(data["nodes"][name].get("second", [])):
                bend[:, k, l] = bend[:, l, k] = np.array(row, float)[PLANE]
            place = np.array(data["nodes"][name]["position"][:2]) - data["center"][:2]
            self.node[name] = place, shapes[name][self.modes][:, PLANE].T, bend

    def pairs(self, rows):
        for row in rows:
            if row[0] - 1 in self.at and row[1] - 1 in self.at:
                yield self.at[row[0] - 1], self.at[row[1] - 1], [float(value) for value in row[2:]]

    def lagrangian(self, q, v, rate):
        """Kinetic minus elastic energy while the root turns with a rate; the root does not move."""
        place, shape, bend = self.node["root"]
        r, dr = shape @ q + 0.5 * (bend @ q) @ q, shape @ v + (bend @ q) @ v
        turn = rate - dr[2]
        vx, vy = dr[0] - turn * (place[1] + r[1]), dr[1] + turn * (place[0] + r[0])
        inertia = self.inertia + self.first @ q + 0.5 * q @ self.second @ q
        return (0.5 * self.mass * (vx * vx + vy * vy) + 0.5 * inertia * turn * turn + turn * (q @ self.beta @ v) +
                0.5 * v @ v - 0.5 * (self.square * q) @ q)

    def gradient(self, q, v, rate, tiny=1e-30):
        """Derivatives with respect to q and v by complex steps."""
        steps = 1j * tiny * np.eye(self.n)
        return (np.array([self.lagrangian(q + step, v, rate).imag for step in steps]) / tiny,
                np.array([self.lagrangian(q, v + step, rate).imag for step in steps]) / tiny)

    def tip(self, q):
        """Deflection and rotation of the tip as seen from the root."""
        (place_a, shape_a, bend_a), (place_b, shape_b, bend_b) = self.node["root"], self.node["tip"]
        a, b = shape_a @ q + 0.5 * (bend_a @ q) @ q, shape_b @ q + 0.5 * (bend_b @ q) @ q
        x, y = place_b + b[:2] - place_a - a[:2]
        c, s = np.cos(a[2]), np.sin(a[2])
        return c * x + s * y - (place_b - place_a)[0], c * y - s * x, b[2] - a[2]


def rate_of(t):
    return 6 / 15 * (t - 15 / (2 * np.pi) * np.sin(2 * np.pi * t / 15)) if t < 15 else 6.0


def run(body, h, duration):
    """Variational midpoint rule: momentum p after each step, discrete Euler-Lagrange equations by Newton."""
    q, before, slope = np.zeros(body.n), np.zeros(body.n), None
    p = body.gradient(q, q, 0)[1]
    told = {round(t / h) for t in (3, 7.5, 15)}
    for k in range(round(duration / h)):
        rate = rate_of((k + 0.5) * h)

        def residual(x):
            a, b = body.gradient((q + x) / 2, (x - q) / h, rate)
            return p + h / 2 * a - b

        after = 2 * q - before
        for i in range(30):
            r = residual(after)
            if slope is None or i in (6, 15):
                columns = [(residual(after + 1e-6 * e) - r) / 1e-6 for e in np.eye(body.n)]
                slope = np.linalg.inv(np.array(columns).T)
            change = slope @ r
            after = after - change
            if np.abs(change).max() < 1e-11:
                break
        a, b = body.gradient((q + after) / 2, (after - q) / h, rate)
        p = h / 2 * a + b
        before, q = q, after
        if k + 1 in told:
            print("%5.1f s  %12.5g m %12.5g m %12.5g rad" % ((k + 1) * h, *body.tip(q)))


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    body = Body(sys.argv[1])
    print("modes", ", ".join(str(k + 1) for k in body.modes))
    run(body, float(sys.argv[2]) if len(sys.argv) > 2 else 0.004, float(sys.argv[3]) if len(sys.argv) > 3 else 15)


if __name__ == "__main__":
    main()
