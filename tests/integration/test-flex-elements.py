#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""linkage flex with solid elements: a steel bar of C3D4, C3D8, C3D10 and C3D20, as files of CalculiX that are made here by elements
of our own: shape functions from monomials. Free frequencies; those of the bar as a column under a load, and as a cantilever that
turns; stresses.
usage: test-flex-elements.py LINKAGE"""
import itertools
import json
import re
import subprocess
import sys

from tool import Tool

try:
    import numpy as np
except ImportError:
    print('left out: solid elements; install python3-numpy')
    sys.exit(77)

tool = Tool(sys.argv[1])
linkage, here, check, run, table = tool.program, tool.here, tool.check, tool.run, tool.table
E, NU, RHO = 2.1e11, 0.3, 7850
LENGTH, WIDTH, HEIGHT = 1.0, 0.03, 0.04


def near(what, value, expected, tolerance):
    error = np.abs(np.asarray(value) / np.asarray(expected) - 1).max()
    check(what, error <= tolerance, f'{value} instead of {expected}')


# ---- elements ----
HEX = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1), (0, -1, -1), (1, 0, -1),
       (0, 1, -1), (-1, 0, -1), (0, -1, 1), (1, 0, 1), (0, 1, 1), (-1, 0, 1), (-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
TET = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
TET += [tuple((TET[a][i] + TET[b][i]) / 2 for i in range(3)) for a, b in EDGES]
LOW = [p for p in itertools.product(range(3), repeat=3)]
POWERS = {'C3D4': [p for p in LOW if sum(p) <= 1], 'C3D10': [p for p in LOW if sum(p) <= 2], 'C3D8': [p for p in LOW if max(p) <= 1],
          'C3D20': [p for p in LOW if sum(p) <= 2 or (sum(p) == 3) or sorted(p) == [1, 1, 2]]}
PLACES = {'C3D4': TET[:4], 'C3D10': TET, 'C3D8': HEX[:8], 'C3D20': HEX}


def monomials(powers, s, by=None):
    """values at a place, or their derivatives by a coordinate"""
    ret = []
    for p in powers:
        factors = [s[i]**p[i] for i in range(3)]
        if by is not None:
            factors[by] = p[by] * s[by]**(p[by] - 1) if p[by] > 0 else 0
        ret.append(np.prod(factors))
    return np.array(ret)


def points(kind):
    """places and weights; those of a tetrahedron by collapsing a cube"""
    g, w = np.polynomial.legendre.leggauss(4)
    for (a, wa), (b, wb), (c, wc) in itertools.product(zip(g, w), repeat=3):
        if kind in ('C3D8', 'C3D20'):
            yield (a, b, c), wa * wb * wc
        else:
            u, v, t = (a + 1) / 2, (b + 1) / 2, (c + 1) / 2
            yield (u, v * (1 - u), t * (1 - u) * (1 - v)), wa * wb * wc / 8 * (1 - u)**2 * (1 - v)


class Element:
    def __init__(self, kind):
        self.powers, self.kind = POWERS[kind], kind
        self.inverse = np.linalg.inv(np.array([monomials(self.powers, s) for s in PLACES[kind]]))
        self.points = [(s, w, monomials(self.powers, s) @ self.inverse, self.slopes(s)) for s, w in points(kind)]

    def slopes(self, s):
        return np.array([monomials(self.powers, s, d) @ self.inverse for d in range(3)])

    def each(self, x):
        """volume, shape functions and their derivatives by x at each point"""
        for _, w, N, slope in self.points:
            J = slope @ x
            yield w * np.linalg.det(J), N, np.linalg.solve(J, slope)


D = E / (1 + NU) / (1 - 2 * NU) * np.array([[1 - NU, NU, NU, 0, 0, 0], [NU, 1 - NU, NU, 0, 0, 0], [NU, NU, 1 - NU, 0, 0, 0],
                                            [0, 0, 0, 0.5 - NU, 0, 0], [0, 0, 0, 0, 0.5 - NU, 0], [0, 0, 0, 0, 0, 0.5 - NU]])


def strain(dN):
    """xx yy zz xy xz yz"""
    B = np.zeros((6, 3 * dN.shape[1]))
    for row, (i, k) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
        B[row, i::3] += dN[k]
        if i != k:
            B[row, k::3] += dN[i]
    return B


# ---- meshes ----
def grid(kind, n, sides):
    """nodes by their place in a grid of half elements, and elements"""
    ids, elements = {}, []

    def node(p):
        return ids.setdefault(tuple(int(v) for v in p), len(ids))

    for cell in itertools.product(*(range(k) for k in n)):
        corner = 2 * np.array(cell)
        if kind in ('C3D8', 'C3D20'):
            elements.append([node(corner + 1 + np.array(p)) for p in PLACES[kind]])
            continue
        for way in itertools.permutations(range(3)):  # six tetrahedra along the diagonal
            ends = [corner.copy()]
            for axis in way:
                ends.append(ends[-1].copy())
                ends[-1][axis] += 2
            if np.linalg.det(np.array([ends[k] - ends[0] for k in (1, 2, 3)])) < 0:
                ends[1], ends[2] = ends[2], ends[1]
            if kind == 'C3D10':
                ends += [(ends[a] + ends[b]) // 2 for a, b in EDGES]
            elements.append([node(p) for p in ends])
    size = np.array(sides) / (2 * np.array(n))
    return ids, np.array(list(ids)) * size - np.array([0, sides[1] / 2, sides[2] / 2]), elements


class Bar:
    def __init__(self, kind, n, turn=np.eye(3), sides=(LENGTH, WIDTH, HEIGHT)):
        self.kind, self.element = kind, Element(kind)
        self.ids, self.x, self.elements = grid(kind, n, sides)
        self.x = self.x @ turn.T
        self.ends = [[i for p, i in self.ids.items() if p[0] == at] for at in (0, 2 * n[0])]
        size = 3 * len(self.x)
        self.K, self.M = np.zeros((size, size)), np.zeros((size, size))
        for rows, x in self.each():
            for volume, N, dN in self.element.each(x):
                B = strain(dN)
                self.K[rows] += volume * B.T @ D @ B
                self.M[rows] += RHO * volume * np.kron(np.outer(N, N), np.eye(3))

    def each(self):
        for nodes in self.elements:
            dofs = (3 * np.array(nodes)[:, None] + np.arange(3)).ravel()
            yield np.ix_(dofs, dofs), self.x[nodes]

    def stiffened(self, u):
        """geometric stiffness of the stresses of a displacement"""
        ret = np.zeros_like(self.K)
        for nodes, (rows, x) in zip(self.elements, self.each()):
            for volume, _, dN in self.element.each(x):
                s = D @ strain(dN) @ u[(3 * np.array(nodes)[:, None] + np.arange(3)).ravel()]
                S = np.array([[s[0], s[3], s[4]], [s[3], s[1], s[5]], [s[4], s[5], s[2]]])
                ret[rows] += volume * np.kron(dN.T @ S @ dN, np.eye(3))
        return ret

    def arcs(self, u, f):
        """geometric stiffness of the forces that turn the nodes of the tip on arcs, for its rotation"""
        T = sum(np.outer((self.K[3 * i:3 * i + 3] @ u - f[3 * i:3 * i + 3]), self.x[i] - [LENGTH, 0, 0]) for i in self.ends[1])
        return (T + T.T) / 2 - np.trace(T) * np.eye(3)

    def held(self):
        """columns: nodes between both ends, then the tip as a rigid body; the root is held"""
        inside = [i for i in range(len(self.x)) if i not in self.ends[0] and i not in self.ends[1]]
        C = np.zeros((len(self.K), 3 * len(inside) + 6))
        for c, i in enumerate(inside):
            C[3 * i:3 * i + 3, 3 * c:3 * c + 3] = np.eye(3)
        for i in self.ends[1]:
            a = self.x[i] - [LENGTH, 0, 0]
            C[3 * i:3 * i + 3, -6:] = [[1, 0, 0, 0, a[2], -a[1]], [0, 1, 0, -a[2], 0, a[0]], [0, 0, 1, a[1], -a[0], 0]]
        return C

    def write(self, name, material='*MATERIAL, NAME=steel\n*ELASTIC\n2.1e11, 0.3\n*SOLID SECTION, ELSET=bar, MATERIAL=steel\n', more=''):
        text = '*NODE\n' + ''.join(f'{i + 1}, {x!r}, {y!r}, {z!r}\n' for i, (x, y, z) in enumerate(self.x.tolist()))
        text += f'*ELEMENT, TYPE={self.kind}, ELSET=bar\n'
        for e, nodes in enumerate(self.elements):
            numbers = [e + 1] + [i + 1 for i in nodes]
            text += ',\n'.join(', '.join(map(str, numbers[k:k + 16])) for k in range(0, len(numbers), 16)) + '\n'
        for name_of, nodes in zip(('root', 'tip'), self.ends):
            text += f'*NSET, NSET={name_of}\n' + ''.join(f'{i + 1},\n' for i in nodes)
        (here / f'{name}.inp').write_text(text + more + material + '*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n4\n*END STEP\n')
        (here / f'{name}.dof').write_text(''.join(f'{i + 1}.{d}\n' for i in range(len(self.x)) for d in (1, 2, 3)))
        for end, A in (('sti', self.K), ('mas', self.M)):
            lines = [f'{i + 1} {k + 1} {A[i, k]!r}\n' for k in range(len(A)) for i in range(k + 1) if A[i, k] != 0]
            (here / f'{name}.{end}').write_text(''.join(lines))


def eigen(K, M):
    values = np.linalg.eigvalsh(np.linalg.solve(L := np.linalg.cholesky(M), np.linalg.solve(L, K).T))
    return np.sqrt(np.maximum(values, 0))


HEAD = '''linkage: 1
name: bar
gravity: [0, 0, 0]
flexible:
  bar: {type: modal, file: bar.modes}
'''
COLUMN = HEAD + '''joints:
  root: {type: fixed, bodies: [ground, bar.root], point: [0, 0, 0]}
forces:
  push: {type: constant-force, body: bar.tip, point: [1, 0, 0], force: [%g, 0, 0]}
'''
TURN = HEAD + '''bodies:
  hub: {mass: 1e6, inertia: [1e6, 1e6, 1e6], position: [0, 0, 0], angular_velocity: %s}
joints:
  axle: {type: revolute, bodies: [ground, hub], point: [0, 0, 0], axis: %s}
  root: {type: fixed, bodies: [hub, bar.root], point: [0, 0, 0]}
'''
REST = HEAD + '''start: equilibrium
joints:
  root: {type: fixed, bodies: [ground, bar.root], point: [0, 0, 0]}
forces:
  push: {type: constant-force, body: bar.tip, point: [1, 0, 0], force: [0, 0, 40]}
outputs:
  middle: {type: recovery, body: bar, of: middle}
'''
INTERFACE = ('--interface', 'root=root', '--interface', 'tip=tip')


def rates(text, *options):
    (here / 'bar.yaml').write_text(text)
    said = json.loads(run('modes', 'bar.yaml', '-j', *options).stdout)
    return sorted(mode['im_per_s'] for mode in said['modes'] if mode['im_per_s'] > 1)


def examine(kind, n, tolerance):
    bar = Bar(kind, n)
    bar.write('bar')
    if 'not in this build' in subprocess.run([linkage, 'flex', 'bar.inp', *INTERFACE], capture_output=True, text=True, cwd=here).stderr:
        print('left out: solid elements; install libarpack2-dev and libsuitesparse-dev')
        sys.exit(77)
    free = json.loads(run('flex', 'bar.inp', '--free', '--modes', 8, '--json').stdout)
    near(f'{kind}: free', [mode['frequency'] for mode in free['modes']], eigen(bar.K, bar.M)[6:14] / (2 * np.pi), 1e-6)
    middle = next(i for p, i in bar.ids.items() if p == (n[0], n[1], 2 * n[2]) or p == (n[0], 0, 2 * n[2]))
    done = run('flex', 'bar.inp', *INTERFACE, '--modes', 20, '--stress', f'middle={middle + 1}', '-o', 'bar.modes', '--force')
    check(f'{kind}: said', done.stderr == '', done.stderr)

    # a column under half of its critical load, and as much tension
    C = bar.held()
    K, M = C.T @ bar.K @ C, C.T @ bar.M @ C
    load = np.zeros(len(K))
    load[-6] = 1
    u = C @ np.linalg.solve(K, load)
    stiffness = C.T @ bar.stiffened(u) @ C
    stiffness[-3:, -3:] += bar.arcs(u, np.zeros(len(u)))
    critical = 1 / np.linalg.eigvals(np.linalg.solve(K, stiffness)).real.max()
    for share in (-0.5, 0.5):
        found = rates(COLUMN % (share * critical))
        near(f'{kind}: {share} of the critical load', found[:4], eigen(K + share * critical * stiffness, M)[:4], tolerance)

    # centrifugal tension of a cantilever that turns about z; the load of the tip's mass is in the matrix as well
    rate = eigen(K, M)[0]
    place = bar.x.copy()
    place[:, 2] = 0
    u, f = C @ np.linalg.solve(K, C.T @ bar.M @ place.ravel()), bar.M @ place.ravel()
    tension = C.T @ bar.stiffened(u) @ C
    tension[-3:, -3:] += bar.arcs(u, f)
    softening = C.T @ bar.M @ np.diag(np.tile([1., 1, 0], len(bar.x))) @ C
    spin = np.kron(np.eye(len(bar.x)), [[0, -1, 0], [1, 0, 0], [0, 0, 0]])
    G = 2 * rate * C.T @ bar.M @ spin @ C
    A = np.block([[np.zeros_like(M), np.eye(len(M))],
                  [-np.linalg.solve(M, K + rate**2 * (tension - softening)), -np.linalg.solve(M, G)]])
    exact = sorted(value for value in np.linalg.eigvals(A).imag if value > 0)
    near(f'{kind}: turning', rates(TURN % ([0, 0, rate], [0, 0, 1]), '--turning', 'hub')[:4], exact[:4], tolerance)

    # bending stress at the upper side, in the middle
    (here / 'bar.yaml').write_text(REST)
    run('run', 'bar.yaml', '--duration', 0.001, '-o', 'out.csv', '--force')
    last = table('out.csv')[-1]
    u = C @ np.linalg.solve(K, 40 * np.eye(len(K))[-4])
    found, own = [], []
    for nodes in bar.elements:
        if middle in nodes:
            slope = bar.element.slopes(PLACES[kind][nodes.index(middle)])
            dN = np.linalg.solve(slope @ bar.x[nodes], slope)
            own.append(D @ strain(dN) @ u[(3 * np.array(nodes)[:, None] + np.arange(3)).ravel()])
    found = [last[f'middle.{c}'] for c in ('xx', 'yy', 'zz', 'xy', 'xz', 'yz')]
    own = np.mean(own, axis=0)
    check(f'{kind}: stress', np.abs(found - own).max() < 1e-3 * np.abs(own).max(), f'{found} instead of {own}')
    if kind in ('C3D10', 'C3D20'):
        near(f'{kind}: stress of a beam', -last['middle.xx'], 40 * LENGTH / 2 * HEIGHT / 2 / (WIDTH * HEIGHT**3 / 12), 0.01)
    return bar, rate, exact


bar, rate, exact = examine('C3D20', (8, 1, 1), 1e-3)
examine('C3D8', (8, 2, 2), 1e-3)
examine('C3D10', (6, 1, 1), 1e-3)
examine('C3D4', (8, 1, 2), 1e-3)

# ---- the bar along a diagonal of its axes: the same, with all components of the inertia ----
a, b = np.sqrt(0.5), np.sqrt(1 / 3)
turn = np.array([[a, -b * a, b], [0, b / a, b], [-a, -b * a, b]])  # columns are the axes of the bar
assert np.abs(turn @ turn.T - np.eye(3)).max() < 1e-12 and np.linalg.det(turn) > 0
turned = Bar('C3D20', (8, 1, 1), turn)
turned.write('bar')
run('flex', 'bar.inp', *INTERFACE, '--modes', 20, '-o', 'bar.modes', '--force')
near('diagonal: turning', rates(TURN % ((rate * turn[:, 2]).tolist(), turn[:, 2].tolist()), '--turning', 'hub')[:4], exact[:4], 1e-3)

# ---- of a square bar, modes come in pairs, whose directions are chosen: its stresses with them ----
square = Bar('C3D20', (8, 1, 1), sides=(LENGTH, HEIGHT, HEIGHT))
square.write('bar')
middle = square.ids[(8, 1, 2)] + 1
run('flex', 'bar.inp', *INTERFACE, '--modes', 20, '--stress', f'middle={middle}', '-o', 'bar.modes', '--force')
(here / 'bar.yaml').write_text(REST)
run('run', 'bar.yaml', '--duration', 0.001, '-o', 'out.csv', '--force')
near('square: stress of a beam', -table('out.csv')[-1]['middle.xx'], 40 * LENGTH / 2 * HEIGHT / 2 / (HEIGHT**4 / 12), 0.01)

# ---- mm and t, and a second material: the same file ----
POINT = ('--interface', 'root=root@%s', '--interface', 'tip=tip@%s')


def file_of(name, scale, *options):
    places = [','.join(f'{scale * value:g}' for value in place) for place in ((0, 0, 0.01), (1, 0, 0.01))]
    words = [word % places[i // 2] if '%' in word else word for i, word in enumerate(POINT)]
    run('flex', f'{name}.inp', *words, '--modes', 8, '--stress', 'a=20', '--gauge', 'g=5,70', '-o', f'{name}.modes', '--force', *options)
    return [float(value) for value in re.findall(r'-?\d[\d.]*(?:e[-+]\d+)?', (here / f'{name}.modes').read_text().split('\n', 3)[3])]


STEEL = '*MATERIAL, NAME=steel\n*ELASTIC\n%s, 0.3\n*SOLID SECTION, ELSET=bar, MATERIAL=steel\n'
bar.write('metres')
metres = np.array(file_of('metres', 1))
bar.write('two', material='*MATERIAL, NAME=gum\n*ELASTIC\n1e6, 0.4\n' + STEEL % '2.1e11')
two = np.array(file_of('two', 1))
check('two materials', len(two) == len(metres) and (two == metres).all(), f'{len(two)}, {len(metres)}, {[(x, y) for x, y in zip(two, metres) if x != y][:4]}')
bar.x, bar.K, bar.M = 1e3 * bar.x, 1e-3 * bar.K, 1e-3 * bar.M
bar.write('mm', material=STEEL % '2.1e5')
mm = np.array(file_of('mm', 1e3, '--units', 'mm-t'))
check('mm: numbers', len(mm) == len(metres), f'{len(mm)} instead of {len(metres)}')
if len(mm) == len(metres):
    worst = np.abs(mm - metres) / np.maximum(np.abs(metres), 1e-6 * np.abs(metres).max())
    check('mm: file', np.sort(worst)[-len(worst) // 50] < 1e-4, f'{np.sort(worst)[-10:]}')
bar.x, bar.K, bar.M = 1e-3 * bar.x, 1e3 * bar.K, 1e3 * bar.M

# ---- what elements cannot be used ----
for what, text, options in (('other', 'there are elements other than C3D4', {'more': '*ELEMENT, TYPE=S3, ELSET=skin\n900, 1, 2, 3\n'}),
                            ('none', 'an element has no material', {'material': ''}),
                            ('ortho', 'a material is not isotropic', {'material': '*MATERIAL, NAME=wood\n*ELASTIC, TYPE=ORTHO\n1, 2, 3\n'}),
                            ('soft', "Young's modulus is not above 0", {'material': '*MATERIAL, NAME=gum\n*ELASTIC\n1e6, 0.5\n'})):
    bar.write('bad', **options)
    said = run('flex', 'bad.inp', *INTERFACE, '--modes', 6).stderr
    check(what, text in said and 'geometric stiffening is not contained' in said, said)
    said = run('flex', 'bad.inp', *INTERFACE, '--modes', 6, '--stress', 'a=1', status=1).stderr
    check(f'{what}: stress', text in said.splitlines()[-1], said)
bar.write('bad')
text = (here / 'bad.inp').read_text()
(here / 'bad.inp').write_text(text.replace('*NSET', '9, 1, 2, x\n*NSET', 1))
check('line', 'this is no element, expected its number and those of its 20 nodes' in run('flex', 'bad.inp', *INTERFACE, status=1).stderr)
for value in ('a=9999', 'a', 'a=x'):
    said = run('flex', 'bar.inp', *INTERFACE, '--modes', 6, '--stress', value, status=1).stderr
    check(f'--stress {value}', f'--stress {value}: expected NAME=' in said, said)
sys.exit(tool.failed)
