# SPDX-License-Identifier: Apache-2.0
"""Values over time."""
from __future__ import annotations

import html
from typing import Any

import numpy as np

from .channels import Channel, Layout, name_columns

__all__ = ['Table']


class Table:
    """Channels over time, by name.

    ``table['angle']`` has one number a row, ``table['pose']`` of a vector one row of numbers, and ``table['pose.x']``
    is one component.

    Attributes
    ----------
    time : ndarray
        [s], one a row.
    values : ndarray
        Rows of all scalars, in the order of :attr:`columns`.
    channels : list of Channel
    """

    def __init__(self, time: np.ndarray, values: np.ndarray, layout: Layout) -> None:
        self.time = time
        self.values = values
        self._layout = layout

    @property
    def channels(self) -> list[Channel]:
        return self._layout.channels

    @property
    def columns(self) -> list[str]:
        """Names of all scalars: "angle", "pose.x"."""
        return [name for channel in self.channels for name in name_columns(channel)]

    @property
    def units(self) -> dict[str, str]:
        """Unit of each scalar, by its name in :attr:`columns`."""
        units = [unit for channel in self.channels for unit in channel.units]
        return dict(zip(self.columns, units))

    def __getitem__(self, name: str) -> np.ndarray:
        columns = self.columns
        if name in columns:
            return self.values[:, columns.index(name)]
        return self._layout.value(self.values, name)

    def __contains__(self, name: object) -> bool:
        return name in self._layout.by_name or name in self.columns

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f', {self.time[0]:g} s to {self.time[-1]:g} s' if len(self) else ''
        return f'<linkage.Table of {len(self)} rows{span}: {", ".join(self.columns)}>'

    def _repr_html_(self) -> str:
        """For notebooks: what each column is, and how far it goes."""
        rows = ''
        for name, unit in self.units.items():
            column = self[name]
            numbers = (column.min(), column.max(), column[-1]) if len(self) else ()
            cells = ''.join(f'<td>{number:.6g}</td>' for number in numbers)
            rows += f'<tr><td>{html.escape(name)}</td><td>{html.escape(unit)}</td>{cells}</tr>'
        return ('<table><tr><th>output</th><th>unit</th><th>least</th><th>largest</th><th>last</th></tr>'
                f'{rows}</table><p>{html.escape(repr(self).partition(":")[0].strip("<"))}</p>')

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with the time as its index; needs pandas."""
        import pandas
        return pandas.DataFrame(self.values, columns=self.columns, index=pandas.Index(self.time, name='time'))

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Draw channels over time, those of one unit together; needs matplotlib.

        Parameters
        ----------
        *names : str
            Channels or components; none: all.
        axes : sequence of matplotlib axes, optional
            One for each unit. By default a figure is made, which a notebook shows.

        Returns
        -------
        ndarray of matplotlib axes
        """
        import matplotlib.pyplot as pyplot

        units, wanted = self.units, names or [c.name for c in self.channels]
        groups: dict[str, list[str]] = {}
        for name in wanted:
            columns = name_columns(self._layout.by_name[name]) if name in self._layout.by_name else [name]
            for column in columns:
                if column not in units:
                    self._layout.find(name)  # raises
                groups.setdefault(units[column], []).append(column)
        if axes is None:
            _, axes = pyplot.subplots(len(groups), 1, sharex=True, squeeze=False, layout='constrained',
                                      figsize=(8, 1 + 2 * len(groups)))
            axes = axes[:, 0]
        axes = np.atleast_1d(axes)
        if len(axes) != len(groups):
            raise ValueError(f'{len(axes)} axes for {len(groups)} units, expected one for each')
        for ax, (unit, columns) in zip(axes, groups.items()):
            for column in columns:
                ax.plot(self.time, self[column], label=column)
            ax.set_ylabel(f'[{unit}]')
            ax.legend(loc='best')
        axes[-1].set_xlabel('time [s]')
        return axes
