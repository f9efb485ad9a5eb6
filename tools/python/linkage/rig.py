# SPDX-License-Identifier: Apache-2.0
"""A daemon: its states, its inputs and its outputs."""
from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np

from ._library import ffi, get_client, text_of
from .channels import Channel
from .claim import Claim
from .errors import DaemonError, NoAnswer, Refused
from .messages import Message, build, read
from .model import is_text, text_to_send
from .samples import Sample, Stream, fail, layout_of

__all__ = ['Rig', 'connect']

_STEPS_MAX = 10000  # of a StepRequest
_ARM_PATIENCE = 120.0


class Keys(NamedTuple):
    """CURVE keys of 40 characters: the public one of the daemon, and the two of this client."""

    server_key: str
    public_key: str
    secret_key: str


def _shift_port(endpoint: str, by: int) -> str:
    head, _, port = endpoint.rpartition(':')
    if not endpoint.startswith('tcp://') or not port.isdigit():
        raise ValueError(f"{endpoint}: the endpoints of inputs and outputs do not follow from this one, expected them "
                         "as inputs= and outputs= of connect()")
    return f'{head}:{int(port) + by}'


class Rig:
    """A connection to a daemon; :func:`connect` makes one. It may be used in a ``with`` statement.

    Requests of several threads wait for each other.
    """

    def __init__(self, endpoint: str, timeout: float, inputs: str | None, outputs: str | None,
                 keys: Keys | None) -> None:
        self._lib = get_client()
        self.endpoint = endpoint
        self._endpoints = (inputs, outputs)
        self._keep = [ffi.new('char[]', key.encode()) for key in keys or ()]
        self._keys = ffi.NULL
        if keys:
            self._keys = ffi.new('struct lk_client_options *',
                                 dict(zip(('server_key', 'public_key', 'secret_key'), self._keep)))
        made, self._error = ffi.new('struct lk_client **'), ffi.new('struct lk_error *')
        code = self._lib.lk_client_open_with(endpoint.encode(), int(1e3 * timeout), self._keys, made, self._error)
        if code != 0:
            fail(code, text_of(self._error.text))
        self._c = made[0]
        self._lock = threading.RLock()
        self._children: list[Any] = []
        self._lockstep: _Lockstep | None = None

    def __enter__(self) -> Rig:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, '_c', None):
            self.close()

    def __repr__(self) -> str:
        return f'<linkage.Rig at {self.endpoint}>'

    def close(self) -> None:
        """Release claims and streams, and disconnect."""
        for child in list(self._children):
            child.close()
        with self._lock:
            if self._lockstep is not None and self._c:
                self._lockstep.release(self)
            c, self._c = self._c, None
            if c:
                self._lib.lk_client_close(c)

    @property
    def inputs_endpoint(self) -> str:
        return self._endpoints[0] or _shift_port(self.endpoint, 1)

    @property
    def outputs_endpoint(self) -> str:
        return self._endpoints[1] or _shift_port(self.endpoint, 2)

    # ---- requests ----

    def _begin(self):
        """The connection, with an empty line for its errors."""
        if not self._c:
            raise ValueError('the connection is closed')
        self._error.text[0] = b'\0'
        return self._c

    def _finish(self, code: int, reply) -> Any:
        """The reply that was granted."""
        if code != 0:
            fail(code, text_of(self._error.text))
        c = reply[0]
        if c.result != self._lib.LINKAGE__V1__RESULT__RESULT_OK:
            raise Refused(text_of(c.text), text_of(self._lib.lk_client_result_name(c.result)), text_of(c.id_of_error),
                          [text_of(c.errors[i]) for i in range(c.n_errors)])
        return c

    def _make(self, kind: str, fields: dict[str, Any], keep: list):
        descriptor = getattr(self._lib, f'linkage__v1__{kind}__descriptor')
        return build(ffi.addressof(descriptor), fields, keep)

    def _ask(self, command: str, take: Callable[[Any], Any], **fields: Any) -> Any:
        """One request; @take reads its reply, which lives until the next one."""
        keep: list[Any] = []
        reply = ffi.new('Linkage__V1__ControlReply **')
        request = self._make('control_request', {command: fields}, keep)
        with self._lock:
            code = self._lib.lk_client_call(self._begin(), ffi.cast('Linkage__V1__ControlRequest *', request), reply,
                                            self._error)
            return take(self._finish(code, reply))

    def status(self, *, histograms: bool = False) -> Message:
        """State, times, residuals and counters: ``Status`` of ``linkage.proto``.

        >>> rig.status().state  # doctest: +SKIP
        'running'
        """
        return self._ask('status', lambda c: read(c.status), with_histograms=histograms)

    @property
    def state(self) -> str:
        """ "empty", "ready", "armed", "running" ..."""
        return self.status().state

    def describe(self) -> Message:
        """What the samples mean: ``ModelDescription``."""
        return self._ask('describe', lambda c: read(c.description))

    @property
    def input_channels(self) -> list[Channel]:
        return layout_of('input', self.describe().inputs).channels

    @property
    def output_channels(self) -> list[Channel]:
        return layout_of('output', self.describe().outputs).channels

    def load(self, source: str | os.PathLike, params: Mapping[str, float] | None = None, *,
             name: str | None = None) -> list[Message]:
        """Load a model, by path or as text of more than one line; waits until it is compiled.

        Parameters
        ----------
        params : mapping, optional
            As of :class:`Model`.

        Returns
        -------
        list of Message
            What looks wrong in it all the same: ``id``, ``where``, ``text``.

        Raises
        ------
        Refused
            ``lines`` has all that is wrong; the daemon keeps the model that it had.
        """
        if is_text(source):
            text, name = source.encode(), name or 'text'
        else:
            text, params = text_to_send(source, params)
            name = name or Path(source).name
        settings = [{'path': path, 'value': float(value)} for path, value in (params or {}).items()]
        keep: list[Any] = []
        reply = ffi.new('Linkage__V1__ControlReply **')
        load = self._make('load_request', {'name': name, 'text': text, 'settings': settings}, keep)
        with self._lock:
            self._lockstep = None
            code = self._lib.lk_client_load(self._begin(), ffi.cast('Linkage__V1__LoadRequest *', load), reply,
                                            self._error)
            c = self._finish(code, reply)
            return [read(c.warnings[i]) for i in range(c.n_warnings)]

    def arm(self, mode: str | None = None, *, allow_degraded: bool = False, steps: int = 0,
            patience: float = _ARM_PATIENCE) -> str:
        """Prove the budget.

        Parameters
        ----------
        mode : {"realtime", "lockstep", "asap"}, optional
            As configured where it is left out.
        allow_degraded : bool
            Also on a machine that is not fit for real time.
        steps : int
            Of the proof; 0: as configured.
        patience : float
            How long to wait for the outcome [s].

        Returns
        -------
        str
            The proof in words.

        Raises
        ------
        Refused
            Also where the proof fails; the text says what would fit.
        """
        keep: list[Any] = []
        reply, words = ffi.new('Linkage__V1__ControlReply **'), ffi.new('char **')
        arm = self._make('arm_request', {'mode': mode, 'allow_degraded': allow_degraded, 'steps': steps}, keep)
        with self._lock:
            code = self._lib.lk_client_arm(self._begin(), ffi.cast('Linkage__V1__ArmRequest *', arm),
                                           int(1e3 * patience), ffi.NULL, ffi.NULL, reply, self._error)
            c = self._finish(code, reply)
            is_armed = self._lib.lk_client_is_armed(c, words)
            text = text_of(words[0])
        if not is_armed:
            raise Refused(text, 'no-budget')
        return text

    def start(self, steps: int = 0) -> None:
        """Run, or go on; after @steps steps the run pauses, 0: never."""
        self._ask('start', lambda c: None, steps=steps)

    def pause(self) -> None:
        """Keep the time grid, make no steps."""
        self._ask('pause', lambda c: None)

    def stop(self) -> None:
        """End the run, or the arming."""
        self._ask('stop', lambda c: None)

    def reset(self) -> None:
        """Back to the start; out of a fault as well."""
        self._ask('reset', lambda c: None)

    def shutdown(self) -> None:
        """End the daemon."""
        self._ask('shutdown', lambda c: None)

    def set(self, channel: str, value: Any, *, force: bool = False) -> None:
        """Set an input by hand. @force: also one that a bench has claimed, until its next sample."""
        self._ask('set', lambda c: None, channel=channel, values=np.atleast_1d(value).astype(float).tolist(),
                  force=force)

    def inputs(self) -> Message:
        """Who owns which input, what acts, and what was refused: ``InputsReport``."""
        return self._ask('inputs', lambda c: read(c.inputs))

    def evidence(self, *, histograms: bool = False, cycles: bool = False) -> Message:
        """What the run proves about its timing: ``Evidence``."""
        return self._ask('evidence', lambda c: read(c.evidence), with_histograms=histograms, with_cycles=cycles)

    def policy(self) -> Message:
        """What is done about each condition: ``Policy``."""
        return self._ask('policy', lambda c: read(c.policy))

    def record(self, name: str = '') -> Message:
        """Begin a recording; the file's name is in the ``Recording`` that is returned."""
        return self._ask('record', lambda c: read(c.status.recording), name=name)

    def stop_recording(self) -> Message:
        """End the recording."""
        return self._ask('record', lambda c: read(c.status.recording), stop=True)

    def wait(self, condition: Callable[[Message], bool], timeout: float = 60.0) -> Message:
        """Ask for the status, 50 times a second, until @condition of it holds.

        >>> rig.wait(lambda status: status.state == 'paused')  # doctest: +SKIP
        """
        end = time.monotonic() + timeout
        while not condition(status := self.status()):
            if time.monotonic() > end:
                raise NoAnswer(f'in {timeout:g} s it did not happen; the daemon is {status.state}')
            time.sleep(0.02)
        return status

    # ---- samples ----

    def step(self, steps: int = 1, inputs: Mapping[str, Any] | None = None) -> Sample:
        """Release steps in lockstep: the inputs, then so many steps.

        The inputs that are named are claimed for it at the first call that names them. They keep their values.
        """
        if steps != int(steps) or steps < 1:
            raise ValueError(f'steps is {steps}, expected a whole number from 1 on')
        with self._lock:
            if self._lockstep is None or set(inputs or ()) - set(self._lockstep.names):
                self._lockstep = _Lockstep(self, inputs or {}, self._lockstep)
            return self._lockstep.step(self, int(steps), inputs or {})

    def claim(self, channels: Sequence[str] | Mapping[str, str | None], *, name: str = 'python',
              outputs: Sequence[str] = (), divisor: int = 1, patience: float = 10.0, yields: bool = False) -> Claim:
        """Own inputs: see :class:`Claim`.

        Parameters
        ----------
        channels : names, or names with the units that one has in mind
        name : str
            Of the bench, for people.
        outputs : names
            To follow; none: all.
        divisor : int
            Follow each so many steps.
        patience : float
            How long to wait until they are granted [s].
        yields : bool
            A stand-in: another bench may claim them at any time; they come back once they are free.
        """
        return Claim(self, channels, name, list(outputs), divisor, patience, yields)

    def stream(self, outputs: Sequence[str] = (), divisor: int = 1) -> Stream:
        """Follow outputs, none: all, each so many steps: see :class:`Stream`."""
        return Stream(self, list(outputs), divisor)


