# SPDX-License-Identifier: Apache-2.0
"""Models and systems that step them."""
from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from . import analysis
from ._library import core, ffi, text_of
from .channels import Channel, Layout
from .errors import ModelError, StateError, StepError
from .table import Table

__all__ = ['BodyState', 'Health', 'Model', 'Parameter', 'Summary', 'System', 'build_id']

_CHUNK = 1024  # steps of one call: between two of them Ctrl-C is heard
_FAULTS = {
    core.LK_E_NOT_FINITE: 'gives no finite state',
    core.LK_E_TURN: 'turns a body by more than half a turn, expected a shorter step',
    core.LK_E_BENT: 'bends a modal body by more than its modes describe, expected smaller loads, or a beam',
    core.LK_E_SINGULAR: 'has no solution in this pose by this formulation',
}


class BodyState(NamedTuple):
    """State of a body: centre of mass [m], unit quaternion (w, x, y, z) body to world, velocity [m/s], angular
    velocity [rad/s], and their rates. Angular ones are in body axes, all others in the world's."""

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    acceleration: np.ndarray
    angular_acceleration: np.ndarray


class Health(NamedTuple):
    """Violation of the joints and energies [J], as of the last step; ``struct lk_health`` says more."""

    residual_position: float
    residual_velocity: float
    residual_acceleration: float
    increment: float
    kinetic: float
    potential: float
    work_input: float
    work_drive: float
    work_applied: float
    dissipated: float
    port_gap: float
    taken: float


class Parameter(NamedTuple):
    """A parameter that the model names.

    Attributes
    ----------
    name, unit : str
    value, low, high : float
        The value, and its limits; infinite where there are none.
    acts : tuple of str
        Paths of the numbers that it sets.
    is_tunable : bool
        It is also an input channel of this name.
    """

    name: str
    unit: str
    value: float
    low: float
    high: float
    acts: tuple[str, ...]
    is_tunable: bool


class Summary(NamedTuple):
    """Figures of a compiled model, see ``struct lk_summary``."""

    n_bodies: int
    n_joints: int
    n_split: int
    n_parts: int
    n_in_plane: int
    n_rows_rigid: int
    n_rows_compliant: int
    n_sways: int
    n_blocks: int
    n_block_states: int
    tree_depth: int
    tree_fronts: int
    largest_front: int
    iterations: int
    order: int
    step_flops: float
    memory: int
    total_mass: float
    assembly_gap: float
    velocity_change: float


def build_id() -> str:
    """The build of the library, of which the last bits of a motion depend."""
    return text_of(core.lk_build_id())


def _raise(code: int, *lines: str) -> None:
    if code < 0:
        raise OSError(-code, os.strerror(-code))
    if code == core.LK_E_STATE:
        raise StateError(lines[0])
    raise ModelError(*lines)


def is_text(source: str | os.PathLike) -> bool:
    """Whether a model is given as its text rather than the path of its file: a text has lines."""
    return isinstance(source, str) and '\n' in source


def _settings_of(params: Mapping[str, float] | None):
    """Settings in C, and the paths that they point to."""
    paths = [ffi.new('char[]', path.encode()) for path in params or ()]
    return ffi.new('struct lk_setting[]', list(zip(paths, map(float, (params or {}).values())))), paths


def text_to_send(source: str | os.PathLike, params: Mapping[str, float] | None):
    """The text of a model file and the params to send with it: a model of parts as its flat text, which has them."""
    text = Path(source).read_bytes()
    if not core.lk_model_has_parts(text, len(text)):
        return text, params
    settings, paths = _settings_of(params)
    errors, flat = ffi.new('struct lk_errors *'), ffi.new('char **')
    size, is_flat = ffi.new('size_t *'), ffi.new('int *')
    code = core.lk_model_text(os.fsencode(source), settings, len(paths), is_flat, flat, size, errors)
    if code != 0:
        _raise(code, *[text_of(errors.line[i].text) for i in range(errors.n)] or ['the model is refused'])
    return bytes(ffi.buffer(ffi.gc(flat[0], core.free), size[0])), None


