# SPDX-License-Identifier: Apache-2.0
"""Samples of outputs, and streams of them."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np

from ._library import ffi, get_client, text_of
from .channels import Channel, Layout
from .errors import DaemonError, NoAnswer, Refused
from .messages import Message, read
from .table import Table

if TYPE_CHECKING:
    from .rig import Rig

__all__ = ['Sample', 'Stream', 'fail', 'layout_of']


class Sample:
    """Outputs after a step: ``sample['angle']``.

    Attributes
    ----------
    step : int
        Steps since the start.
    time : float
        Simulated time [s].
    state, mode : str
        Of the daemon: "running" ...; "realtime", "lockstep", "asap".
    flags : int
        Bits of ``Flag`` of ``linkage.proto``: 1 degraded, 2 stale, 4 tripped and so on.
    overruns : int
        Cycles since the start that ended late.
    sequence : int
        Of publication; a gap is a lost sample.
    values : ndarray
        All of them.
    """

    __slots__ = ('_layout', 'flags', 'mode', 'overruns', 'sequence', 'state', 'step', 'time', 'values')

    def __init__(self, c, layout: Layout) -> None:
        self._layout = layout
        self.step, self.time, self.sequence = c.step, c.time_s, c.sequence
        self.state = text_of(get_client().lk_client_state_name(c.state))
        self.mode = text_of(get_client().lk_names_mode(c.mode))
        self.flags, self.overruns = c.flags, c.overruns
        self.values = np.array(np.frombuffer(ffi.buffer(c.values, 8 * c.n_values))) if c.n_values else np.empty(0)

    def __getitem__(self, name: str) -> Any:
        return self._layout.value(self.values, name)

    def to_dict(self) -> dict[str, Any]:
        """Values by name."""
        return {c.name: self[c.name] for c in self._layout.channels}

    def __repr__(self) -> str:
        return f'<linkage.Sample of step {self.step}, {self.time:g} s, {self.state}>'


def layout_of(kind: str, channels: Sequence[Message]) -> Layout:
    """Channels as the daemon describes them."""
    return Layout(kind, [Channel(c.name, len(c.components), c.offset, tuple(c.components), tuple(c.units), c.type,
                                 c.frame, c.low, c.high, c.rate, c.initial, c.ahead_s) for c in channels])


def fail(code: int, text: str) -> None:
    """Raise what a code of the client library means."""
    client = get_client()
    if code < 0:
        raise OSError(-code, os.strerror(-code))
    if code in (client.LK_CLIENT_E_NO_ANSWER, client.LK_CLIENT_E_SILENT, client.LK_CLIENT_E_BUSY):
        raise NoAnswer(text or 'the daemon does not answer in time')
    raise DaemonError(text or f'the client library says {code}')


class Stream:
    """Outputs that are followed, one sample after the other: an iterator that ends when none comes for a second."""

    def __init__(self, rig: Rig, outputs: list[str], divisor: int) -> None:
        self._lib, self._rig = rig._lib, rig
        names = [ffi.new('char[]', n.encode()) for n in outputs]
        made = ffi.new('struct lk_client_stream **')
        with rig._lock:
            code = self._lib.lk_client_stream_open(rig._begin(), rig.outputs_endpoint.encode(),
                                                   ffi.new('char *[]', names), len(names), divisor, made, rig._error)
            if code == self._lib.LK_CLIENT_E_REFUSED:
                raise Refused(text_of(rig._error.text), 'refused')
            if code != 0:
                fail(code, text_of(rig._error.text))
        self._c = made[0]
        self._layout = layout_of('output', read(self._lib.lk_client_stream_meaning(self._c)).channels)
        rig._children.append(self)

    @property
    def channels(self) -> list[Channel]:
        return self._layout.channels

    def receive(self, timeout: float = 1.0) -> Sample:
        """The next sample.

        Raises
        ------
        NoAnswer
            There is none in time.
        DaemonError
            Another model was loaded, or the daemon was started anew: open another stream.
        """
        if not self._c:
            raise ValueError('the stream is closed')
        sample = ffi.new('Linkage__V1__OutputSample **')
        code = self._lib.lk_client_stream_receive(self._c, int(1e3 * timeout), ffi.NULL, sample)
        if code == self._lib.LK_CLIENT_E_CHANGED:
            raise DaemonError('another model was loaded, or the daemon was started anew, expected a new stream')
        if code != 0:
            fail(code, f'no sample in {timeout:g} s')
        return Sample(sample[0], self._layout)

    def read(self, n: int, timeout: float = 1.0) -> Table:
        """The next @n samples as a table; fewer where none comes for @timeout."""
        samples = []
        while len(samples) < n:
            try:
                samples.append(self.receive(timeout))
            except NoAnswer:
                break
        return Table(np.array([s.time for s in samples]),
                     np.array([s.values for s in samples]).reshape(len(samples), self._layout.size), self._layout)

    def __iter__(self) -> Iterator[Sample]:
        while self._c:
            try:
                yield self.receive()
            except NoAnswer:
                return

    def close(self) -> None:
        """Follow no longer."""
        c, self._c = self._c, None
        if c:
            self._lib.lk_client_stream_close(c)
        if self in self._rig._children:
            self._rig._children.remove(self)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