class _Lockstep:
    """The inputs of :meth:`Rig.step`."""

    def __init__(self, rig: Rig, inputs: Mapping[str, Any], before: _Lockstep | None) -> None:
        description = rig.describe()
        self.outputs = layout_of('output', description.outputs)
        self.names = list(dict.fromkeys([*(before.names if before else ()), *inputs]))
        self.layout = layout_of('input', description.inputs).select(self.names)
        self.values = self.layout.initial()
        if before is not None:
            self.layout.put(self.values, before.acting())
        self.token, self.number = (before.token if before else 0), time.time_ns()
        self.layout.put(self.values, inputs)  # what is refused claims nothing
        if self.names:
            wishes = [{'name': n} for n in self.names]
            self.token = rig._ask('claim', lambda c: c.claim.token, bench='python', channels=wishes, token=self.token,
                                  model_id=description.model_id)

    def acting(self) -> dict[str, Any]:
        return {name: self.layout.value(self.values, name) for name in self.names}

    def step(self, rig: Rig, steps: int, inputs: Mapping[str, Any]) -> Sample:
        self.layout.put(self.values, inputs)
        while steps > 0:
            n = min(steps, _STEPS_MAX)
            self.number += 1
            sample = None
            if self.names:
                sample = {'sequence': self.number, 'token': self.token, 'values': self.values.tolist()}
            result = rig._ask('step', lambda c: Sample(c.outputs, self.outputs), steps=n, number=self.number,
                              input=sample)
            steps -= n
        return result

    def release(self, rig: Rig) -> None:
        if self.token:
            try:
                rig._ask('release', lambda c: None, token=self.token)
            except (DaemonError, OSError):
                pass  # the lease ends by itself


def connect(endpoint: str = 'tcp://127.0.0.1:5600', *, timeout: float = 5.0, inputs: str | None = None,
            outputs: str | None = None, keys: Sequence[str] | None = None) -> Rig:
    """Connect to a daemon.

    Parameters
    ----------
    endpoint : str
        Of its control socket.
    timeout : float
        How long a request waits for its reply [s].
    inputs, outputs : str, optional
        Endpoints of the samples; by default the ports after that of @endpoint.
    keys : three str, optional
        CURVE keys: the daemon's public one, then this client's public and secret one.

    Raises
    ------
    NoAnswer
        Nobody is there.
    """
    rig = Rig(endpoint, timeout, inputs, outputs, Keys(*keys) if keys is not None else None)
    try:
        rig.status()
    except BaseException:
        rig.close()
        raise
    return rig
