"""A callback that captures some train batches of Keras' ``fit``."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import ExitStack
from typing import Any, ClassVar

from tfprof_report.capturing.capture import Capture, capture
from tfprof_report.capturing.frameworks import JAX, TENSORFLOW
from tfprof_report.errors import OptionError

FIRST, LAST = 2, 6


def keras_callback(folder: str | os.PathLike[str], *, steps: tuple[int, int] = (FIRST, LAST)) -> Any:
    """Return a ``keras.callbacks.Callback`` that captures train batches of ``fit`` into a folder.

    ::

        model.fit(images, labels, callbacks=[tfprof_report.keras_callback("profile")])

    Parameters
    ----------
    folder : as in `capture`
    steps : the first and the last batch that is traced, counted from 0 over all epochs; the first batches of a training
        also build the graph, allocate and tune. With four steps or more, changes of time are tested for significance.

    Raises
    ------
    OptionError
        Keras is not imported, `steps` are not two numbers of batches in their order, or, when ``fit`` begins, Keras
        runs on another backend than TensorFlow and JAX.
    OutputError
        The folder holds other files, or cannot be written; raised by ``fit``.
    """
    keras = sys.modules.get("keras") or sys.modules.get("tf_keras")
    if keras is None:
        raise OptionError("Keras is not imported", advice="import keras before keras_callback")
    first, last = _checked(steps)
    batches = _Batches(keras, folder, first, last)

    class TfprofCallback(keras.callbacks.Callback):  # type: ignore[misc,name-defined]
        """Captures some train batches."""

        def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002 (the signatures are those of Keras)
            batches.begin_training()

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
            batches.begin_batch(self.model)

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
            batches.end_batch()

        def on_train_end(self, logs: Any = None) -> None:  # noqa: ARG002
            batches.end_training()

    return TfprofCallback()


class _Batches:
    """Captures batches `first` to `last` of those that begin and end; what the callback does, without Keras."""

    recording: ClassVar[_Batches | None] = None
    """Those whose capture is on: Keras tells no callback that an exception ended a training."""

    def __init__(self, keras: Any, folder: str | os.PathLike[str], first: int, last: int) -> None:
        self._keras, self._folder, self._first, self._last = keras, folder, first, last
        self._seen = 0
        self._run: Capture | None = None
        self._in_step = ExitStack()

    def begin_training(self) -> None:
        """Count batches from 0, and give up what an earlier training, which an exception ended, has left on."""
        if (left := _Batches.recording) is not None:
            left._end(save=False)  # noqa: SLF001 (of the same class)
        self._seen = 0

    def begin_batch(self, model: Any) -> None:
        """Begin to capture if it is the first batch to trace, and mark it as a step."""
        number, self._seen = self._seen, self._seen + 1
        if number == self._first:
            framework = _backend(self._keras)
            run = capture(self._folder, model=model if framework == TENSORFLOW else None, framework=framework)
            run.begin()
            self._run, _Batches.recording = run, self
        if self._run is not None:
            self._in_step.enter_context(self._run.step(number))

    def end_batch(self) -> None:
        """End the step, and write the folder if it was the last one."""
        self._in_step.close()
        if self._seen > self._last:
            self._end(save=True)

    def end_training(self) -> None:
        """Write what was captured of a training that has fewer batches than asked for; warn if that is nothing."""
        self._end(save=True)
        if self._seen <= self._first:
            warnings.warn(
                f"nothing was captured: training ended after {self._seen} batches, before batch {self._first}. "
                "Give keras_callback earlier steps",
                stacklevel=3,
            )

    def _end(self, *, save: bool) -> None:
        run, self._run = self._run, None
        self._in_step.close()
        if run is not None:
            _Batches.recording = None
            run.end(save=save)


def _checked(steps: tuple[int, int]) -> tuple[int, int]:
    try:
        first, last = (int(each) for each in steps)
    except (TypeError, ValueError):
        first, last = 0, -1
    if not 0 <= first <= last:
        raise OptionError(f"{steps!r} are no first and last batch", option="steps", advice="write steps=(2, 6)")
    return first, last


def _backend(keras: Any) -> str:
    """Return the framework that Keras runs on; Keras 2 runs on TensorFlow alone."""
    name = keras.backend.backend() if hasattr(keras.backend, "backend") else TENSORFLOW
    if name not in (TENSORFLOW, JAX):
        raise OptionError(f"Keras runs on {name}, which is not captured", advice="let it run on TensorFlow or JAX")
    return str(name)
