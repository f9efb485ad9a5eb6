# SPDX-License-Identifier: Apache-2.0
"""Multibody mechanisms, stepped here or by a daemon in real time.

    >>> import linkage
    >>> system = linkage.System('four-bar.yaml')           # doctest: +SKIP
    >>> table = system.run(2.0, inputs={'motor': 0.5})     # doctest: +SKIP
    >>> table['angle'], table.units['angle']               # doctest: +SKIP
    >>> rig = linkage.connect('tcp://127.0.0.1:5600')      # doctest: +SKIP

The library makes the steps: numbers are those of ``linkage run``, bit for bit. Everything is SI, world frame unless
said otherwise, quaternions are (w, x, y, z).
"""
from .analysis import Linear, Mobility, Mode
from .channels import Channel
from .claim import Claim
from .errors import DaemonError, LinkageError, ModelError, NoAnswer, Refused, StateError, StepError
from .model import BodyState, Health, Model, Parameter, Summary, System, build_id
from .recordings import read_recording
from .rig import Rig, connect
from .samples import Sample, Stream
from .table import Table

__all__ = ['BodyState', 'Channel', 'Claim', 'DaemonError', 'Health', 'Linear', 'LinkageError', 'Mobility', 'Mode', 'Model', 'ModelError',
           'NoAnswer', 'Parameter', 'Refused', 'Rig', 'Sample', 'StateError', 'StepError', 'Stream', 'Summary', 'System', 'Table', 'build_id',
           'connect', 'read_recording']
