# SPDX-License-Identifier: Apache-2.0
"""Daemons for tests. With ``pytest_plugins = ['linkage.testing']`` in a ``conftest.py`` a test asks for one by name:

    def test_swing(linkage_daemon):
        rig = linkage_daemon.connect()
        rig.load('crane.yaml')
        rig.arm('lockstep')
        rig.start()
        assert rig.step(1000, {'motor': 5})['travel'] > 0
"""
from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Iterator

from .errors import DaemonError, NoAnswer
from .rig import Rig, connect

__all__ = ['Daemon', 'linkage_daemon']

_PATIENCE = 60.0  # [s]


class Daemon:
    """A daemon of its own in a folder of its own, in lockstep unless a test says otherwise; a ``with`` statement ends
    it. It needs no rights, and no port.

    Parameters
    ----------
    config : str
        Further sections of its configuration, in YAML.
    mode : str
        Of its runs.
    program : str, optional
        Otherwise $LINKAGED_PROGRAM, or ``linkaged`` in the path.

    Attributes
    ----------
    folder : Path
        Where it writes: ``linkaged.log``, and recordings.
    """

    def __init__(self, config: str = '', *, mode: str = 'lockstep', program: str | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix='linkage-')
        self.folder = Path(self._folder.name)
        self._rigs: list[Rig] = []
        self._endpoints = {name: f'ipc://{self.folder}/{name}' for name in ('control', 'inputs', 'outputs')}
        endpoints = ', '.join(f'{name}: "{at}"' for name, at in self._endpoints.items())
        (self.folder / 'linkaged.yaml').write_text(
            f'linkaged: 1\nendpoints: {{{endpoints}}}\nmode: {mode}\n'
            'realtime: {degraded: allow, priority: 0, core: none, lock_memory: false}\n'
            f'record: {{directory: "{self.folder}"}}\n{config}\n')
        program = program or os.environ.get('LINKAGED_PROGRAM', 'linkaged')
        with open(self.folder / 'linkaged.log', 'wb') as log:
            self._process = subprocess.Popen([program, '--config', str(self.folder / 'linkaged.yaml')], stdout=log,
                                             stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            self._await()
        except BaseException:
            self.close()
            raise

    def _await(self) -> None:
        end = time.monotonic() + _PATIENCE
        while True:
            if self._process.poll() is not None:
                raise DaemonError(f'linkaged ended with {self._process.returncode}: {self.log.strip()}')
            try:
                connect(self._endpoints['control'], timeout=0.5).close()
                return
            except NoAnswer:
                if time.monotonic() > end:
                    raise

    @property
    def log(self) -> str:
        """What it has said so far."""
        return (self.folder / 'linkaged.log').read_text(errors='replace')

    def connect(self, timeout: float = _PATIENCE) -> Rig:
        """A connection to it, which ends with it at the latest."""
        rig = connect(self._endpoints['control'], timeout=timeout, inputs=self._endpoints['inputs'],
                      outputs=self._endpoints['outputs'])
        self._rigs.append(rig)
        return rig

    def close(self) -> None:
        """End it."""
        for rig in self._rigs:
            rig.close()
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _linkage_daemon() -> Iterator[Daemon]:
    """A daemon in lockstep, for one test."""
    with Daemon() as daemon:
        yield daemon


try:
    import pytest
except ImportError:  # Daemon serves without it
    linkage_daemon = _linkage_daemon
else:
    linkage_daemon = pytest.fixture(name='linkage_daemon')(_linkage_daemon)
