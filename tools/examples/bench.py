#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bench in Python: owns one input and answers every output sample with a value for it.

usage: bench.py CHANNEL UNIT SECONDS [CONTROL INPUTS OUTPUTS]"""
import math, sys, time
import zmq
import linkage_pb2 as lk

if len(sys.argv) not in (4, 7):
    print(__doc__), sys.exit(2)
channel, unit, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
at = sys.argv[4:] or [f"tcp://127.0.0.1:{port}" for port in (5600, 5601, 5602)]
context = zmq.Context()

def ask(**command):
    """One request, one reply; None if nobody answers. A fresh socket leaves no request behind."""
    with context.socket(zmq.REQ) as socket:
        socket.linger, socket.rcvtimeo = 0, 1000
        socket.connect(at[0])
        socket.send(lk.ControlRequest(id=1, **command).SerializeToString())
        try:
            return lk.ControlReply.FromString(socket.recv())
        except zmq.Again:
            return None

def claim_channel(token):
    """Describe, then claim with the unit that we have in mind. None: it was not granted."""
    reply = ask(describe=lk.DescribeRequest())
    if reply is None or not reply.HasField("description"):
        return None
    wish = lk.ClaimedChannel(name=channel, units=[unit])
    reply = ask(claim=lk.ClaimRequest(bench="Python example", channels=[wish], token=token))
    granted = reply is not None and reply.HasField("claim")
    print(f"claimed {channel}" if granted else f"refused: {reply and reply.text}", flush=True)
    return reply.claim if granted else None

inputs, outputs = context.socket(zmq.PUB), context.socket(zmq.SUB)
inputs.linger = outputs.linger = 0  # at the end, what is unsent is dropped
inputs.immediate = 1                # keep no samples for a daemon that is not there
outputs.subscribe(b"\x08")          # every output sample
outputs.subscribe(b"\x0a")          # ten heartbeats a second, in every state
inputs.connect(at[1])
outputs.connect(at[2])

claim, token, claims, sequence, seen, trips = None, 0, 0, 0, 0, []
end = time.monotonic() + seconds
while time.monotonic() < end:
    if not outputs.poll(1000):
        claim = None                # the daemon or the line is gone
        continue
    message = outputs.recv()
    received = time.monotonic_ns()
    if message[0] == 0x0a:
        beat = lk.Heartbeat.FromString(message)
        if claim and (beat.daemon_id, beat.model_id) == (claim.daemon_id, claim.model_id):
            inputs.send(lk.InputSample(token=token, heartbeat=True).SerializeToString())
        elif claim := claim_channel(token):  # at first, after a restart, with another model
            token, claims = claim.token, claims + 1
        continue
    sample = lk.OutputSample.FromString(message)
    if claim and sample.model_id == claim.model_id:
        for echo in sample.echoes:  # our newest sample that acts in this one
            if echo.claim == claim.number and echo.sequence > seen:
                seen = echo.sequence
                trips.append(received - echo.origin_ns)
        sequence += 1
        inputs.send(lk.InputSample(
            token=token, sequence=sequence, values=[0.5 * math.sin(2 * math.pi * sample.time_s)],
            origin_ns=time.monotonic_ns(), reply_to=sample.sequence,
            reply_published_ns=sample.published_ns, reply_received_ns=received).SerializeToString())

ask(release=lk.ReleaseRequest(token=token))  # or the lease has to run out
trips = sorted(trips) or sys.exit("no round trips")
p50, p99, most = (trips[int(q * (len(trips) - 1))] / 1e3 for q in (0.5, 0.99, 1))
print(f"claims {claims}, round trips {len(trips)}: "
      f"p50 {p50:.0f} us, p99 {p99:.0f} us, max {most:.0f} us")
