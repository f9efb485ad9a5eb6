# SPDX-License-Identifier: Apache-2.0
"""Small motions of a system about its start: liblinkage-analysis, see ``linkage/modes.h``."""
from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from ._library import core, ffi, get_analysis, text_of
from .errors import ModelError


class Mode(NamedTuple):
    """An eigenvalue of A with its motion.

    ``eigenvalue`` [1/s], of a pair that with a positive imaginary part; ``frequency`` of the undamped motion [Hz];
    ``damping``: 1 and more: it does not swing; ``shape``: of each coordinate, the largest motion of a body being 1.
    """

    eigenvalue: complex
    frequency: float
    damping: float
    shape: np.ndarray


class Linear(NamedTuple):
    """x' = A x + B u, y = C x + D u about the start, SI units.

    x: a displacement of each of the ``coordinates``, then their rates, then states of blocks; u: inputs, y: outputs, in
    the order of the columns of :attr:`System.input_channels` and ``output_channels``. ``mass``: matrix of the
    coordinates; ``motion``: of each coordinate a row: shift of each centre of mass and turn of each body, world axes, for
    a unit of it. ``unrest``: largest acceleration of a coordinate at the start: 0 in equilibrium. ``modes``: the slowest
    one first.
    """

    coordinates: list[str]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    mass: np.ndarray
    motion: np.ndarray
    unrest: float
    modes: list[Mode]


def _matrix(pointer, rows: int, columns: int) -> np.ndarray:
    if rows * columns == 0:
        return np.zeros((rows, columns))
    return np.frombuffer(ffi.buffer(pointer, 8 * rows * columns)).reshape(rows, columns).copy()


def _refuse(code: int, line: str) -> None:
    if code > 0:
        raise ModelError(line)
    if code == -22:
        raise ValueError('the system lacks rows, or its numbers are not finite; expected System(..., all_rows=True)')
    raise OSError(-code, os.strerror(-code))


def _modes_of(library, linear) -> list[Mode]:
    found = ffi.new('struct lk_mode **')
    n = library.lk_modes_find(linear, found)
    if n < 0:
        raise ModelError('the eigenvalues of the linear system were not found to 1e-10')
    modes = []
    for mode in found[0][0:n]:
        shape = _matrix(mode.shape, linear.n_motions, 2)
        modes.append(Mode(complex(mode.re, mode.im), mode.frequency, mode.damping, shape[:, 0] + 1j * shape[:, 1]))
    library.lk_modes_free(found[0], n)
    return modes


def linearise(system, at_rest: bool) -> Linear:
    """The work of :meth:`System.linearise`; @system: of C."""
    library, error, linear = get_analysis(), ffi.new('struct lk_error *'), ffi.new('struct lk_linear *')
    code = library.lk_linear_init(system, at_rest, linear, error)
    if code != 0:
        _refuse(code, text_of(error.text))
    f, n, u, y = linear.n_motions, linear.n_states, linear.n_inputs, linear.n_outputs
    text = ffi.new('char[]', 256)
    try:
        return Linear([text_of(library.lk_free_coordinate_text(system, linear.coordinate[i], text, 256)) for i in range(f)],
                      _matrix(linear.A, n, n), _matrix(linear.B, n, u), _matrix(linear.C, y, n), _matrix(linear.D, y, u),
                      _matrix(linear.mass, f, f), _matrix(linear.motion, f, 6 * linear.n_bodies), linear.unrest,
                      _modes_of(library, linear))
    finally:
        library.lk_linear_fini(linear)


class Mobility(NamedTuple):
    """Rank of the rigid rows in the present pose.

    ``dof``: degrees of freedom; ``redundant``: rows that depend on others, ``joints``: that take part in a dependence;
    ``coordinates``: one choice of as many as degrees of freedom.
    """

    dof: int
    redundant: int
    driven: int
    joints: list[str]
    coordinates: list[str]


def mobility(system) -> Mobility:
    """The work of :meth:`System.mobility`; @system: of C."""
    library, c = get_analysis(), ffi.new('struct lk_mobility *')
    code = library.lk_mobility_init(system, c)
    if code != 0:
        _refuse(code, 'the loops have too many rows for dense matrices')
    text = ffi.new('char[]', 256)
    names = [text_of(core.lk_system_joint_name(system, c.joints[i])) for i in range(c.n_joints)]
    coordinates = [text_of(library.lk_free_coordinate_text(system, c.coordinates[i], text, 256))
                   for i in range(c.n_coordinates if c.coordinates else 0)]
    result = Mobility(c.dof, c.n_redundant, c.n_driven, names, coordinates)
    library.lk_mobility_fini(c)
    return result
