# SPDX-License-Identifier: Apache-2.0
"""What the rigs beside this file share: some inputs of a model, claimed at once, and a value for each of them as an
answer to every output sample; in real time over the streams, in lockstep by requests that release the steps."""
import time
import zmq
import linkage_pb2 as lk

ENDPOINTS = [f"tcp://127.0.0.1:{port}" for port in (5600, 5601, 5602)]


class Rig:
    def __init__(self, name, channels, endpoints):
        """channels: names of inputs to their units, in the order of the values."""
        self.context = zmq.Context()
        self.name, self.channels, self.at = name, channels, endpoints or ENDPOINTS
        self.control = self.context.socket(zmq.REQ)
        self.control.linger, self.control.rcvtimeo = 0, 60000
        self.control.connect(self.at[0])
        self.description = self.ask(describe=lk.DescribeRequest()).description
        self.offset = {output.name: output.offset for output in self.description.outputs}
        wish = [lk.ClaimedChannel(name=key, units=[unit]) for key, unit in channels.items()]
        self.claim = self.ask(claim=lk.ClaimRequest(bench=name, channels=wish)).claim
        self.sequence = 0

    def ask(self, **command):
        """One request, one reply; what is refused ends the program with the daemon's words."""
        self.control.send(lk.ControlRequest(id=1, **command).SerializeToString())
        reply = lk.ControlReply.FromString(self.control.recv())
        if reply.result != lk.RESULT_OK:
            raise SystemExit(f"refused: {reply.text}")
        return reply

    def sample(self, values, **stamps):
        self.sequence += 1
        return lk.InputSample(token=self.claim.token, sequence=self.sequence, values=values,
                              origin_ns=time.monotonic_ns(), **stamps)

    def show(self, sample, name, component=0):
        return sample.values[self.offset[name] + component]

    def run(self, seconds, answer):
        """answer(sample): the values for an output sample; for so long in the time of the model. Return: samples."""
        if self.description.mode == lk.MODE_LOCKSTEP:
            return self.run_lockstep(seconds, answer)
        inputs, outputs = self.context.socket(zmq.PUB), self.context.socket(zmq.SUB)
        inputs.linger = outputs.linger = 0
        outputs.subscribe(b"\x08")
        inputs.connect(self.at[1])
        outputs.connect(self.at[2])
        count, end = 0, None
        while outputs.poll(10000):
            sample = lk.OutputSample.FromString(outputs.recv())
            end = sample.time_s + seconds if end is None else end
            if sample.model_id != self.claim.model_id or sample.time_s > end:
                break
            inputs.send(self.sample(answer(sample)).SerializeToString())
            count += 1
        return count

    def run_lockstep(self, seconds, answer):
        count, values = 0, [0.0] * len(self.channels)
        while count * self.description.step_s < seconds:
            count += 1
            step = lk.StepRequest(steps=1, number=count, input=self.sample(values))
            values = answer(self.ask(step=step).outputs)
        return count

    def leave(self):
        self.ask(release=lk.ReleaseRequest(token=self.claim.token))
