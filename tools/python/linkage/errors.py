# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, each with the one line that the library or the daemon says."""
from __future__ import annotations

__all__ = ['DaemonError', 'LinkageError', 'ModelError', 'NoAnswer', 'Refused', 'StateError', 'StepError']


class LinkageError(Exception):
    """Base of all errors of this package."""


class ModelError(LinkageError, ValueError):
    """A model is refused: its text, its assembly, or what the solver requires of it.

    Attributes
    ----------
    lines : list of str
        All that is wrong, ``file:line:column: what, what was expected``. The message is the first.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__(lines[0])
        self.lines = list(lines)


class StepError(LinkageError, ArithmeticError):
    """A step has no result. The system is as before it.

    Attributes
    ----------
    time : float
        Begin of the step [s].
    table : Table or None
        Rows up to there, of :meth:`System.run`.
    """

    def __init__(self, text: str, time: float) -> None:
        super().__init__(text)
        self.time = time
        self.table = None


class StateError(LinkageError, ValueError):
    """Bytes that are no state of this system; the system is as before."""


class DaemonError(LinkageError):
    """The daemon, or the way to it."""


class NoAnswer(DaemonError, TimeoutError):
    """Nobody answers, or what is waited for did not happen in time."""


class Refused(DaemonError):
    """The daemon refuses a request.

    Attributes
    ----------
    result : str
        "wrong-state", "bad-model" and so on, see ``linkage.proto``.
    id : str
        "LK-3012", as in the list of conditions; may be empty.
    lines : list of str
        All that is wrong with a model; otherwise the message alone.
    """

    def __init__(self, text: str, result: str, id: str = '', lines: list[str] | None = None) -> None:
        super().__init__(text)
        self.result = result
        self.id = id
        self.lines = lines or [text]
