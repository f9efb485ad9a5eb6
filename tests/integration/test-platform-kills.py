#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A car, a hexapod and a simulated platform over real sockets; in the middle of rides the cycle is stopped, the daemon
stands still and goes on, and adapter and daemon are killed. Each time the platform ends parked without a jump: it takes
one for a fault. After each, the daemon says that the ride is over, and nothing rises before it is asked to.

usage: test-platform-kills.py LINKAGED LINKAGECTL LINKAGE SOURCE-ROOT"""
import pathlib, signal, sys, time

sys.dont_write_bytecode = True
from platform_rig import COMMUNICATION, HEXAPOD, Failed, Rig, await_that, run_test

root = pathlib.Path(sys.argv[4])
sys.path.insert(0, str(root / 'tools/drive'))
import drive

SURGE = 3
STOPPED = 'the cycle does not run in real time'
SILENT = 'no step came for too long'
NOT_READY = 'the platform does not report that it is ready'


def ride(rig):
    """the car goes to and fro"""
    def shake(i):
        for motor in ('motor_rl', 'motor_rr'):
            rig.ctl('set', motor, str(drive.MOTOR * (-1) ** (i // 4)))
    rig.ride(shake, SURGE, 0.01)


def freeze(rig, daemon, least_s):
    """the daemon stands still until the platform has parked by itself, and for @least_s"""
    begin_s = time.monotonic()
    daemon.send_signal(signal.SIGSTOP)
    rig.platform.expect('idle', 0)
    time.sleep(max(0, begin_s + least_s - time.monotonic()))
    rig.platform.states.clear()
    daemon.send_signal(signal.SIGCONT)


def stays_down(rig):
    """nobody has asked the platform to rise"""
    if set(rig.platform.states) - {'idle'}:
        raise Failed(f'the platform was {rig.platform.states} without an order')


def test(rig):
    drive.write_car(rig.work / 'car.yaml')

    # a daemon that nobody reports to notices by itself that it stood still; then it is killed
    daemon = rig.start_daemon('car', 'feel', reports=False)
    adapter = rig.start_adapter()
    ride(rig)
    freeze(rig, daemon, 6)
    rig.await_parked(SILENT)
    stays_down(rig)
    ride(rig)
    rig.end(daemon)
    rig.platform.expect('idle', 0)

    # one that is reported to
    daemon = rig.start_daemon('car', 'feel')
    ride(rig)
    rig.ctl('stop')
    rig.platform.expect('idle', 0)
    rig.await_parked(STOPPED)
    rig.ctl('start')

    ride(rig)
    freeze(rig, daemon, 0)
    rig.await_parked(NOT_READY, SILENT)
    stays_down(rig)

    rig.engage()
    await_that(lambda said: said['state'] != 'idle', rig.platform.show, 'the platform does not rise')
    freeze(rig, daemon, 0)
    rig.await_parked(NOT_READY, SILENT)
    stays_down(rig)

    ride(rig)
    rig.end(adapter)
    rig.platform.expect('fault', COMMUNICATION)
    rig.await_parked(NOT_READY)
    rig.platform.press('reset')
    rig.start_adapter()

    ride(rig)
    rig.end(daemon)
    said = rig.platform.expect('idle', 0)
    print(f'seven rides, largest step between two commands {said["largest_step"]:.4f} m or rad')


sys.exit(run_test(test, Rig(sys.argv[1:4], root, HEXAPOD)))
