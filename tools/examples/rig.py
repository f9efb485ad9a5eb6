# SPDX-License-Identifier: Apache-2.0
"""What the rigs beside this file share: some inputs of a model, claimed at once, and a value for each of them as an
answer to every output sample; in real time over the streams, in lockstep by requests that release the steps."""
import time
import zmq
import linkage_pb2 as lk

ENDPOINTS = [f"tcp://127.0.0.1:{port}" for port in (5600, 5601, 5602)]


class Rig:
    def __init__(self, name, channels, endpoints):
        """channels: names of inputs to their units, in the order of the values; or such by the name of the model."""
        self.context = zmq.Context()
        self.name, self.at = name, endpoints or ENDPOINTS
        self.control = self.context.socket(zmq.REQ)
        self.control.linger, self.control.rcvtimeo = 0, 60000
        self.control.connect(self.at[0])
        self.description = self.ask(describe=lk.DescribeRequest()).description
        self.offset = {output.name: output.offset for output in self.description.outputs}
        wish = [lk.ClaimedChannel(name=key, units=[unit]) for key, unit in self.choose(channels).items()]
        self.claim = self.ask(claim=lk.ClaimRequest(bench=name, channels=wish)).claim
        self.sequence, self.values = 0, [0.0] * len(wish)

    def choose(self, channels):
        if not isinstance(next(iter(channels.values())), dict):
            return channels
        if self.description.name not in channels:
            raise SystemExit(f"the model is '{self.description.name}', expected {', '.join(channels)}")
        return channels[self.description.name]

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
            if sample.state == lk.STATE_FAULT:
                raise SystemExit(f"the run has failed: {self.ask(status=lk.StatusRequest()).status.fault}")
            inputs.send(self.sample(answer(sample)).SerializeToString())
            count += 1
        return count

    def run_lockstep(self, seconds, answer):
        steps = round(seconds / self.description.step_s)
        for count in range(1, steps + 1):
            step = lk.StepRequest(steps=1, number=count, input=self.sample(self.values))
            self.values = answer(self.ask(step=step).outputs)
        return steps

    def leave(self):
        self.ask(release=lk.ReleaseRequest(token=self.claim.token))
