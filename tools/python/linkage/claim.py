# SPDX-License-Identifier: Apache-2.0
"""Inputs that a bench owns."""
from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

import numpy as np

from ._library import ffi, text_of
from .channels import Layout
from .errors import NoAnswer, Refused
from .messages import Message, read
from .samples import Sample, fail, layout_of

if TYPE_CHECKING:
    from .rig import Rig

__all__ = ['Claim']


class Claim:
    """A bench that owns inputs, and follows the outputs.

    It keeps its claim by itself, and claims anew after a restart of the daemon, another model or a cut line.

    >>> with rig.claim({'motor': 'N m'}) as bench:          # doctest: +SKIP
    ...     for sample in bench:
    ...         bench.set(motor=-2 * sample['angle'])
    """

    def __init__(self, rig: Rig, channels: Sequence[str] | Mapping[str, str | None], name: str, outputs: list[str],
                 divisor: int, patience: float, yields: bool = False) -> None:
        if isinstance(channels, str):
            channels = [channels]
        units = dict(channels) if isinstance(channels, Mapping) else dict.fromkeys(channels)
        if not units:
            raise ValueError('no channel, expected names of inputs')
        self._lib, self._rig = rig._lib, rig
        self._names, self._wanted = list(units), outputs
        self._fresh = threading.Condition()
        self._ending = threading.Event()
        self._layouts: tuple[int, Layout, Layout] | None = None
        self._sample: Sample | None = None
        self._values: np.ndarray | None = None
        self._c = self._open(rig, units, name, outputs, divisor, yields)
        self._thread = threading.Thread(target=self._follow, name='linkage bench', daemon=True)
        self._thread.start()
        rig._children.append(self)
        try:
            self._await(patience)
        except BaseException:
            self.close()
            raise

    def _open(self, rig: Rig, units: dict[str, str | None], name: str, outputs: list[str], divisor: int, yields: bool):
        def keep(text: str):
            texts.append(ffi.new('char[]', text.encode()))
            return texts[-1]

        texts: list[Any] = []
        wishes = ffi.new('struct lk_client_bench_channel[]',
                         [{'name': keep(n), 'unit': keep(u) if u is not None else ffi.NULL} for n, u in units.items()])
        selection = ffi.new('char *[]', [keep(n) for n in outputs])
        setup = ffi.new('struct lk_client_bench_setup *', {
            'control': keep(rig.endpoint), 'inputs': keep(rig.inputs_endpoint), 'outputs': keep(rig.outputs_endpoint),
            'keys': rig._keys, 'name': keep(name), 'channels': wishes, 'n_channels': len(units),
            'selection': selection, 'n_selection': len(outputs), 'divisor': divisor, 'yields': yields})
        made, error = ffi.new('struct lk_client_bench **'), ffi.new('struct lk_error *')
        code = self._lib.lk_client_bench_open(setup, made, error)
        if code != 0:
            fail(code, text_of(error.text))
        return made[0]

    def _follow(self) -> None:
        """The thread that receives: it connects, keeps the claim and notes the newest sample."""
        received = ffi.new('Linkage__V1__OutputSample **')
        while not self._ending.is_set():
            code = self._lib.lk_client_bench_receive(self._c, 50, ffi.NULL, received)
            model = self._lib.lk_client_bench_model(self._c)
            if model and (self._layouts is None or self._layouts[0] != model.model_id):
                self._take_model(read(model))
            if code != 0 or self._layouts is None:
                continue
            sample = Sample(received[0], self._layouts[2])
            if len(sample.values) == self._layouts[2].size:
                with self._fresh:
                    self._sample = sample
                    self._fresh.notify_all()
        self._lib.lk_client_bench_close(self._c)

    def _take_model(self, model: Message) -> None:
        try:
            inputs = layout_of('input', model.inputs).select(self._names)
            outputs = layout_of('output', model.outputs)
            outputs = outputs.select(self._wanted) if self._wanted else outputs
        except KeyError:
            return  # the daemon refuses the claim; the view says so
        with self._fresh:
            self._layouts = (model.model_id, inputs, outputs)
            self._values = inputs.initial()

    def _view(self):
        view = ffi.new('struct lk_client_bench_view *')
        self._lib.lk_client_bench_read_state(self._c, view)
        return view

    def _await(self, patience: float) -> None:
        end = time.monotonic() + patience
        while True:
            view = self._view()
            if view.state == self._lib.LK_CLIENT_BENCH_CONNECTED and self._layouts is not None:
                return
            if view.state == self._lib.LK_CLIENT_BENCH_REFUSED:
                raise Refused(text_of(view.text), text_of(self._lib.lk_client_result_name(view.result)))
            if time.monotonic() > end:
                raise NoAnswer(text_of(view.text) or f'the claim was not granted in {patience:g} s')
            time.sleep(0.01)

    @property
    def is_connected(self) -> bool:
        """Whether samples reach the daemon now."""
        return self._view().state == self._lib.LK_CLIENT_BENCH_CONNECTED

    @property
    def trouble(self) -> str:
        """Why not, one line; "" where they do."""
        view = self._view()  # owns the text
        return text_of(view.text)

    def set(self, inputs: Mapping[str, Any] | None = None, /, **more: Any) -> bool:
        """Send a sample: what is named changes, all else of the claim stays.

        Returns
        -------
        bool
            False while not connected: nothing was sent.
        """
        with self._fresh:
            values = self._values.copy()
            self._layouts[1].put(values, {**(inputs or {}), **more})
            self._values = values
        code = self._lib.lk_client_bench_send(self._c, ffi.cast('double *', values.ctypes.data), len(values), ffi.NULL)
        if code == self._lib.LK_CLIENT_E_BUSY:
            return False
        if code != 0:
            fail(code, 'the sample could not be sent')
        return True

    def receive(self, timeout: float = 1.0) -> Sample:
        """The newest sample that was not received yet.

        Raises
        ------
        NoAnswer
            There is none in time.
        """
        with self._fresh:
            if not self._fresh.wait_for(lambda: self._sample is not None, timeout):
                raise NoAnswer(self.trouble or f'no sample in {timeout:g} s')
            sample, self._sample = self._sample, None
            return sample

    def __iter__(self) -> Iterator[Sample]:
        while not self._ending.is_set():
            try:
                yield self.receive()
            except NoAnswer:
                return

    def close(self) -> None:
        """Release the inputs."""
        self._ending.set()
        self._thread.join()
        if self in self._rig._children:
            self._rig._children.remove(self)

    def __enter__(self) -> Claim:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
