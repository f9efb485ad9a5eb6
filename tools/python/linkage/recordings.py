# SPDX-License-Identifier: Apache-2.0
"""Recordings of the daemon, read by ``linkage export``."""
from __future__ import annotations

import csv
import os
import re
import subprocess
import tempfile

import numpy as np

from .channels import Channel, Layout
from .errors import LinkageError
from .table import Table

__all__ = ['read_recording']


def _layout(header: list[str]) -> Layout:
    """Columns "pose.x [m]" as channels: neighbours with the same name in front of the last point are one."""
    channels: list[Channel] = []
    for offset, column in enumerate(header):
        name, unit = re.fullmatch(r'(.*?)(?: \[([^\]]*)\])?', column).groups()
        name, component = name.rsplit('.', 1) if '.' in name else (name, '')
        if component and channels and channels[-1].name == name and channels[-1].components[0]:
            last = channels[-1]
            channels[-1] = last._replace(size=last.size + 1, components=last.components + (component,),
                                         units=last.units + (unit or '',))
        else:
            channels.append(Channel(name, 1, offset, (component,), (unit or '',)))
    return Layout('column', channels)


def read_recording(path: str | os.PathLike, topic: str = 'outputs') -> Table:
    """A topic of a recording.

    Parameters
    ----------
    path : str or path
        An MCAP file of the daemon.
    topic : str
        "outputs", "inputs", "cycle", or what else ``linkage info`` lists.

    Returns
    -------
    Table
        Every bit as it was recorded. Its ``time`` is the simulated time of each cycle.

    Raises
    ------
    LinkageError
        The file cannot be read. The program ``linkage`` has to be in the path, or named by $LINKAGE_PROGRAM.
    """
    program = os.environ.get('LINKAGE_PROGRAM', 'linkage')
    file_name = os.fsdecode(path)
    file_name = './' + file_name if file_name.startswith('-') else file_name   # no option
    with tempfile.NamedTemporaryFile('r', suffix='.csv', newline='') as file:
        try:
            run = subprocess.run([program, 'export', file_name, '--topic', topic, '--output', file.name],
                                 capture_output=True, text=True)
        except OSError as error:
            raise LinkageError(f'{program}: {error.strerror}, expected the program linkage in the path') from None
        if run.returncode != 0:
            raise LinkageError(run.stderr.strip() or f'linkage export ends with {run.returncode}')
        header = next(csv.reader(file))
        is_first_time = header[0] == 'time [s]'
        layout = _layout(header[1:] if is_first_time else header)
        values = np.loadtxt(file, delimiter=',', ndmin=2).reshape(-1, len(header))
    if is_first_time:
        return Table(values[:, 0].copy(), values[:, 1:], layout)
    return Table(layout.value(values, 'time').copy(), values, layout)
