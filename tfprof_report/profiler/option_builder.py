"""TensorFlow's ``ProfileOptionBuilder``: builds the options of a view as a dict, step by step."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self

from tfprof_report.schema.metrics import TRAINABLE_TYPE

_ALL = (".*",)


def _preset(
    *,
    max_depth: int = 10000,
    minimums: Mapping[str, int],
    order_by: str = "name",
    types: Sequence[str] = _ALL,
    displayed_only: bool = True,
    select: Sequence[str],
) -> dict[str, Any]:
    return {
        "max_depth": max_depth,
        **{f"min_{name}": minimum for name, minimum in minimums.items()},
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "order_by": order_by,
        "account_type_regexes": list(types),
        "start_name_regexes": list(_ALL),
        "trim_name_regexes": [],
        "show_name_regexes": list(_ALL),
        "hide_name_regexes": [],
        "account_displayed_op_only": displayed_only,
        "select": list(select),
        "step": -1,
        "output": "stdout",
    }


_NO_MINIMUM = {"bytes": 0, "micros": 0}


class ProfileOptionBuilder:
    """Builds the option dict that `profile` and `Profiler` take; the ``with_...`` methods can be chained.

    Parameters
    ----------
    options : a dict to start with, which is copied; by default all nodes are shown with their time
    """

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        if options is None:
            options = _preset(max_depth=100, minimums=_NO_MINIMUM, displayed_only=False, select=["micros"])
        self._options: dict[str, Any] = copy.deepcopy(dict(options))

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """Return options that count the parameters of trainable variables."""
        return _preset(minimums=_NO_MINIMUM, types=[TRAINABLE_TYPE], select=["params"])

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """Return options that count floating-point operations, in descending order."""
        options = _preset(minimums=_NO_MINIMUM, order_by="float_ops", select=["float_ops"])
        return options | {"min_float_ops": 1}

    @staticmethod
    def time_and_memory(  # noqa: PLR0917 (TensorFlow's signature)
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """Return options that show time and requested memory, the slowest first; minimums in microseconds and bytes."""
        minimums = {
            "bytes": min_bytes,
            "peak_bytes": min_peak_bytes,
            "residual_bytes": min_residual_bytes,
            "output_bytes": min_output_bytes,
            "micros": min_micros,
            "accelerator_micros": min_accelerator_micros,
            "cpu_micros": min_cpu_micros,
        }
        return _preset(minimums=minimums, order_by="micros", select=["micros", "bytes"])

    def build(self) -> dict[str, Any]:
        """Return a copy of the options."""
        return copy.deepcopy(self._options)

    def _set(self, **values: Any) -> Self:
        self._options.update(values)
        return self

    def with_max_depth(self, max_depth: int) -> Self:
        """Show at most this many levels, the root included; in op view, rows after the first one."""
        return self._set(max_depth=max_depth)

    def with_min_memory(
        self, min_bytes: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0, min_output_bytes: int = 0
    ) -> Self:
        """Show rows with at least these totals in bytes; all four minimums are set."""
        return self._set(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> Self:
        """Show rows with at least these totals in microseconds; all three minimums are set."""
        return self._set(
            min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros
        )

    def with_min_parameters(self, min_params: int) -> Self:
        """Show rows with at least this many parameters."""
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> Self:
        """Show nodes that ran at least this often; in op view, rows of at least this many nodes."""
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> Self:
        """Show rows with at least this many floating-point operations."""
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> Self:
        """Count nodes whose op, device or one of whose op-log types matches."""
        return self._set(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> Self:
        """Choose rows by their names; an argument that is None leaves the option unchanged."""
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._set(**{name: copy.copy(regexes) for name, regexes in given.items() if regexes is not None})

    def account_displayed_op_only(self, is_true: bool) -> Self:  # noqa: FBT001 (TensorFlow's signature)
        """Count shown rows only, or all."""
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self) -> Self:
        """Print nothing."""
        return self._set(output="none")

    def with_stdout_output(self) -> Self:
        """Print the view."""
        return self._set(output="stdout")

    def with_file_output(self, outfile: str) -> Self:
        """Write the view's text to a file."""
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> Self:
        """Write a Chrome trace; the step is appended to the file's name."""
        return self._set(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> Self:
        """Write a profile for pprof, gzipped."""
        return self._set(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute: str) -> Self:
        """Order siblings by an attribute, the largest first, or by name."""
        return self._set(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> Self:
        """Show these attributes."""
        return self._set(select=copy.copy(attributes))

    def with_step(self, step: int) -> Self:
        """Show one step, or the mean over all steps for -1."""
        return self._set(step=step)
