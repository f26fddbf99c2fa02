"""The ``.meta.json`` next to a file in a native format, which has no room for provenance and conventions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from tfprof_report import __version__
from tfprof_report.ingest.origin import InputFile
from tfprof_report.model.execution_counts import FunctionUse, function_words
from tfprof_report.model.flops.counting import BY_OP_LOG, Counting
from tfprof_report.model.flops.rule_sets import VERSIONS
from tfprof_report.model.parts.leave_out import NOTHING, LeaveOut
from tfprof_report.options import Options
from tfprof_report.render.tfprof.output_spec import OutputSpec
from tfprof_report.schema.metrics import METRICS, UNIT_CONVENTIONS
from tfprof_report.semantics import Semantics, preset_name
from tfprof_report.views.build_view import selected_stems


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The provenance of the figures: input files, how FLOPs and functions were counted, which nodes are left out."""

    inputs: tuple[InputFile, ...] = ()
    counting: Counting = BY_OP_LOG
    leave_out: LeaveOut = NOTHING
    functions: FunctionUse | None = None


def describe(view: str, options: Options, semantics: Semantics, output: OutputSpec, source: Source) -> bytes:
    """Return the content of a ``.meta.json``: units, conventions, rules, semantics, options, digests of inputs.

    It has no timestamp, so the same inputs give the same bytes.
    """
    user_rules = source.counting.user_rules
    content = {
        "tool": "tfprof-report",
        "tool_version": __version__,
        "view": view,
        "output": str(output),
        "semantics": preset_name(semantics),
        **source.counting.as_dict(),
        **function_words(source.functions),
        **source.leave_out.as_dict(),
        "rules_version": VERSIONS[source.counting.rules],
        "user_rules_sha256": user_rules.digest if user_rules else None,
        "options": options.as_dict(),
        "units": {stem: str(METRICS[stem].unit) for stem in selected_stems(options)},
        "conventions": UNIT_CONVENTIONS,
        "inputs": [asdict(file) for file in source.inputs],
    }
    return (json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode()
