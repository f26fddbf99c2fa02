"""Records what JAX runs: a trace, which holds the programs (HLO) with the names of their scopes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tfprof_report.errors import OptionError

HOST_TRACER_LEVEL = 3
"""Below it, cheap ops leave no event."""


class JaxRun:
    """A `frameworks.Recorder` for JAX, whose module is `jax`."""

    def __init__(self, jax: Any) -> None:
        self._jax = jax

    def start(self, folder: str) -> None:
        """Begin to trace.

        Raises
        ------
        OptionError
            This version of JAX has no options of traces, or something else is being traced.
        """
        profiler = self._jax.profiler
        if not hasattr(profiler, "ProfileOptions"):
            raise OptionError("this version of JAX cannot record cheap ops", advice="install JAX 0.5.1 or newer")
        options = profiler.ProfileOptions()
        options.host_tracer_level = HOST_TRACER_LEVEL
        options.python_tracer_level = 0
        self._wait()
        try:
            profiler.start_trace(folder, profiler_options=options)
        except RuntimeError as error:
            raise OptionError(f"JAX cannot start a trace ({error})", advice="end the other one first") from error

    @contextmanager
    def step(self, number: int) -> Iterator[None]:
        """Mark a step, and wait for its results at its end."""
        with self._jax.profiler.StepTraceAnnotation("train", step_num=number):
            yield
            self._wait()

    def stop(self, *, save: bool) -> None:
        """End the trace. JAX writes it always; without `save` it does not wait for what still runs."""
        try:
            if save:
                self._wait()
        finally:
            self._jax.profiler.stop_trace()

    def files(self) -> Mapping[str, bytes]:
        """Return nothing: all is in the trace."""
        return {}

    def _wait(self) -> None:
        """Wait for all that runs: calls of JAX return before their results are there."""
        self._jax.block_until_ready(self._jax.live_arrays())
        self._jax.effects_barrier()
