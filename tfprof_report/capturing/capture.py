"""``capture``: a context manager that writes the graph, the trace and the names of what runs within it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from tfprof_report.capturing.captured_folder import check_folder, replace_folder
from tfprof_report.capturing.frameworks import Recorder, find_recorder
from tfprof_report.errors import OptionError
from tfprof_report.limits import INT64_LIMIT


def capture(
    folder: str | os.PathLike[str], *, model: Any = None, function: Any = None, framework: str | None = None
) -> Capture:
    """Return a context manager that records what runs within it, for ``tfprof-report report FOLDER``.

    ::

        with tfprof_report.capture("profile") as run:
            for number, batch in enumerate(batches):
                with run.step(number):
                    train_step(batch)

    The folder has the graph of the ``tf.function`` that ran (``graph.pb``), its variables and lines of code
    (``tfprof_log``), and the trace (``plugins/profile/capture``), which records cheap ops too (level 3). With JAX the
    trace holds the programs, and is all. Nothing is written if the body raises.

    Parameters
    ----------
    folder : is created, or must be empty or from an earlier capture, which is then replaced
    model : a Keras model or ``tf.Module`` whose variables are named by where they are in it; by default they have the
        names that they were made with, or where these name no layer, the place in the ``tf.Module`` that holds them
    function : the ``tf.function`` whose graph is written; by default the largest one that ran
    framework : ``tensorflow`` or ``jax``; by default the one that is imported. TensorFlow imports a JAX that is
        installed, which counts once it has computed something

    Raises
    ------
    OptionError
        Neither framework is imported, both are in use and none is named, or an option does not go with the framework;
        when the body ends, also if no function ran.
    OutputError
        The folder holds other files, or cannot be written.
    """
    return Capture(folder, find_recorder(framework, model=model, function=function))


class Capture:
    """What `capture` returns; it can be entered once."""

    def __init__(self, folder: str | os.PathLike[str], recorder: Recorder) -> None:
        self._folder = Path(folder)
        self._recorder = recorder
        self._scratch: TemporaryDirectory[str] | None = None
        self._next_step = 0
        self._is_in_step = False

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(save=error is None)

    def begin(self) -> None:
        """Begin to record; errors are those of `capture`."""
        check_folder(self._folder)
        with ExitStack() as stack:
            scratch = TemporaryDirectory(prefix="tfprof-report-")
            stack.callback(scratch.cleanup)
            self._recorder.start(scratch.name)
            stack.pop_all()
        self._scratch = scratch

    def end(self, *, save: bool) -> None:
        """End recording, and with `save` write the folder; errors are those of `capture`."""
        if self._scratch is None:
            return
        scratch, self._scratch = self._scratch, None
        with scratch:
            self._recorder.stop(save=save)
            if save:
                replace_folder(self._folder, self._recorder.files(), Path(scratch.name))

    @contextmanager
    def step(self, number: int | None = None) -> Iterator[None]:
        """Mark what runs within as a step, by default the one after the last; a run without steps is one step.

        Raises
        ------
        OptionError
            Nothing is being captured, the step is within another one, or its number is not a whole number of 63 bits.
        """
        if self._scratch is None or self._is_in_step:
            raise OptionError(
                "is within another step" if self._is_in_step else "is outside of the capture", option="step"
            )
        number = self._next_step if number is None else number
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < INT64_LIMIT:
            raise OptionError(f"{number!r} is not a whole number from 0 to {INT64_LIMIT - 1}", option="step")
        self._next_step, self._is_in_step = number + 1, True
        try:
            with self._recorder.step(number):
                yield
        finally:
            self._is_in_step = False
