"""How a model is measured: the options that its figures depend on, in one object that each side of a comparison has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tfprof_report.ingest.paths import InputShape, parse_input_shape
from tfprof_report.model.execution_counts import INLINED, FunctionUse, function_options, function_words, use_functions
from tfprof_report.model.flops.counting import BY_ALL_RULES, BY_OP_LOG, Counting
from tfprof_report.model.parts.leave_out import NOTHING, LeaveOut, parse_leave_out
from tfprof_report.model.shapes.batch import ASSUMED, OPEN_BATCH, UNKNOWN, Batch, parse_batch
from tfprof_report.options import COUNTING_OPTIONS, REPORT_OPTIONS, Options, flag
from tfprof_report.record import record
from tfprof_report.semantics import CORRECTED, PRESETS, TFPROF, Semantics, preset_name


@record
class Measurement:
    """How a model is measured; the defaults are those of a report.

    options : tfprof's options; `options.COUNTING_OPTIONS` change figures, the others choose rows
    counting : how FLOPs are counted
    functions : how the bodies of functions are counted, None where they are ignored
    leave_out : the parts that are not the model
    input_shapes : shapes of placeholders that the user named
    batch : what counts for the open batch of other placeholders
    signature : the signature of a SavedModel whose nodes alone count; None if all nodes do, or those that `leave_out`
        names
    """

    options: Options = REPORT_OPTIONS
    semantics: Semantics = CORRECTED
    counting: Counting = BY_ALL_RULES
    functions: FunctionUse | None = INLINED
    leave_out: LeaveOut = NOTHING
    input_shapes: tuple[InputShape, ...] = ()
    batch: Batch = ASSUMED
    signature: str | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any], semantics: str) -> Measurement:
        """Return the measurement that `as_dict` and the name of a preset describe.

        Neither contains the user's own rules. An option that `options` lacks gets its default: it is newer than the
        report.

        Raises
        ------
        KeyError, OptionError, TypeError, ValueError
            `as_dict` cannot have written a value.
        """
        return cls(
            options=_options_of(options),
            semantics=PRESETS[semantics],
            counting=Counting.of(options),
            functions=use_functions(**function_options(options)),
            leave_out=parse_leave_out(*(options.get(name, ()) for name in ("leave_out", "outputs"))),
            input_shapes=tuple(parse_input_shape(str(text)) for text in options.get("input_shape", ())),
            batch=replace(parse_batch(options.get("batch", UNKNOWN)), is_given=False),
            signature=options.get("signature"),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the semantics under the names of the command line, in plain JSON types."""
        return {
            **self.options.as_dict(),
            **function_words(self.functions),
            **self.counting.as_dict(),
            "input_shape": [str(shape) for shape in self.input_shapes],
            "batch": self.batch.word,
            **self.leave_out.as_dict(),
            "signature": self.signature,
        }

    @property
    def counting_options(self) -> dict[str, Any]:
        """Those of `as_dict` that figures depend on, without those that have the default of reports.

        So reports of versions before and after a new option have the same. Input shapes are without names, as
        `same_sizes` compares them.
        """
        shapes = sorted(str(shape).rpartition("=")[2] for shape in self.input_shapes)
        rows = self.options.as_dict().keys() - set(COUNTING_OPTIONS)
        usual = AS_REPORTS.as_dict()
        return {
            name: value
            for name, value in {**self.as_dict(), "input_shape": shapes}.items()
            if name not in rows and value != usual[name]
        }

    @property
    def semantics_name(self) -> str:
        """The name of the preset of its semantics."""
        return preset_name(self.semantics)

    def differences(self, other: Measurement) -> list[str]:
        """Return the command line options whose values differ, so that the two measurements can't be compared.

        How FLOPs are counted is not among them: a difference there makes only FLOPs incomparable, and is found by
        comparing `Side.rules`. Nor are the batch, which only some figures rest on, and the signature: another one is
        another part of the model, which a comparison says.
        """
        mine, others = self.as_dict(), other.as_dict()
        return [
            *(flag(name) for name in (*COUNTING_OPTIONS, "leave_out", "outputs") if mine[name] != others[name]),
            *(["--functions, --cond or --loops"] if self.functions != other.functions else []),
            *([] if same_sizes(self.input_shapes, other.input_shapes) else ["--input-shape"]),
            *(["--semantics"] if self.semantics != other.semantics else []),
        ]


AS_REPORTS = Measurement()
"""The default of reports."""

AS_TFPROF = Measurement(options=Options(), semantics=TFPROF, counting=BY_OP_LOG, functions=None, batch=OPEN_BATCH)
"""How text commands and the profiler's API measure unless told otherwise: as the native tool."""


def _options_of(values: Mapping[str, Any]) -> Options:
    """Return options from JSON values (lists, and large numbers as text); missing ones have the default of reports."""
    given: dict[str, Any] = {
        name: tuple(values[name]) if isinstance(default, list) else type(default)(values[name])
        for name, default in REPORT_OPTIONS.as_dict().items()
        if name in values
    }
    return replace(REPORT_OPTIONS, **given)


def same_sizes(one: Iterable[InputShape], other: Iterable[InputShape]) -> bool:
    """Return whether two models get inputs of the same sizes; the inputs may have other names."""
    return sorted(shape.sizes for shape in one) == sorted(shape.sizes for shape in other)
