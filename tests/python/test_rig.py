#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon from Python: a run in lockstep has the bits of the library, a recording holds them, a bench in real time
owns its input; what the daemon refuses comes with its words."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import linkage
from linkage.testing import Daemon

MODELS = pathlib.Path(os.environ['LINKAGE_MODELS'])
FOUR_BAR = MODELS / 'four-bar.yaml'


class Lockstep(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.close)
        self.rig = self.daemon.connect()

    def start(self):
        self.rig.load(FOUR_BAR)
        self.rig.arm()
        self.rig.start()

    def test_a_model_of_parts(self):
        """The daemon has not the files of the parts; the values go with the flat text, and so does a recording."""
        self.rig.load(MODELS / 'four-post.yaml', {'bodies.chassis.mass': 1000})
        self.rig.arm()
        file = self.daemon.folder / self.rig.record('post').file
        self.rig.start()
        sample = self.rig.step(20, {'post_fl': 1e-3})
        system = linkage.System(linkage.Model(MODELS / 'four-post.yaml', {'bodies.chassis.mass': 1000}))
        table = system.run(steps=20, inputs={'post_fl': 1e-3})
        self.assertTrue(np.array_equal(sample.values, table.values[-1]))
        self.rig.stop_recording()
        self.rig.stop()
        self.rig.wait(lambda status: not status.recording.active)
        self.assertIn(b'carrier_fl', file.read_bytes())
        self.assertNotIn(b'post-corner.yaml', file.read_bytes())
        with self.assertRaises(linkage.ModelError):
            self.rig.load(MODELS / 'four-post.yaml', {'bodies.chasis.mass': 1000})

    def test_bits_of_the_library_and_of_the_recording(self):
        self.rig.load(FOUR_BAR)
        self.rig.arm()
        recording = self.rig.record('drive')
        self.assertRegex(repr(recording), r"^Recording\(active=True,\s+file='.*drive.*\.mcap'")
        file = self.daemon.folder / recording.file
        self.rig.start()
        system = linkage.System(FOUR_BAR)
        for k, torque in enumerate((0.0, 1.0, -2.5, 1e-3)):
            sample = self.rig.step(k + 5, {'motor': torque} if k else None)
            table = system.run(steps=k + 5, inputs={'motor': torque})
            self.assertTrue(np.array_equal(sample.values, table.values[-1]))
            self.assertEqual((sample.step, sample.time), (system.step_count, system.time))
            self.assertEqual((sample.mode, sample.state), ('lockstep', 'running'))
            self.assertTrue(np.array_equal(sample['tip'], system.outputs['tip']))
        self.assertEqual(self.rig.stop_recording().active, False)
        self.rig.stop()
        self.rig.wait(lambda status: not status.recording.active)
        recorded = linkage.read_recording(file)
        system.reset()
        self.assertTrue(np.array_equal(recorded['tip'][-1], sample['tip']))
        self.assertEqual(recorded.units, table.units)
        self.assertEqual((len(recorded), recorded.time[-1]), (sample.step, sample.time))
        inputs = linkage.read_recording(file, 'inputs')
        self.assertEqual(inputs['motor'].tolist(), [0] * 5 + [1] * 6 + [-2.5] * 7 + [1e-3] * 8)
        self.assertEqual(linkage.read_recording(file, 'cycle')['step'][-1], sample.step)
        with self.assertRaisesRegex(linkage.LinkageError, "no topic 'nothing'"):
            linkage.read_recording(file, 'nothing')
        for name in ('--help', '-h', b'--topic=x'):   # files that are not there, no options
            with self.assertRaises(linkage.LinkageError):
                linkage.read_recording(name)

    def test_states(self):
        self.assertEqual(self.rig.state, 'empty')
        with self.assertRaises(linkage.Refused) as caught:
            self.rig.start()
        self.assertEqual(caught.exception.result, 'wrong-state')
        self.assertRegex(caught.exception.id, '^LK-')
        with self.assertRaisesRegex(linkage.Refused, '^bad:1:1: ') as caught:
            self.rig.load('linkage: 1\nbodies: 3\n', name='bad')
        self.assertEqual(len(caught.exception.lines), 2)
        self.rig.load(FOUR_BAR.read_text())
        self.assertEqual(self.rig.state, 'ready')
        self.assertRaisesRegex(ValueError, 'realtime, lockstep, asap', self.rig.arm, 'slow')
        self.rig.arm('asap')
        self.rig.start(steps=20)
        status = self.rig.wait(lambda status: status.state == 'paused')
        self.assertEqual((status.step, status.mode, status.model), (20, 'asap', 'four-bar'))
        self.rig.reset()
        self.assertEqual(self.rig.state, 'armed')
        self.assertEqual(self.rig.status(histograms=True).to_dict()['proof']['valid'], True)

    def test_descriptions(self):
        self.rig.load(FOUR_BAR)
        system = linkage.System(FOUR_BAR)
        self.assertEqual(self.rig.output_channels, system.output_channels)
        self.assertEqual(self.rig.input_channels, system.input_channels)
        self.rig.set('motor', 3)
        self.assertEqual(self.rig.inputs().inputs[0].values, [3.0])
        self.assertRaises(linkage.Refused, self.rig.set, 'motr', 3)
        self.assertIn('late', [row.condition for row in self.rig.policy().rows])
        self.assertEqual(self.rig.evidence().model, 'four-bar')

    def test_parameters(self):
        params = {'bodies.crank.mass': 2.25}
        self.rig.load(FOUR_BAR, params)
        self.rig.arm()
        self.rig.start()
        table = linkage.System(FOUR_BAR, params).run(steps=50)
        self.assertTrue(np.array_equal(self.rig.step(50).values, table.values[-1]))
        self.rig.stop()
        with self.assertRaisesRegex(linkage.Refused, 'bodies.crnk.mass'):
            self.rig.load(FOUR_BAR, {'bodies.crnk.mass': 2})

    def test_inputs_in_lockstep(self):
        self.start()
        self.assertRaises(KeyError, self.rig.step, 1, {'motr': 1})
        self.assertRaisesRegex(ValueError, '-10 to 10', self.rig.step, 1, {'motor': 11})
        self.assertRaises(ValueError, self.rig.step, 0)
        self.assertEqual(self.rig.step().step, 1)
        self.assertEqual(self.rig.step(1, {'motor': 1}).step, 2)
        self.assertRaisesRegex(ValueError, '-10 to 10', self.rig.step, 1, {'motor': 11})
        self.assertEqual(self.rig.step(20001).step, 20003)
        self.assertEqual([claim.bench for claim in self.rig.inputs().claims], ['python'])

    def test_a_stream(self):
        self.start()
        with self.rig.stream(['tip', 'crank_angle'], divisor=5) as stream:
            self.assertEqual([c.offset for c in stream.channels], [0, 3])
            for _ in range(500):  # the subscription reaches the daemon behind the first ones
                sample = self.rig.step(5)
                try:
                    followed = stream.receive(0.05)
                    break
                except linkage.NoAnswer:
                    pass
            self.assertEqual((followed.step % 5, followed['tip'].shape), (0, (3,)))
            while followed.step < sample.step:
                followed = stream.receive(60)
            self.assertEqual(followed['crank_angle'], sample['crank_angle'])
        self.assertRaisesRegex(linkage.Refused, 'nothing', self.rig.stream, ['nothing'])


