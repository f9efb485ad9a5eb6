# SPDX-License-Identifier: Apache-2.0
"""Named inputs and outputs, and vectors of their values."""
from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple

import numpy as np

__all__ = ['Channel', 'Layout', 'name_columns']


class Channel(NamedTuple):
    """A named input or output of a model.

    Attributes
    ----------
    name : str
    size : int
        Scalars.
    offset : int
        Index of the first one among all inputs, or all outputs.
    components, units : tuple of str
        Of each scalar; the component of a channel of one scalar is "".
    type, frame : str
        As in the model file; axes of its vectors.
    low, high, rate : float
        Limits of an input and of its change a second; infinite where there are none.
    initial : float
        Of an input before the first value.
    ahead : float
        By how much an output is predicted [s].
    """

    name: str
    size: int
    offset: int
    components: tuple[str, ...]
    units: tuple[str, ...]
    type: str = ''
    frame: str = ''
    low: float = -np.inf
    high: float = np.inf
    rate: float = np.inf
    initial: float = 0.0
    ahead: float = 0.0


def name_columns(channel: Channel) -> list[str]:
    """Names of its scalars: "angle", or "pose.x" and so on."""
    return [channel.name + ('.' if c else '') + c for c in channel.components]


class Layout:
    """Channels in a vector of values."""

    def __init__(self, kind: str, channels: Iterable[Channel]) -> None:
        self.kind = kind
        self.channels = list(channels)
        self.by_name = {c.name: c for c in self.channels}
        self.size = sum(c.size for c in self.channels)

    def find(self, name: str) -> Channel:
        """Raises KeyError with the names that there are."""
        try:
            return self.by_name[name]
        except KeyError:
            names = ', '.join(self.by_name) or 'none'
            raise KeyError(f"'{name}' is no {self.kind}, expected one of: {names}") from None

    def select(self, names: Iterable[str]) -> Layout:
        """Some channels, one behind the other."""
        chosen, offset = [], 0
        for name in names:
            channel = self.find(name)
            chosen.append(channel._replace(offset=offset))
            offset += channel.size
        return Layout(self.kind, chosen)

    def value(self, values: np.ndarray, name: str) -> Any:
        """The values of a channel along the last axis: a vector has one more axis than a scalar."""
        channel = self.find(name)
        if channel.size == 1:
            return values[..., channel.offset][()]
        return values[..., channel.offset:channel.offset + channel.size]

    def initial(self) -> np.ndarray:
        """A vector of initial values."""
        values = np.zeros(self.size)
        for channel in self.channels:
            values[channel.offset:channel.offset + channel.size] = channel.initial
        return values

    def put(self, values: np.ndarray, wanted: Mapping[str, Any]) -> None:
        """Set channels in @values, which has the rows of time first, if any; all or none.

        Raises ValueError for a shape that does not fit, what is not finite, and what is beyond the limits."""
        ready = [(self.find(name), self.fit(name, value, values.shape[:-1])) for name, value in wanted.items()]
        for channel, value in ready:
            values[..., channel.offset:channel.offset + channel.size] = value

    def fit(self, name: str, value: Any, rows: tuple[int, ...]) -> np.ndarray:
        """@value in the shape of @rows and the channel's scalars."""
        channel = self.find(name)
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"{self.kind} '{name}' is {value!r}, expected numbers") from None
        # one scalar may come with or without an axis of its own
        if channel.size == 1 and array.shape in ((), rows):
            array = array[..., np.newaxis]
        if array.shape not in ((channel.size,), (1,), rows + (channel.size,)):
            raise ValueError(f"{self.kind} '{name}' has the shape {array.shape}, expected "
                             f"{' or '.join(self.shapes(channel, rows))}")
        if not np.isfinite(array).all():
            raise ValueError(f"{self.kind} '{name}' is {array[~np.isfinite(array)][0]}, expected finite numbers")
        beyond = (array < channel.low) | (array > channel.high)
        if beyond.any():
            raise ValueError(f"{self.kind} '{name}' is {array[beyond][0]:g}, the model limits it to {channel.low:g} "
                             f"to {channel.high:g} {channel.units[0]}")
        return array

    @staticmethod
    def shapes(channel: Channel, rows: tuple[int, ...]) -> list[str]:
        """Those that :meth:`fit` takes, in words."""
        if channel.size == 1:
            return ['a number'] + [str(rows)] * bool(rows)
        return [f'({channel.size},)'] + [str(rows + (channel.size,))] * bool(rows)
