#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processor time of linkage-can beside a daemon that steps the four-bar, by default at 1 kHz: 20 messages of two floats sent 100
times a second, and one received as often, over a socket that this program reads; then without any message.

usage: tests/bench/can_cost.py BUILD [SECONDS [STEP]]"""
import os, pathlib, sys, threading, time

here = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(here / 'integration'))
from can_bus import Bus, put_raw
from programs import Programs

build, seconds, step = pathlib.Path(sys.argv[1]), float((sys.argv[2:] or [20])[0]), (sys.argv[3:] or ['0.001'])[0]
programs = Programs(build / 'daemon/linkaged', build / 'tools/linkagectl/linkagectl')
TICKS = os.sysconf('SC_CLK_TCK')


def dbc(n):
    """n messages that are sent, and one that is received where there are any"""
    text = 'BU_: us them\n'
    for i in range(n):
        text += f'BO_ {256 + i} M{i}: 8 us\n'
        for k, name in enumerate(('crank_angle', 'crank_rate')):
            text += f' SG_ {name} : {32 * k}|32@1- (1,0) [0|0] "" them\n'
    if n > 0:
        text += 'BO_ 1024 R: 2 them\n SG_ motor : 0|16@1- (0.001,0) [0|0] "" us\n'
    text += 'BA_DEF_DEF_ "GenMsgCycleTime" 10;\n'
    return text + ''.join(f'SIG_VALTYPE_ {256 + i} {name} : 1;\n' for i in range(n) for name in ('crank_angle', 'crank_rate'))


def processor_s(process):
    fields = pathlib.Path(f'/proc/{process.pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def send(bus, until_s):
    k = 0
    while time.monotonic() < until_s:
        data = bytearray(2)
        put_raw(data, k % 1000, 0, 16)
        bus.send(1024, data)
        k += 1
        time.sleep(0.01)


def measure(n):
    (programs.work / 'x.dbc').write_text(dbc(n))
    bus = Bus(programs.work / 'bus')
    process = programs.start('can.log', build / 'tools/can/linkage-can', '--dbc', programs.work / 'x.dbc', '--node', 'us', '--interface',
                             f'unix:{bus.path}', *(word for name in ('control', 'inputs', 'outputs') for word in
                                                   ('--' + name.replace('control', 'endpoint'), programs.endpoint(name))))
    bus.accept()
    programs.await_log('can.log', f'model four-bar: {n} messages are sent')
    time.sleep(2)
    begin_s, used_s, frames = time.monotonic(), processor_s(process), 0
    sender = threading.Thread(target=send, args=(bus, begin_s + seconds * (n > 0)))
    sender.start()
    while time.monotonic() < begin_s + seconds:
        while bus.has_frame():
            bus.receive()
            frames += 1
    sender.join()
    took_s, used_s = time.monotonic() - begin_s, processor_s(process) - used_s
    programs.end(process)
    print(f'{n} messages: {frames / took_s:.0f} frames/s sent, {100 * used_s / took_s:.2f} % of a core')
    print((programs.work / 'can.log').read_text().splitlines()[-1])
    bus.close()


print('load', *os.getloadavg())
text = (here.parent / 'config/models/four-bar.yaml').read_text()
(programs.work / 'm.yaml').write_text(text.replace('step: 0.001', f'step: {step}'))
daemon = programs.start_daemon(programs.work / 'm.yaml')
programs.await_true('no answer', lambda: programs.control('status').returncode == 0)
programs.await_true('no proof', lambda: programs.control('arm', '--allow-degraded', '--mode', 'realtime').returncode == 0)
programs.ctl('start')
for count in (20, 0):
    measure(count)
programs.end(daemon)
programs.close()