class Bench(unittest.TestCase):
    def test_a_bench(self):
        with Daemon(mode='asap') as daemon:
            rig = daemon.connect()
            rig.load(FOUR_BAR)
            with self.assertRaises(linkage.Refused) as caught:
                rig.claim({'motor': 'lbf ft'})
            self.assertEqual(caught.exception.result, 'bad-unit')
            self.assertRaises(linkage.Refused, rig.claim, ['nothing'])
            with rig.claim({'motor': 'N m'}, outputs=['crank_angle', 'tip']) as bench:
                self.assertRaisesRegex(linkage.Refused, 'python', rig.claim, ['motor'], name='other')
                self.assertTrue(bench.is_connected)
                self.assertEqual(bench.trouble, '')
                rig.arm()
                rig.start()
                sample = bench.receive(60)
                self.assertEqual((sample['tip'].shape, sample.state), ((3,), 'running'))
                self.assertRaisesRegex(ValueError, '-10 to 10', bench.set, motor=11)
                for sample in bench:
                    self.assertTrue(bench.set(motor=2.5))
                    if rig.inputs().inputs[0].acting == [2.5]:
                        break
                self.assertEqual(rig.inputs().inputs[0].acting, [2.5])
                rig.stop()
            self.assertEqual(rig.inputs().claims, [])


class Connections(unittest.TestCase):
    def test_nobody(self):
        with self.assertRaisesRegex(linkage.NoAnswer, 'no daemon answers'):
            linkage.connect('ipc:///nowhere/control', timeout=0.1)
        with self.assertRaises(linkage.DaemonError):
            linkage.connect('smoke://signals', timeout=0.1)
        with self.assertRaises(linkage.DaemonError):
            linkage.connect('ipc:///nowhere/control', keys=('a', 'b', 'c'))

    def test_a_daemon_that_does_not_start(self):
        self.assertRaisesRegex(linkage.DaemonError, 'ended with', Daemon, 'nonsense: 1')

    def test_closed(self):
        with Daemon() as daemon:
            rig = daemon.connect()
            rig.close()
            rig.close()
            self.assertRaisesRegex(ValueError, 'closed', rig.status)


class Fixture(unittest.TestCase):
    def test_pytest(self):
        try:
            import pytest  # noqa: F401
        except ImportError:
            print('left out: the pytest fixture: there is no pytest; install python3-pytest')
            self.skipTest('no pytest')
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'conftest.py').write_text("pytest_plugins = ['linkage.testing']\n")
            pathlib.Path(folder, 'test_swing.py').write_text(
                'def test_swing(linkage_daemon):\n    rig = linkage_daemon.connect()\n'
                f'    rig.load({str(FOUR_BAR)!r})\n    rig.arm()\n    rig.start()\n'
                "    assert rig.step(100, {'motor': 5}).step == 100\n")
            run = subprocess.run([sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', folder],
                                 capture_output=True, text=True, cwd=folder)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn('1 passed', run.stdout)


if __name__ == '__main__':
    unittest.main()
