#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""linkage flex: one beam by matrices in every form that is read, in two systems of units, and as a reduced model; recovered
loads and strains against statics; the outputs of a model that shows them.
usage: test-flex-files.py LINKAGE"""
import re
import subprocess
import sys

from tool import Tool

try:
    import numpy
except ImportError:
    print('left out: matrices in files; install python3-numpy')
    sys.exit(77)

tool = Tool(sys.argv[1])
linkage, here, check, run, write, table = tool.program, tool.here, tool.check, tool.run, tool.write, tool.table


def near(what, value, expected, tolerance):
    error = numpy.abs(numpy.asarray(value) - numpy.asarray(expected)).max()
    check(what, error <= tolerance, f'{value} instead of {expected}')


def refused(what, text, *arguments):
    said = ''.join(line for line in run(*arguments, status=1).stderr.splitlines(True) if 'is not that of solids' not in line)
    check(what, text in said and said.count('\n') == 1, said)


# ---- a cantilever beam along x of 4 elements: steel, 20 mm x 10 mm, 1 m long ----
E, G, RHO, WIDTH, HEIGHT, LENGTH, ELEMENTS = 2.1e11, 8e10, 7850, 0.01, 0.02, 1.0, 4
AREA, I_Y, I_Z, J = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12, HEIGHT * WIDTH**3 / 12, 4.6e-9
NODES = [10, 20, 30, 40, 50]


def element(length):
    """stiffness and mass of a Bernoulli beam with 12 degrees of freedom (Przemieniecki, Theory of Matrix Structural Analysis)"""
    K, M = numpy.zeros((12, 12)), numpy.zeros((12, 12))
    m = RHO * AREA * length
    for at, k, rotary in ((0, E * AREA / length, m), (3, G * J / length, RHO * (I_Y + I_Z) * length)):
        K[numpy.ix_((at, at + 6), (at, at + 6))] = [[k, -k], [-k, k]]
        M[numpy.ix_((at, at + 6), (at, at + 6))] = [[rotary / 3, rotary / 6], [rotary / 6, rotary / 3]]
    for rows, stiffness, sign in (((1, 5, 7, 11), E * I_Z, 1), ((2, 4, 8, 10), E * I_Y, -1)):
        l, s = length, numpy.diag([1, sign, 1, sign])
        bend = stiffness / l**3 * numpy.array([[12, 6 * l, -12, 6 * l], [6 * l, 4 * l * l, -6 * l, 2 * l * l],
                                               [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l * l, -6 * l, 4 * l * l]])
        mass = m / 420 * numpy.array([[156, 22 * l, 54, -13 * l], [22 * l, 4 * l * l, 13 * l, -3 * l * l],
                                      [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l * l, -22 * l, 4 * l * l]])
        K[numpy.ix_(rows, rows)], M[numpy.ix_(rows, rows)] = s @ bend @ s, s @ mass @ s
    return K, M


N = 6 * len(NODES)
K, M = numpy.zeros((N, N)), numpy.zeros((N, N))
for e in range(ELEMENTS):
    rows = slice(6 * e, 6 * e + 12)
    k, m = element(LENGTH / ELEMENTS)
    K[rows, rows] += k
    M[rows, rows] += m
PLACES = numpy.array([[LENGTH * i / ELEMENTS, 0, 0] for i in range(len(NODES))])


def frequencies(stiffness, mass, held):
    free = [i for i in range(len(mass)) if i not in held]
    values = numpy.linalg.eigvals(numpy.linalg.solve(mass[numpy.ix_(free, free)], stiffness[numpy.ix_(free, free)]))
    return numpy.sqrt(numpy.maximum(numpy.sort(values.real), 0)) / (2 * numpy.pi)


# ---- forms ----
def entries(A, triangle):
    return [(i, k) for k in range(len(A)) for i in range(k if triangle else 0, len(A)) if A[i, k] != 0]


def market(A, _):
    listed = entries(A, True)
    return (f'%%MatrixMarket matrix coordinate real symmetric\n% made\n{len(A)} {len(A)} {len(listed)}\n'
            + ''.join(f'{i + 1} {k + 1} {A[i, k]!r}\n' for i, k in listed))


def array(A, _):
    return f'%%MatrixMarket matrix array real general\n{len(A)} {len(A[0])}\n' + ''.join(f'{value!r}\n' for value in A.T.flat)


def triangle_array(A, _):
    return (f'%%MatrixMarket matrix array real symmetric\n{len(A)} {len(A)}\n'
            + ''.join(f'{A[i, k]!r}\n' for k in range(len(A)) for i in range(k, len(A))))


def numbers(A, _):
    return ''.join(','.join(map(repr, row)) + '\n' for row in A.tolist())


def triplets(A, _):
    return ''.join(f'{i + 1} {k + 1} {A[i, k]!r}\n' for i, k in entries(A, True))


def abaqus(A, _, triangle=True):
    return '** written by hand\n' + ''.join(
        f'{NODES[i // 6]},{i % 6 + 1}, {NODES[k // 6]},{k % 6 + 1}, {A[i, k]!r}\n' for i, k in entries(A, triangle))


def abaqus_full(A, letter):
    return abaqus(A, letter, False)


def nastran_number(value):
    return f'{value:.8E}'.replace('E', 'D') if abs(value) < 1 else re.sub('E', '', f'{value:.9E}')


def label(i):
    return (NODES[i // 6], i % 6 + 1) if i < N else (900 + i, 0)


def columns(A, triangle):
    for k in range(len(A)):
        yield label(k), [(label(i), nastran_number(A[i, k])) for i in range(k if triangle else 0, len(A)) if A[i, k] != 0]


def large(A, letter, triangle=True):
    text = f'$ punched\nGRID    10\nDMIG    K4AAX          0       6       1       0\nDMIG    {letter}AAX           0       6       2       0                      30\n'
    for (node, component), rows in columns(A, triangle):
        text += f'DMIG*   {letter + "AAX":<16}{node:>16}{component:>16}\n'
        for (other, direction), value in rows:
            text += f'*       {other:>16}{direction:>16}{value:>16}\n'
    return text + 'DMIG    K4AAX         10       1              10       1 9.9\n'


def free_fields(A, letter):
    text = f'DMIG,{letter}GG,0,6,1,0,,,30\n'
    for (node, component), rows in columns(A, True):
        first, *others = rows
        text += f'DMIG,{letter}GG,{node},{component},,{first[0][0]},{first[0][1]},{first[1]},\n'
        for start in range(0, len(others), 2):
            text += '+,' + ',,'.join(f'{o},{d},{value}' for (o, d), value in others[start:start + 2]) + '\n'
    return text


def small(A, letter):
    text = f'DMIG    {letter + "AAX":<8}0       6       1\n'
    for (node, component), rows in columns(A, True):
        for row, ((other, direction), _) in enumerate(rows):
            i = 6 * NODES.index(other) + direction - 1
            k = 6 * NODES.index(node) + component - 1
            value = f'{A[i, k]:8.2E}'.replace('E+0', '+').replace('E-0', '-').replace('E+1', '+1')
            head = f'DMIG    {letter + "AAX":<8}{node:<8}{component:<8}{"":8}' if row == 0 else f'{"":8}'
            text += head + f'{other:<8}{direction:<8}{value:<8}\n'
    return text


write('nodes.csv', 'id, x, y, z\n' + ''.join(f'{i}, {x}, {y}, {z}\n' for i, (x, y, z) in zip(NODES, PLACES.tolist())))
MATRICES = ('--mass', 'M.txt', '--stiffness', 'K.txt')
HOLD = ('--interface', 'root=10', '--interface', 'tip=50')


def modes_of(name):
    text = (here / name).read_text()
    return numpy.array([float(value) for value in re.search(r'^frequency: \[(.*?)\]', text, re.M).group(1).split(',')])


def reduce(*options, nodes='nodes.csv', hold=HOLD):
    return run('flex', *MATRICES, '--nodes', nodes, *hold, '--force', '-o', 'beam.modes', *options)


def put(form, stiffness=None, mass=None):
    write('K.txt', form(K if stiffness is None else stiffness, 'K'))
    write('M.txt', form(M if mass is None else mass, 'M'))


put(market)
if 'not in this build' in subprocess.run([linkage, 'flex', *MATRICES, '--nodes', 'nodes.csv', *HOLD], capture_output=True, text=True,
                                         cwd=here).stderr:
    print('left out: flex of matrices; install libarpack2-dev and libsuitesparse-dev')
    sys.exit(77)
EXACT = frequencies(K, M, set())[6:]
for form in (market, array, triangle_array, numbers, triplets, abaqus, abaqus_full, large, free_fields):
    put(form)
    reduce('--modes', 24)
    near(form.__name__, modes_of('beam.modes') / EXACT, 1, 1e-6)
put(large)
write('both.pch', (here / 'K.txt').read_text() + (here / 'M.txt').read_text())  # one punch file
run('flex', '--mass', 'both.pch', '--stiffness', 'both.pch', '--nodes', 'nodes.csv', *HOLD, '--modes', 24, '--force', '-o', 'beam.modes')
near('one file', modes_of('beam.modes') / EXACT, 1, 1e-6)
write('M.txt', small(M, 'M'))  # three digits
reduce('--modes', 24)
near('small', modes_of('beam.modes') / EXACT, 1, 0.01)

# places alone are nodes 1, 2 ..
put(numbers)
write('places.csv', ''.join(f'{x}, {y}, {z}\n' for x, y, z in PLACES.tolist()))
reduce('--modes', 24, nodes='places.csv', hold=('--interface', 'root=1', '--interface', 'tip=5'))
near('places', modes_of('beam.modes') / EXACT, 1, 1e-6)

# mm, t, N
unit = numpy.array([1e-3 if i % 6 < 3 else 1.0 for i in range(N)])
mm = 1e3 * numpy.outer(unit, unit)
write('mm.csv', ''.join(f'{i}, {1e3 * x}, {1e3 * y}, {1e3 * z}\n' for i, (x, y, z) in zip(NODES, PLACES.tolist())))
put(market)
reduce('--modes', 24)
metres = (here / 'beam.modes').read_text()
put(market, K * mm, M * mm)
reduce('--modes', 24, '--units', 'mm-t', nodes='mm.csv')
millimetres = (here / 'beam.modes').read_text()
for key in ('mass', 'center', 'inertia', 'frequency'):
    said = [[float(value) for value in re.findall(r'[-\d.e+]+', re.search(rf'^{key}: (.*?) *#', text, re.M).group(1))]
            for text in (metres, millimetres)]
    near(f'mm: {key}', said[1], said[0], 1e-8 * max(map(abs, said[0])))
near('mm: place', float(re.findall(r'position: \[([^,]*)', millimetres)[1]), LENGTH, 1e-12)

# ---- a reduced model: both ends, and eight fixed-interface modes as further coordinates ----
ends, inside = [*range(6), *range(24, 30)], [*range(6, 24)]
values, vectors = numpy.linalg.eig(numpy.linalg.solve(M[numpy.ix_(inside, inside)], K[numpy.ix_(inside, inside)]))
lowest = vectors[:, numpy.argsort(values.real)[:8]].real
T = numpy.zeros((N, 20))
T[ends, range(12)] = 1
T[inside, :12] = -numpy.linalg.solve(K[numpy.ix_(inside, inside)], K[numpy.ix_(inside, ends)])
T[numpy.ix_(inside, range(12, 20))] = lowest / numpy.sqrt(numpy.diag(lowest.T @ M[numpy.ix_(inside, inside)] @ lowest))
Kr, Mr = T.T @ K @ T, T.T @ M @ T
Kr[12:, :12] = Kr[:12, 12:] = 0
Kr[12:, 12:] = numpy.diag(numpy.diag(Kr)[12:])
write('ends.csv', '10, 0, 0, 0\n50, 1, 0, 0\n')
REDUCED = frequencies(Kr, Mr, set())[6:]
for name, form in (('numbers', numbers), ('punch', lambda A, letter: large(A, letter, False))):
    if name == 'punch':
        label = lambda i: (10, i + 1) if i < 6 else (50, i - 5) if i < 12 else (901 + i, 0)  # scalar points
    put(form, Kr, Mr)
    done = reduce('--modes', 14, nodes='ends.csv')
    check('reduced: said', 'has no mass distribution' in done.stderr and 'has no mass distribution' in (here / 'beam.modes').read_text(),
          done.stderr)
    near(f'reduced: {name}', modes_of('beam.modes') / REDUCED, 1, 1e-5)
    mass = float(re.search(r'^mass: ([\d.e-]+)', (here / 'beam.modes').read_text(), re.M).group(1))
    near('reduced: mass', mass, RHO * AREA * LENGTH, 1e-9)

# both ends alone: static condensation
label = lambda i: (NODES[i // 6], i % 6 + 1) if i < N else (900 + i, 0)
put(numbers, Kr[:12, :12], Mr[:12, :12])
reduce('--modes', 6, nodes='ends.csv')
near('condensed', modes_of('beam.modes') / frequencies(Kr[:12, :12], Mr[:12, :12], set())[6:], 1, 1e-9)

# ---- recovery ----
# One row: the bending moment about y at the root, which is a nodal moment of the first element. Six rows: the bending stress of the
# outer fibre at the root, and a torsional stress. The gauge measures the strain of the last element
first = element(LENGTH / ELEMENTS)[0]
moment = numpy.zeros(N)
moment[:12] = first[4]
stress = numpy.zeros((6, N))
stress[0] = moment * HEIGHT / 2 / I_Y
stress[3, :12] = first[3] * 1e6
put(market)
write('moment.txt', numbers(moment[None, :], ''))
write('stress.mtx', array(stress, ''))
write('two.txt', numbers(numpy.stack([moment, 2 * moment]), ''))
reduce('--modes', 12, '--recovery', 'root=moment.txt,N m', '--recovery', 'weld=stress.mtx,Pa', '--recovery', 'two=two.txt',
       '--gauge', 'strain=40,50', '--damping', 0.02)
text = (here / 'beam.modes').read_text()
check('recovery: entries', re.findall(r'^  (\w+):\n    unit: (.*)', text, re.M)
      == [('root', "'N m'"), ('weld', "'Pa'"), ('two_1', "'1'"), ('two_2', "'1'"), ('strain', "'1'")], text[-3000:])

MODEL = '''linkage: 1
name: cantilever
gravity: [0, 0, 0]
start: equilibrium
flexible:
  beam: {type: modal, file: beam.modes}
joints:
  root: {type: fixed, bodies: [ground, beam.root], point: [0, 0, 0]}
forces:
  pull: {type: constant-force, body: beam.tip, point: [1, 0, 0], force: [50, 0, -3]}
  twist: {type: constant-torque, body: beam.tip, torque: [2, 0, 0]}
outputs:
  moment: {type: recovery, body: beam, of: root}
  weld: {type: recovery, body: beam, of: weld}
  strain: {type: recovery, body: beam, of: strain}
  reaction: {type: joint-reaction, joint: root}
'''
write('model.yaml', MODEL)
run('run', 'model.yaml', '--duration', '0.002', '-o', 'out.csv', '--force')
units = dict(re.match(r'(.*) \[(.*)\]', column).groups() for column in (here / 'out.csv').read_text().split('\n')[0].split(',')[1:])
last = table('out.csv')[-1]
bending, torsion = 3 * LENGTH * HEIGHT / 2 / I_Y, 2e6
near('moment', abs(last['moment']), 3 * LENGTH, 0.05)  # the axial force acts on the deflected beam
near('moment: reaction', abs(last['moment']), abs(last['reaction.ty']), 1e-4)
near('weld.xx', abs(last['weld.xx']), bending, 0.02 * bending)
near('weld.xy', abs(last['weld.xy']), torsion, 1e-3 * torsion)
near('weld.mises', last['weld.mises'], numpy.hypot(last['weld.xx'], numpy.sqrt(3) * last['weld.xy']), 1e-6 * bending)
near('strain', last['strain'], 50 / E / AREA, 1e-3 * 50 / E / AREA)
check('units', (units['moment'], units['weld.mises'], units['strain']) == ('N m', 'Pa', '1'), str(units))
flat = run('flatten', 'model.yaml').stdout
write('flat.yaml', flat)
run('run', 'flat.yaml', '--duration', '0.002', '-o', 'flat.csv', '--force')
check('flat text', (here / 'flat.csv').read_text() == (here / 'out.csv').read_text())

# the same by mm, t, N, where a stress is in MPa
put(market, K * mm, M * mm)
write('stress.mtx', array(stress * unit * 1e-6 * 1e-3 * 1e3, ''))
write('moment.txt', numbers(moment[None, :] * unit, ''))
reduce('--units', 'mm-t', '--modes', 12, '--recovery', 'weld=stress.mtx,MPa', '--recovery', 'root=moment.txt,N m',
       '--gauge', 'strain=40,50', '--damping', 0.02, nodes='mm.csv')
run('run', 'model.yaml', '--duration', '0.002', '-o', 'mm.csv', '--force')
second = table('mm.csv')[-1]
for name, factor in (('moment', 1), ('weld.mises', 1e-6), ('strain', 1)):
    near(f'mm: {name}', second[name] / last[name] / factor, 1, 1e-6)

# ---- refusals ----
put(market)
for what, text, change in (('unknown', "has no recovery 'nothing', expected one such as", ('of: weld', 'of: nothing')),
                           ('no modes', "body 'beam.tip' has no recoveries", ('body: beam, of: weld', 'body: beam.tip, of: weld'))):
    write('bad.yaml', MODEL.replace(*change))
    refused(what, text, 'check', 'bad.yaml')
write('narrow.txt', '1, 2, 3\n')
refused('columns', '3 columns, expected one for each of the 30 rows', 'flex', *MATRICES, '--nodes', 'nodes.csv', *HOLD,
        '--modes', 6, '--recovery', 'a=narrow.txt')
for option, value, text in (('--gauge', 'a=10', 'expected NAME=ID,ID'), ('--gauge', 'a=10,77', 'there is no node 77'),
                            ('--gauge', 'a=10,10', 'at the same place'), ('--recovery', 'moment.txt', 'expected NAME=..'),
                            ('--recovery', 'a=moment.txt,', 'bytes of a unit'), ('--recovery', 'a=K.txt.gone', 'K.txt.gone')):
    refused(f'{option} {value}', text, 'flex', *MATRICES, '--nodes', 'nodes.csv', *HOLD, '--modes', 6, option, value)
check('units', 'expected m-kg, or mm-t' in run('flex', *MATRICES, '--nodes', 'nodes.csv', *HOLD, '--units', 'inch', status=2).stderr)
good = large(K, 'K')
for what, text, bad in (('complex', 'a matrix of real numbers', good.replace('6       2       0', '6       4       0', 1)),
                        ('component', 'component from 0 to 6', good.replace(f'*       {10:>16}{1:>16}', f'*       {10:>16}{9:>16}', 1)),
                        ('stranger', 'is unknown', good.replace(f'*       {10:>16}{1:>16}', f'*       {77:>16}{1:>16}', 1)),
                        ('number', 'and value', re.sub(r'^(\*.{39}).{16}', r'\1        1.5.5   ', good, 1, re.M)),
                        ('name', 'no matrix whose name begins with K', good.replace('KAAX', 'XAAX'))):
    put(large)
    write('K.txt', bad)
    refused(what, text, 'flex', *MATRICES, '--nodes', 'nodes.csv', *HOLD, '--modes', 6)
for what, text, bad in (('words', 'expected', 'a,b\n'), ('direction', 'directions from 1 to 6', '10,1,10,7,3.0\n'),
                        ('ragged', 'as many numbers as in the first row', '1 2 3 4 5 6\n1 2 3\n'), ('empty', 'expected a matrix', ''),
                        ('short', 'as many as rows times columns', '%%MatrixMarket matrix array real general\n30 30\n1\n'),
                        ('wide', 'expected a square matrix', '1 2 3 4 5 6\n' * 7), ('rows', 'expected 3 or 6 rows for each node', '1 2 3 4 5 6\n' * 6)):
    write('K.txt', bad)
    refused(what, text, 'flex', *MATRICES, '--nodes', 'nodes.csv', *HOLD, '--modes', 6)
put(numbers)
write('M.txt', abaqus(M, 'M'))
refused('forms', 'both matrices in the same form', 'flex', *MATRICES, '--nodes', 'nodes.csv', *HOLD, '--modes', 6)
sys.exit(tool.failed)
