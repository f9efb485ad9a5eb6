#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bench that pushes back, in Python: a wall of 1e5 N/m at x = 0.1 m. It does not send the force that the wall has, which
would be late, but what the wall is: an impedance, which the model solves within its step. The model is wall.yaml.

usage: impedance.py SECONDS [CONTROL INPUTS OUTPUTS]"""
import sys, time
import zmq
import linkage_pb2 as lk

if len(sys.argv) not in (2, 5):
    print(__doc__), sys.exit(2)
seconds = float(sys.argv[1])
at = sys.argv[2:] or [f"tcp://127.0.0.1:{port}" for port in (5600, 5601, 5602)]
context = zmq.Context()
PLACE, STIFFNESS, DAMPING = 0.1, 1e5, 20
UNITS = {"stiffness": "N/m", "damping": "N s/m", "rest": "m"}  # others are refused at the claim

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

def claim_channels(token):
    """None: nobody is there, or the channels are not ours."""
    wishes = [lk.ClaimedChannel(name=name, units=[unit]) for name, unit in UNITS.items()]
    reply = ask(claim=lk.ClaimRequest(bench="Python wall", channels=wishes, token=token))
    if reply is None or not reply.HasField("claim"):
        print(f"refused: {reply and reply.text}", flush=True)
        return None
    return reply.claim

inputs, outputs = context.socket(zmq.PUB), context.socket(zmq.SUB)
inputs.linger = outputs.linger = 0
inputs.immediate = 1
outputs.subscribe(b"\x08")  # every output sample
outputs.subscribe(b"\x0a")  # ten heartbeats a second, in every state
inputs.connect(at[1])
outputs.connect(at[2])

claim, token, sequence, touched, deepest, work, inside = None, 0, 0, 0, 0, 0, False
end = time.monotonic() + seconds
while time.monotonic() < end:
    if not outputs.poll(1000):
        claim = None  # the daemon or the line is gone
        continue
    message = outputs.recv()
    if message[0] == 0x0a:
        beat = lk.Heartbeat.FromString(message)
        if claim and (beat.daemon_id, beat.model_id) == (claim.daemon_id, claim.model_id):
            inputs.send(lk.InputSample(token=token, heartbeat=True).SerializeToString())
        elif beat.model_id and (claim := claim_channels(token)):
            token = claim.token
        continue
    sample = lk.OutputSample.FromString(message)
    if not claim or sample.model_id != claim.model_id:
        continue
    x, _, work = sample.values  # in the order of the model's outputs
    touched, inside = touched + (x > PLACE and not inside), x > PLACE
    deepest, sequence = max(deepest, x - PLACE), sequence + 1
    said = [STIFFNESS, DAMPING, PLACE] if inside else [0, 0, PLACE]
    inputs.send(lk.InputSample(token=token, sequence=sequence, values=said,
                               origin_ns=time.monotonic_ns()).SerializeToString())

ask(release=lk.ReleaseRequest(token=token))  # or the lease has to run out
print(f"touched {touched} times, deepest {1e3 * deepest:.2f} mm, work {work:.3g} J")
sys.exit(0 if touched else 1)
