"""Which framework is recorded: TensorFlow or JAX, whichever the caller has imported."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from tfprof_report.capturing.jax_run import JaxRun
from tfprof_report.capturing.tensorflow_run import TensorFlowRun
from tfprof_report.errors import OptionError

TENSORFLOW, JAX = "tensorflow", "jax"
_DEVICES_OF_JAX = "jax._src.xla_bridge"


class Recorder(Protocol):
    """Records what a framework runs."""

    def start(self, folder: str) -> None:
        """Begin to record; the trace is written below `folder`."""

    def step(self, number: int) -> AbstractContextManager[Any]:
        """Return a context manager that marks a step in the trace, whose end waits for what runs on devices."""

    def stop(self, *, save: bool) -> None:
        """End recording, and write the trace with `save`."""

    def files(self) -> Mapping[str, bytes]:
        """Return the files besides the trace, by name."""


def find_recorder(framework: str | None, *, model: Any = None, function: Any = None) -> Recorder:
    """Return the recorder of the framework that is imported, or of the one that is named.

    Raises
    ------
    OptionError
        It is not imported, both are in use and none is named, `model` or `function` is given for JAX, or `model` is
        not one of TensorFlow.
    """
    if framework not in (None, TENSORFLOW, JAX):
        raise OptionError(f"unknown framework: {framework}", option="framework", advice="choose from tensorflow, jax")
    loaded = {name: module for name in (TENSORFLOW, JAX) if (module := sys.modules.get(name)) is not None}
    if framework is None and TENSORFLOW in loaded and not _jax_has_computed():
        loaded.pop(JAX, None)  # TensorFlow imports a JAX that is installed
    if framework is not None and framework not in loaded:
        raise OptionError(f"{framework} is not imported", option="framework", advice="import it, and build the model")
    if framework is None:
        is_of_tensorflow = model is not None or function is not None
        framework = TENSORFLOW if is_of_tensorflow and TENSORFLOW in loaded else next(iter(loaded), None)
        if framework is None:
            raise OptionError("neither TensorFlow nor JAX is imported", advice="import one of them before capture")
        if len(loaded) > 1 and not is_of_tensorflow:
            raise OptionError(
                "TensorFlow and JAX are both in use",
                option="framework",
                advice='say framework="tensorflow" or framework="jax"',
            )
    if framework == TENSORFLOW:
        return TensorFlowRun(loaded[TENSORFLOW], model=model, function=function)
    for name, value in (("model", model), ("function", function)):
        if value is not None:
            raise OptionError("is for TensorFlow; a trace of JAX has the programs and their names", option=name)
    return JaxRun(loaded[JAX])


def _jax_has_computed() -> bool:
    """Return whether the JAX that is imported has computed anything, which begins by finding its devices."""
    devices = sys.modules.get(_DEVICES_OF_JAX)
    return bool(getattr(devices, "backends_are_initialized", lambda: True)())
