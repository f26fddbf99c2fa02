"""Records what TensorFlow runs: a trace, and which functions are called, of which one gives the graph."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tfprof_report.capturing.function_graph import graph_and_log
from tfprof_report.capturing.jax_run import HOST_TRACER_LEVEL
from tfprof_report.capturing.variable_names import is_of_tensorflow, paths_found, paths_in
from tfprof_report.errors import OptionError
from tfprof_report.profiler.api import LOG_NAME

_FUNCTIONS = "tensorflow.python.eager.polymorphic_function.concrete_function"
_CALL = "_call_flat"
"""What each call of a function goes through (TensorFlow 2.13 to 2.21)."""


class _Level:
    """A whole number that has no truth value, for every option, since TensorFlow warns of each that it ignores.

    TensorFlow 2.21 converts an option of its profiler to the first of bool, int and text that it can be, so that a
    plain number becomes a bool, which it then ignores ("host_tracer_level expects an i value").
    """

    def __init__(self, level: int) -> None:
        self._level = level

    def __index__(self) -> int:
        return self._level


class TensorFlowRun:
    """A `frameworks.Recorder` for TensorFlow, whose module is `tensorflow`.

    Parameters
    ----------
    model, function : as in `capture`

    Raises
    ------
    OptionError
        The model is not one of TensorFlow.
    """

    def __init__(self, tensorflow: Any, *, model: Any, function: Any) -> None:
        if model is not None and not is_of_tensorflow(tensorflow, model):
            raise OptionError(
                f"{type(model).__name__} is neither a Keras model nor a tf.Module",
                option="model",
                advice="leave it out, or give the object that holds the variables",
            )
        self._tensorflow = tensorflow
        self._model = model
        self._wanted = _name_of(function) if function is not None else None
        self._called: dict[int, list[Any]] = {}  # by identity: the function, and how often it was called
        self._restore: Any = None

    def start(self, folder: str) -> None:
        """Begin to trace and to note the functions that are called.

        Raises
        ------
        OptionError
            Something else is being traced, or this version of TensorFlow has other functions.
        """
        kind = getattr(sys.modules.get(_FUNCTIONS), "ConcreteFunction", None)
        if not hasattr(kind, _CALL):
            raise OptionError("this version of TensorFlow is not known", advice="install TensorFlow 2.13 or newer")
        profiler = self._tensorflow.profiler.experimental
        levels = {
            "host_tracer_level": HOST_TRACER_LEVEL,
            "python_tracer_level": 0,
            "device_tracer_level": 1,
            "delay_ms": 0,
        }
        options = profiler.ProfilerOptions(**{name: _Level(level) for name, level in levels.items()})
        self._wait()
        try:
            profiler.start(folder, options=options)
        except self._tensorflow.errors.AlreadyExistsError as error:
            raise OptionError(
                "TensorFlow is being profiled already",
                advice="end that first, as with profile_batch=0 of the TensorBoard callback",
            ) from error
        self._restore = self._note_calls(kind)

    def _note_calls(self, kind: Any) -> Any:
        """Let a class of functions note their calls, and return what ends that."""
        called, call, tensorflow = self._called, getattr(kind, _CALL), self._tensorflow

        def noted(concrete: Any, *arguments: Any, **named: Any) -> Any:
            if tensorflow.executing_eagerly():  # not a call that is traced into another function
                called.setdefault(id(concrete), [concrete, 0])[1] += 1
            return call(concrete, *arguments, **named)

        setattr(kind, _CALL, noted)
        return lambda: setattr(kind, _CALL, call)

    @contextmanager
    def step(self, number: int) -> Iterator[None]:
        """Mark a step, and wait for the devices at its end."""
        with self._tensorflow.profiler.experimental.Trace("train", step_num=number, _r=1):
            yield
            self._wait()

    def stop(self, *, save: bool) -> None:
        """End recording, and write the trace with `save`."""
        self._restore()
        try:
            if save:
                self._wait()
        finally:
            self._tensorflow.profiler.experimental.stop(save=save)

    def files(self) -> Mapping[str, bytes]:
        """Return the graph of the function that ran, and the op log of its variables and lines of code.

        Raises
        ------
        OptionError
            No function ran, or not the one that was asked for.
        """
        chosen = self._chosen()
        if self._model is not None:
            paths = paths_in(self._tensorflow, self._model)
        else:
            paths = paths_found(self._tensorflow, chosen.graph.variables)
        graph, log = graph_and_log(chosen, paths)
        return {"graph.pb": graph, LOG_NAME: log}

    def _chosen(self) -> Any:
        """Return the wanted function that ran, of several the one with most nodes, then with most calls."""
        ran = list(self._called.values())
        names = sorted({_name_of(concrete) for concrete, _ in ran})
        if self._wanted is not None:
            ran = [each for each in ran if _name_of(each[0]) == self._wanted]
        if not ran and names:
            raise OptionError(
                f"{self._wanted} did not run, but {' and '.join(names)}", option="function", advice="give one that runs"
            )
        if not ran:
            raise OptionError(
                "no tf.function ran, so there is no graph",
                advice="decorate the step with @tf.function, and call it within capture",
            )
        chosen = max(ran, key=lambda each: (not _is_backward(each[0]), _size_of(each[0]), each[1]))[0]
        if self._wanted is None and len(names) > 1:
            warnings.warn(
                f"{', '.join(names)} ran; graph.pb is that of {_name_of(chosen)}, the largest. Choose another one with "
                "function=",
                stacklevel=5,
            )
        return chosen

    def _wait(self) -> None:
        """Wait for the devices: on a GPU, functions return before their results are there."""
        self._tensorflow.test.experimental.sync_devices()


def _name_of(function: Any) -> str:
    """Return the name of a ``tf.function`` or of its concrete functions, which is that of the Python function."""
    graph = getattr(function, "graph", None)
    return str(getattr(graph, "name", None) or getattr(function, "__name__", None) or function)


def _is_backward(concrete: Any) -> bool:
    """Return whether a function computes the gradients of another one, which a tape outside of that asked for."""
    return _name_of(concrete).startswith("__backward_")


def _size_of(concrete: Any) -> int:
    """Return how many nodes a concrete function and the functions in its library have."""
    graph = concrete.graph.as_graph_def()
    return len(graph.node) + sum(len(each.node_def) for each in graph.library.function)