class Model:
    """What a model file says; it does not change.

    Parameters
    ----------
    source : str or path
        Path of a model file, or its text: a str with more than one line.
    params : mapping, optional
        Values for parameters that the model names, and for any of its numbers by path:
        ``{'bodies.arm.mass': 2.5, 'gravity.3': -1.62}``.
    name : str, optional
        How messages call a text.
    folder : str or path, optional
        Where files that a text names (of roads) are; by default it may name none. Those of a file are beside it.

    Raises
    ------
    ModelError
        ``lines`` has all that is wrong.
    """

    def __init__(self, source: str | os.PathLike, params: Mapping[str, float] | None = None, *, name: str = 'text',
                 folder: str | os.PathLike | None = None) -> None:
        made, errors = ffi.new('struct lk_model **'), ffi.new('struct lk_errors *')
        settings, paths = _settings_of(params)
        if is_text(source):
            text = source.encode()
            code = core.lk_model_read_text_with(os.fsencode(folder) if folder is not None else ffi.NULL,
                                                name.encode(), text, len(text), settings, len(paths), made, errors)
        else:
            code = core.lk_model_read_file_with(os.fsencode(source), settings, len(paths), made, errors)
        if code != 0:
            _raise(code, *[text_of(errors.line[i].text) for i in range(errors.n)] or ['the model is refused'])
        self._c = ffi.gc(made[0], core.lk_model_free)

    @property
    def name(self) -> str:
        return text_of(core.lk_model_name(self._c))

    @property
    def parameters(self) -> list[Parameter]:
        """Those that the model names."""
        n = ffi.new('int *')
        c = core.lk_model_parameters(self._c, n)
        return [Parameter(text_of(c[i].name), text_of(c[i].unit), c[i].value, c[i].low, c[i].high,
                          tuple(text_of(c[i].acts).split()), bool(c[i].is_tunable)) for i in range(n[0])]

    def __repr__(self) -> str:
        return f'<linkage.Model {self.name}>'


def _read_channels(kind: str, read, system) -> Layout:
    n = ffi.new('int *')
    c = read(system, n)
    return Layout(kind, [Channel(text_of(c[i].name), c[i].size, c[i].offset,
                                 tuple(text_of(c[i].component[k]) for k in range(c[i].size)),
                                 tuple(text_of(c[i].unit[k]) for k in range(c[i].size)),
                                 text_of(c[i].type), text_of(c[i].frame), c[i].low, c[i].high, c[i].rate,
                                 c[i].initial, c[i].ahead) for i in range(n[0])])


def _pointer(array: np.ndarray):
    return ffi.cast('double *', array.ctypes.data)


def _callback_of(function: Callable[[float, float], Any], failed: list[BaseException]) -> Any:
    """A function of C that calls one of Python; what this raises goes into @failed, and the step has no result."""
    def evaluate(_: Any, value: float, rate: float, ret: Any) -> None:
        try:
            result = function(value, rate)
            if np.ndim(result) == 0:
                dx, dv = 1e-6 * max(1, abs(value)), 1e-6 * max(1, abs(rate))
                result = (result, (result - function(value + dx, rate)) / dx,
                          (result - function(value, rate + dv)) / dv)
            ret.force, ret.stiffness, ret.damping = result
        except BaseException as error:  # pylint: disable=broad-except # nothing of Python may pass through C
            failed[:] = failed[:1] or [error]
            ret.force = float('nan')
    return ffi.callback('void(void *, double, double, struct lk_callback_force *)', evaluate)


