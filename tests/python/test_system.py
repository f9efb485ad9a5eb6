#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models and systems from Python: the numbers of `linkage run`, bit for bit; what is refused, and in which words."""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import linkage
from linkage._library import core, ffi
from linkage.channels import name_columns

MODELS = pathlib.Path(os.environ['LINKAGE_MODELS'])
FOUR_BAR = MODELS / 'four-bar.yaml'
STEPS = 40


def run_program(model, *arguments):
    """header and rows of `linkage run`"""
    with tempfile.NamedTemporaryFile('r', suffix='.csv') as file:
        run = subprocess.run([os.environ['LINKAGE_PROGRAM'], 'run', model, '--output', file.name, *arguments],
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise AssertionError(run.stderr)
        header = file.readline().rstrip('\n')
        return header, np.loadtxt(file, delimiter=',', ndmin=2)


def names_of(table):
    return ','.join(['time [s]'] + [f'{name} [{unit}]' for name, unit in table.units.items()])


class SameBits(unittest.TestCase):
    def compare(self, table, header, rows):
        self.assertEqual(header.replace('"', ''), names_of(table))
        self.assertTrue(np.array_equal(rows[:, 0], table.time))
        self.assertTrue(np.array_equal(rows[:, 1:].view(np.uint64), table.values.copy().view(np.uint64)))

    def test_all_models(self):
        models = sorted(MODELS.glob('*.yaml'))
        self.assertGreater(len(models), 25)
        for path in models:
            with self.subTest(path.stem):
                system = linkage.System(path)
                duration = STEPS * system.step_size
                self.compare(system.run(duration, every=4), *run_program(path, '--duration', f'{duration:.17g}',
                                                                          '--every', '4'))

    def test_constant_input(self):
        table = linkage.System(FOUR_BAR).run(0.3, inputs={'motor': 0.5})
        self.compare(table, *run_program(FOUR_BAR, '--duration', '0.3', '--set', 'motor=0.5'))

    def test_parameters(self):
        params = {'bodies.crank.mass': 2.25, 'gravity.2': -1.62}
        table = linkage.System(FOUR_BAR, params).run(0.3)
        self.compare(table, *run_program(FOUR_BAR, '--duration', '0.3', '--param', 'bodies.crank.mass=2.25', '--param',
                                         'gravity.2=-1.62'))
        self.assertFalse(np.array_equal(table.values, linkage.System(FOUR_BAR).run(0.3).values))
        with self.assertRaisesRegex(linkage.ModelError, 'bodies.crnk.mass'):
            linkage.Model(FOUR_BAR, {'bodies.crnk.mass': 1})
        text = FOUR_BAR.read_text() + 'parameters:\n  heavy: {acts: [bodies.crank.mass], limits: [1, 9]}\n'
        heavy, = linkage.Model(text, {'heavy': 3}).parameters
        self.assertEqual((heavy.name, heavy.value, heavy.low, heavy.high, heavy.acts, heavy.is_tunable),
                         ('heavy', 3, 1, 9, ('bodies.crank.mass',), False))
        self.assertEqual(heavy.unit, 'kg')

    def test_input_over_time(self):
        torque = np.sin(np.arange(300))
        with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
            file.write('time [s],motor [N m]\n' + ''.join(f'{k * 1e-3!r},{value!r}\n' for k, value in
                                                          enumerate(torque.tolist())))
            file.flush()
            expected = run_program(FOUR_BAR, '--duration', '0.3', '--inputs', file.name)
        for value in torque, torque[:, np.newaxis], lambda t: np.sin(round(t * 1e3)):
            system = linkage.System(FOUR_BAR)
            self.compare(system.run(steps=300, inputs={'motor': value}), *expected)
            self.assertEqual(system.inputs['motor'], torque[-1])

    def test_steps_one_by_one_and_options(self):
        system = linkage.System(FOUR_BAR, step=5e-4, engine='none')
        for _ in range(20):
            system.step({'motor': 2})
        _, rows = run_program(FOUR_BAR, '--duration', '0.01', '--step', '5e-4', '--set', 'motor=2')
        self.assertEqual(system.outputs['crank_angle'], rows[-1, 1])
        self.assertEqual(system.step_count, 20)
        self.assertEqual(system.time, 0.01)

    def test_many_chunks(self):
        """longer than one call of the library, with rows that do not divide it"""
        system, other = linkage.System(FOUR_BAR), linkage.System(FOUR_BAR)
        table = system.run(steps=5000, every=7, inputs={'motor': 1})
        for k in range(1, len(table)):
            part = other.run(steps=7, inputs={'motor': 1}, every=7)
            self.assertTrue(np.array_equal(part.values[-1], table.values[k]))
        self.assertEqual(len(table), 1 + 5000 // 7)


class States(unittest.TestCase):
    def test_goes_on_with_the_same_bits(self):
        system, other = linkage.System(FOUR_BAR), linkage.System(FOUR_BAR)
        system.run(steps=50, inputs={'motor': 1})
        other.state = system.state
        other.set(system.inputs)
        self.assertEqual(other.step_count, 50)
        self.assertTrue(np.array_equal(system.run(steps=50).values, other.run(steps=50).values))
        system.reset()
        self.assertEqual((system.time, system.inputs['motor']), (0, 0))

    def test_refused(self):
        system = linkage.System(FOUR_BAR)
        before = system.state
        for bad in b'', b'nonsense', before[:-1], linkage.System(MODELS / 'pendulum.yaml').state:
            with self.assertRaises(linkage.StateError):
                system.state = bad
        self.assertEqual(system.state, before)


class Errors(unittest.TestCase):
    def test_models(self):
        with self.assertRaisesRegex(linkage.ModelError, r"^rig:1:1: the key 'name' is missing") as caught:
            linkage.Model('linkage: 1\nbodies: 3\n', name='rig')
        self.assertEqual(len(caught.exception.lines), 2)
        with self.assertRaisesRegex(linkage.ModelError, 'nowhere.yaml'):
            linkage.Model('nowhere.yaml')
        text = FOUR_BAR.read_text()
        self.assertEqual(linkage.System(linkage.Model(text)).name, 'four-bar')
        with self.assertRaises(linkage.ModelError):
            linkage.System(text, engine='steam')

    def test_roads_of_a_text(self):
        self.assertRaises(linkage.ModelError, linkage.Model, (MODELS / 'iltis.yaml').read_text() + '\nroad: 1\n')

    def test_values(self):
        system = linkage.System(FOUR_BAR)
        for bad, words in ((11, '-10 to 10 N m'), (np.nan, 'finite'), ('fast', 'numbers'), ([1, 2], 'a number')):
            with self.assertRaisesRegex(ValueError, words):
                system.set(motor=bad)
            with self.assertRaisesRegex(ValueError, words):
                system.run(steps=3, inputs={'motor': bad})
        with self.assertRaisesRegex(KeyError, "'motr' is no input, expected one of: motor"):
            system.set(motr=1)
        with self.assertRaisesRegex(KeyError, "'angle' is no output"):
            system.run(steps=1)['angle']
        self.assertEqual((system.inputs, system.step_count), ({'motor': 0}, 1))

    def test_what_to_run(self):
        system = linkage.System(FOUR_BAR)
        for arguments in {}, {'duration': 1, 'steps': 1}:
            self.assertRaises(TypeError, system.run, **arguments)
        for arguments in ({'duration': -1}, {'duration': float('nan')}, {'steps': -1}, {'steps': 1.5},
                          {'steps': 1, 'every': 0}):
            self.assertRaises(ValueError, system.run, **arguments)
        self.assertEqual(len(system.run(steps=0)), 1)

    def test_a_step_without_a_result(self):
        spinner = ('linkage: 1\nname: spinner\nbodies:\n'
                   '  rotor: {mass: 1, inertia: [1e-6, 1e-6, 1e-6], position: [0, 0, 0]}\n'
                   'joints:\n  hinge: {type: revolute, bodies: [ground, rotor], point: [0, 0, 0], axis: [0, 0, 1]}\n'
                   'inputs:\n  motor: {type: joint-torque, joint: hinge}\n'
                   'outputs:\n  angle: {type: joint-position, joint: hinge}\n')
        system = linkage.System(spinner)
        with self.assertRaisesRegex(linkage.StepError, '^spinner: the step from t = .*half a turn') as caught:
            system.run(steps=5000, inputs={'motor': 0.1})
        error = caught.exception
        self.assertEqual(len(error.table), system.step_count + 1)
        self.assertEqual((error.time, error.table.time[-1]), (system.time, system.time))


class Threads(unittest.TestCase):
    def test_the_lock_is_released_in_the_library(self):
        """one thread waits in the library for another one, which could not come with the lock held"""
        made = ffi.new('struct lk_pool **')
        self.assertEqual(core.lk_pool_new(2, made), 0)
        server = threading.Thread(target=core.lk_pool_serve, args=(made[0], 1), daemon=True)
        server.start()
        core.lk_pool_stop(made[0])
        server.join(60)
        self.assertFalse(server.is_alive())
        core.lk_pool_free(made[0])

    def test_two_systems(self):
        tables = [None, None]

        def work(i):
            tables[i] = linkage.System(FOUR_BAR).run(steps=3000, inputs={'motor': 1})

        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(np.array_equal(tables[0].values, tables[1].values))

    def test_one_system_is_of_one_thread(self):
        system = linkage.System(FOUR_BAR)
        with system._mine():
            self.assertRaisesRegex(RuntimeError, 'another thread', system.step)
        system.step()


class Looks(unittest.TestCase):
    def test_names(self):
        system = linkage.System(FOUR_BAR)
        table = system.run(steps=2)
        self.assertEqual(table['coupler_pose'].shape, (3, 7))
        self.assertTrue(np.array_equal(table['coupler_pose'][:, 1], table['coupler_pose.y']))
        self.assertEqual(table.units['coupler_pose.y'], 'm')
        self.assertEqual([c.name for c in table.channels], [c.name for c in system.output_channels])
        self.assertEqual(system.outputs['tip'].shape, (3,))
        self.assertIn('crank_angle', table)
        self.assertIn('<td>coupler_pose.qw</td><td>1</td>', table._repr_html_())
        self.assertEqual([name for c in table.channels for name in name_columns(c)], table.columns)

    def test_bodies_and_joints(self):
        system = linkage.System(FOUR_BAR)
        state = system.body('coupler')
        self.assertTrue(np.array_equal(np.concatenate((state.position, state.orientation)),
                                       system.outputs['coupler_pose']))
        self.assertEqual(system.reaction(system.joints[0]).shape, (6,))
        self.assertEqual(system.summary.n_bodies, len(system.bodies))
        self.assertLess(system.health.residual_position, 1e-9)
        self.assertRaisesRegex(KeyError, 'crank, coupler, rocker', system.body, 'wheel')
        self.assertRaisesRegex(KeyError, 'is no joint', system.reaction, 'wheel')

    def test_linearise(self):
        system = linkage.System(MODELS / 'mass-spring.yaml', equilibrium=True, all_rows=True)
        linear = system.linearise()
        self.assertEqual(linear.coordinates, ['guide travel (prismatic, ground to block)'])
        self.assertTrue(np.allclose(linear.A, [[0, 1], [-100, -0.5]], atol=1e-6))
        self.assertTrue(np.allclose(linear.B, [[0], [1]], atol=1e-6))
        self.assertTrue(np.allclose(linear.mass, [[1]]) and linear.unrest < 1e-9)
        self.assertEqual(linear.motion.shape, (1, 6))
        self.assertAlmostEqual(linear.modes[0].frequency, 10 / (2 * np.pi), places=6)
        self.assertAlmostEqual(linear.modes[0].damping, 0.025, places=6)
        self.assertEqual(system.mobility(), (1, 0, 0, [], linear.coordinates))
        system.step()
        self.assertRaisesRegex(ValueError, 'has been stepped', system.linearise)
        lean = linkage.System(MODELS / 'four-bar.yaml')
        self.assertRaisesRegex(ValueError, 'all_rows=True', lean.linearise)
        self.assertRaisesRegex(ValueError, 'all_rows=True', lean.mobility)
        whole = linkage.System(MODELS / 'four-bar.yaml', all_rows=True)
        self.assertEqual((whole.mobility().dof, whole.mobility().redundant), (1, 3))
        rolling = linkage.System(MODELS / 'iltis.yaml', all_rows=True)
        self.assertRaisesRegex(linkage.ModelError, 'small motions of a model with tyres', rolling.linearise)

    def test_forces(self):
        text = MODELS.joinpath('mass-spring.yaml').read_text(encoding='utf-8')
        there = text.replace('joint-spring-damper, joint: guide, stiffness: 100, damping: 0.5, rest: 0',
                             'callback, joint: guide')
        own = linkage.System(text)
        own.run(1.0)
        for force in (lambda x, v: (-100 * x - 0.5 * v, 100, 0.5), lambda x, v: -100 * x - 0.5 * v):
            other = linkage.System(there, forces={'spring': force})
            other.run(1.0)
            self.assertTrue(np.allclose(other.body('block').position, own.body('block').position, atol=1e-9))
        self.assertRaisesRegex(linkage.ModelError, 'is a callback and has no function', linkage.System, there)
        self.assertRaisesRegex(linkage.ModelError, "a function for 'no', expected the name", linkage.System, there,
                               forces={'spring': force, 'no': force})
        self.assertRaises(ZeroDivisionError, linkage.System, there, forces={'spring': lambda x, v: 1 / 0})
        inverse = [1.0]
        other = linkage.System(there, forces={'spring': lambda x, v: -1 / inverse[0]})
        other.step()
        inverse[0] = 0.0
        self.assertRaises(ZeroDivisionError, other.step)
        inverse[0] = 1.0
        other.step()
        whole = linkage.System(there, forces={'spring': lambda x, v: -1 / inverse[0]}, all_rows=True)
        inverse[0] = 0.0
        self.assertRaises(ZeroDivisionError, whole.linearise)
        inverse[0] = 1.0
        whole.step()

    def test_reactions(self):
        lean, asked, whole = (linkage.System(MODELS / 'steering.yaml', **how)
                              for how in ({}, {'reactions': ['bearing']}, {'all_rows': True}))
        self.assertRaisesRegex(ValueError, r"expected System\(..., reactions=\['bearing'\]\)", lean.reaction, 'bearing')
        for system in (asked, whole):
            system.run(0.1)
        self.assertTrue(np.allclose(asked.reaction('bearing'), whole.reaction('bearing'), atol=1e-9))
        self.assertRaisesRegex(linkage.ModelError, "reaction of 'no' is asked for, expected the name of a joint",
                               linkage.System, MODELS / 'steering.yaml', reactions=['no'])

    def test_start_at(self):
        run, again = (linkage.System(MODELS / 'double-pendulum.yaml', all_rows=True) for _ in range(2))
        run.run(0.3)
        again.start_at({name: run.body(name) for name in run.bodies})
        self.assertEqual(again.time, 0)
        for name in run.bodies:
            np.testing.assert_allclose(again.body(name).position, run.body(name).position, atol=1e-9)
            np.testing.assert_allclose(again.body(name).acceleration, run.body(name).acceleration, rtol=2e-3)
        first = run.bodies[0]
        with self.assertRaisesRegex(linkage.StateError, f"body '{first}'"):
            again.start_at({first: run.body(first)._replace(orientation=[2, 0, 0, 0])})
        with self.assertRaisesRegex(KeyError, "'wheel' is no body"):
            again.start_at({'wheel': run.body(first)})
        with self.assertRaisesRegex(linkage.ModelError, 'all_rows'):
            linkage.System(FOUR_BAR).start_at({})

    def test_plot(self):
        table = linkage.System(FOUR_BAR).run(steps=5)
        self.assertNotIn('matplotlib', sys.modules)
        try:
            import matplotlib.pyplot as pyplot
        except ImportError:
            print('left out: plots: there is no matplotlib; install python3-matplotlib')
            self.skipTest('no matplotlib')
        axes = table.plot('crank_angle', 'tip', 'coupler_pose.x')
        self.assertEqual([len(ax.lines) for ax in axes], [1, 4])
        self.assertRaises(KeyError, table.plot, 'nothing')
        pyplot.close('all')


if __name__ == '__main__':
    unittest.main()