class System:
    """A compiled model and its state.

    Steps run in C with the interpreter's lock released: systems of several threads run at the same time. A system
    belongs to one thread at a time; a second one gets a RuntimeError.

    Parameters
    ----------
    model : Model, or str or path
        A path or a text as of :class:`Model`.
    params : mapping, optional
        With a path or a text: as of :class:`Model`.
    step : float, optional
        Step size [s].
    iterations, order : int, optional
    engine : str, optional
        What executes the steps, see ``lk_system_engine()``; the last bits depend on it.
    equilibrium : bool
        The start is a static equilibrium.
    all_rows : bool
        No planar reduction: joints of bodies that cannot tilt keep all their rows. The last bits are then not those of
        ``linkage run``.
    forces : mapping, optional
        A function ``force(value, rate)`` for each force of type ``callback`` in the model, by its name: the force
        [N or N m] on the second body of its joint, at a value of its coordinate [m or rad] and its rate. It is called
        several times in a step, in the iterations. What it returns is the force, or the force with its stiffness and
        its damping, by which it falls with value and rate; of a force alone these are found by differences.
    reactions : sequence of str
        Joints whose :meth:`reaction` is wanted: they keep the rows that it needs, as those do that an output shows.

    All that is left out is as the model says.

    Attributes
    ----------
    input_channels, output_channels : list of Channel

    Examples
    --------
    >>> system = System('four-bar.yaml')                # doctest: +SKIP
    >>> table = system.run(2.0, inputs={'motor': 0.5})  # doctest: +SKIP
    """

    def __init__(self, model: Model | str | os.PathLike, params: Mapping[str, float] | None = None, *,
                 step: float | None = None, iterations: int | None = None, order: int | None = None,
                 engine: str | None = None, equilibrium: bool = False, all_rows: bool = False,
                 reactions: Sequence[str] = (),
                 forces: Mapping[str, Callable[[float, float], Any]] | None = None) -> None:
        if not isinstance(model, Model):
            model = Model(model, params)
        elif params is not None:
            raise TypeError('params are of the model, expected them where it is made')
        word = ffi.new('char[]', engine.encode()) if engine is not None else ffi.NULL
        names = [ffi.new('char[]', name.encode()) for name in reactions]
        list_of_names = ffi.new('char *[]', names + [ffi.NULL])
        options = ffi.new('struct lk_options *', {'step': step or 0, 'iterations': iterations or 0,
                                                  'order': order or 0, 'engine': word, 'equilibrium': equilibrium,
                                                  'all_rows': all_rows, 'reactions': list_of_names})
        self._failed: list[BaseException] = []
        self._forces = [(ffi.new('char[]', name.encode()), _callback_of(function, self._failed))
                        for name, function in (forces or {}).items()]
        callbacks = ffi.new('struct lk_callback[]', len(self._forces) + 1)
        for callback, (name, function) in zip(callbacks, self._forces):
            callback.force, callback.evaluate = name, function
        options.callbacks = callbacks
        made, error = ffi.new('struct lk_system **'), ffi.new('struct lk_error *')
        code = core.lk_system_new(model._c, options, made, error)
        self._c = ffi.gc(made[0], core.lk_system_free) if code == 0 else ffi.NULL
        if self._failed:
            raise self._failed.pop()
        if code != 0:
            _raise(code, text_of(error.text))
        self._lock = threading.Lock()
        self.name = model.name
        self._in = _read_channels('input', core.lk_system_input_channels, self._c)
        self._out = _read_channels('output', core.lk_system_output_channels, self._c)
        self.input_channels, self.output_channels = self._in.channels, self._out.channels
        self._held = self._in.initial()

    def __repr__(self) -> str:
        return f'<linkage.System {self.name} at {self.time:g} s>'

    @contextmanager
    def _mine(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError('another thread uses this system, expected one thread at a time')
        try:
            yield
        finally:
            self._lock.release()
            if self._failed:  # in a function of the caller
                raise self._failed.pop()

    # ---- time ----

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return core.lk_system_time(self._c)

    @property
    def step_size(self) -> float:
        """[s]"""
        return core.lk_system_step_size(self._c)

    @property
    def step_count(self) -> int:
        """Steps since the start."""
        return core.lk_system_step_count(self._c)

    # ---- inputs and outputs ----

    @property
    def inputs(self) -> dict[str, Any]:
        """The values that act in further steps, by name."""
        return {c.name: np.copy(self._in.value(self._held, c.name))[()] for c in self.input_channels}

    def set(self, inputs: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """Set inputs, by name; they act in all further steps. None is set where one is refused.

        Raises
        ------
        KeyError, ValueError
            There is no such input; a value is not finite, or beyond the limits that the model gives.
        """
        self._in.put(self._held, {**(inputs or {}), **more})

    @property
    def outputs(self) -> dict[str, Any]:
        """The outputs of the present state by name: numbers, and arrays of the vectors."""
        values = np.empty(self._out.size)
        with self._mine():
            core.lk_system_outputs(self._c, _pointer(values))
        return {c.name: self._out.value(values, c.name) for c in self.output_channels}

    # ---- steps ----

    def step(self, inputs: Mapping[str, Any] | None = None) -> None:
        """One step, with inputs as of :meth:`set`."""
        self.set(inputs)
        self._advance(1, self._held, 0, 0, np.empty(0), np.empty((0, 0)), 0)

    def run(self, duration: float | None = None, *, steps: int | None = None,
            inputs: Mapping[str, Any] | None = None, every: int = 1) -> Table:
        """Many steps, in C.

        Parameters
        ----------
        duration : float
            [s], rounded to whole steps. Or
        steps : int
        inputs : mapping, optional
            By name: a value, which acts in all steps; an array with a row for each step; or a function of the time
            at the begin of a step. The values of the last step stay. Rates of change are the caller's.
        every : int
            Of so many steps one row.

        Returns
        -------
        Table
            The present state, and that after each @every steps: what ``linkage run`` writes, bit for bit.

        Raises
        ------
        StepError
            Its ``table`` has the rows up to the step that has no result.
        """
        n = self._count(duration, steps)
        if every != int(every) or every < 1:
            raise ValueError(f'every is {every}, expected a whole number from 1 on')
        rows = self._rows(n, inputs or {})
        times, values = np.empty(1 + n // every), np.empty((1 + n // every, self._out.size))
        with self._mine():
            times[0] = self.time
            core.lk_system_outputs(self._c, _pointer(values))
        table = Table(times, values, self._out)
        try:
            self._advance(n, rows, rows.shape[-1] if rows.ndim > 1 else 0, every, times, values, 1)
        except StepError as error:
            n_rows = 1 + int(round((error.time - times[0]) / self.step_size)) // every
            error.table = Table(times[:n_rows], values[:n_rows], self._out)
            raise
        if n > 0:
            self._held = np.array(rows[-1] if rows.ndim > 1 else rows)
        return table

    def _count(self, duration: float | None, steps: int | None) -> int:
        if (duration is None) == (steps is None):
            raise TypeError('run takes a duration or steps, expected one of them')
        if steps is not None:
            if steps != int(steps) or steps < 0:
                raise ValueError(f'steps is {steps}, expected a whole number from 0 on')
            return int(steps)
        if not 0 <= duration < float('inf'):
            raise ValueError(f'duration is {duration}, expected seconds from 0 on')
        return int(duration / self.step_size + 0.5)

    def _rows(self, n: int, inputs: Mapping[str, Any]) -> np.ndarray:
        """One row for all steps where nothing changes, otherwise one a step."""
        h, first, ready = self.step_size, self.step_count, {}
        for name, value in inputs.items():
            if callable(value):
                value = np.array([value((first + k) * h) for k in range(n)], dtype=float)
            ready[name] = value
        changes = any(np.ndim(value) > (self._in.find(name).size > 1) for name, value in ready.items())
        rows = np.tile(self._held, (n, 1)) if changes else np.copy(self._held)
        self._in.put(rows, ready)
        return rows

    def _advance(self, n: int, rows: np.ndarray, stride: int, every: int, times: np.ndarray, values: np.ndarray,
                 at: int) -> None:
        run, done = ffi.new('struct lk_run *'), ffi.new('uint64_t *')
        chunk = _CHUNK if every == 0 else max(_CHUNK // every, 1) * every
        run.every, run.stride = every, stride
        with self._mine():
            while n > 0:
                run.steps = min(n, chunk)
                run.inputs = _pointer(rows)
                run.times, run.outputs = _pointer(times[at:]), _pointer(values[at:])
                code = core.lk_system_run(self._c, run, done)
                if code != 0:
                    raise StepError(f'{self.name}: the step from t = {self.time:.9g} s '
                                    f'{_FAULTS.get(code, "has no result")}', self.time)
                n -= run.steps
                at += run.steps // every if every > 0 else 0
                rows = rows[run.steps:] if stride > 0 else rows

    def reset(self) -> None:
        """Back to the start, time 0, with initial inputs."""
        with self._mine():
            core.lk_system_reset(self._c)
        self._held = self._in.initial()

    def linearise(self, *, at_rest: bool = False) -> analysis.Linear:
        """Small motions about the start, of a system with all rows (``all_rows=True``), which is then reset.

        Parameters
        ----------
        at_rest : bool
            As if nothing moved there, whatever velocities the model has.

        Raises
        ------
        ModelError
            A motion has no mass, tyres roll, or there are too many degrees of freedom.
        ValueError
            The system lacks rows, or is not at its start.
        """
        if self.step_count != 0:
            raise ValueError('the system has been stepped, expected one at its start: reset() or start_at()')
        with self._mine():
            result = analysis.linearise(self._c, at_rest)
        self._held = self._in.initial()
        return result

    def mobility(self) -> analysis.Mobility:
        """Degrees of freedom and redundant rows in the present pose, of a system with all rows (``all_rows=True``)."""
        with self._mine():
            return analysis.mobility(self._c)

    def start_at(self, bodies: Mapping[str, BodyState]) -> None:
        """Begin anew at time 0 from other poses and velocities than the model has.

        Joints are closed and velocities projected onto them, accelerations and reactions follow; inputs, blocks and
        energies are as at the model's own start, to which :meth:`reset` goes back.

        Parameters
        ----------
        bodies : mapping
            State of each body by name, as :meth:`body` has it; accelerations are not read. A body that is not named
            keeps its present pose and velocity.

        Raises
        ------
        ModelError
            The joints cannot be closed from there, or the system has not all rows (``all_rows=True``).
        StateError
            A number is not finite, or a quaternion not of length 1. The system is as before.
        """
        names = self.bodies
        unknown = [name for name in bodies if name not in names]
        if unknown:
            raise KeyError(f"'{unknown[0]}' is no body, expected one of: {', '.join(names)}")
        states = [bodies[name] if name in bodies else self.body(name) for name in names]
        c = ffi.new('struct lk_body_state[]', len(names))
        for i, state in enumerate(states):
            for field in BodyState._fields[:4]:
                setattr(c[i], field, [float(value) for value in getattr(state, field)])
        error = ffi.new('struct lk_error *')
        with self._mine():
            code = core.lk_system_start_at(self._c, c, error)
        if code != 0:
            _raise(code, text_of(error.text))
        self._held = self._in.initial()

    # ---- state ----

    @property
    def state(self) -> bytes:
        """All that further steps depend on, see ``linkage/state.h``: set it in this or another system of the same
        model, and the motion goes on with the same bits. What :meth:`set` holds is the caller's."""
        size = core.lk_system_state_size(self._c)
        block = ffi.new('char[]', size)
        with self._mine():
            core.lk_system_state_get(self._c, block)
        return bytes(ffi.buffer(block, size))

    @state.setter
    def state(self, value: bytes) -> None:
        error = ffi.new('struct lk_error *')
        with self._mine():
            code = core.lk_system_state_set(self._c, ffi.from_buffer(value), len(value), error)
        if code != 0:
            _raise(code, text_of(error.text))

    @property
    def health(self) -> Health:
        c = ffi.new('struct lk_health *')
        with self._mine():
            core.lk_system_health(self._c, c)
        return Health(*(getattr(c, field) for field in Health._fields))

    # ---- the model ----

    @property
    def engine(self) -> str:
        """What executes the steps: "one by one", "avx2" ..."""
        return text_of(core.lk_system_engine(self._c))

    @property
    def note(self) -> str:
        """What should be read about the compiled model; may be empty."""
        return text_of(core.lk_system_note(self._c))

    @property
    def summary(self) -> Summary:
        c = ffi.new('struct lk_summary *')
        core.lk_system_summary(self._c, c)
        return Summary(*(getattr(c, field) for field in Summary._fields))

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return [text_of(core.lk_system_body_name(self._c, i)) for i in range(self.summary.n_bodies)]

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return [text_of(core.lk_system_joint_name(self._c, i)) for i in range(self.summary.n_joints)]

    def body(self, name: str) -> BodyState:
        """State of a body."""
        index = core.lk_system_body_index(self._c, name.encode())
        if index < 0:
            raise KeyError(f"'{name}' is no body, expected one of: {', '.join(self.bodies)}")
        c = ffi.new('struct lk_body_state *')
        with self._mine():
            core.lk_system_body_state(self._c, index, c)
        return BodyState(*(np.array(list(getattr(c, field))) for field in BodyState._fields))

    def reaction(self, joint: str) -> np.ndarray:
        """Force [N] and torque [N m] of a joint on its second body, at the joint's point, world axes."""
        index = core.lk_system_joint_index(self._c, joint.encode())
        if index < 0:
            raise KeyError(f"'{joint}' is no joint, expected one of: {', '.join(self.joints)}")
        values = np.empty(6)
        with self._mine():
            code = core.lk_system_joint_reaction(self._c, index, _pointer(values))
        if code != 0:
            raise ValueError(f"the reaction of '{joint}' needs rows that planar reduction left out; expected "
                             f"System(..., reactions=['{joint}']), or an output of it in the model")
        return values
