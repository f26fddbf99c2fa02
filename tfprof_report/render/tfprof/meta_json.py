"""The ``.meta.json`` next to a file in a native format, which has no room for provenance and conventions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

import tfprof_report  # its version is looked up when it is asked for, which takes a while
from tfprof_report.errors import shown
from tfprof_report.ingest.origin import InputFile
from tfprof_report.model.execution_counts import function_words
from tfprof_report.model.flops.rule_sets import VERSIONS
from tfprof_report.model.measurement import Measurement
from tfprof_report.render.tfprof.output_spec import OutputSpec
from tfprof_report.schema.metrics import METRICS, UNIT_CONVENTIONS
from tfprof_report.views.build_view import selected_stems


def describe(view: str, measurement: Measurement, output: OutputSpec, files: Iterable[InputFile]) -> bytes:
    """Return the content of a ``.meta.json``: units, conventions, rules, semantics, options, digests of inputs.

    It has no timestamp, so the same inputs give the same bytes.
    """
    counting, options = measurement.counting, measurement.options
    content = {
        "tool": "tfprof-report",
        "tool_version": tfprof_report.__version__,
        "view": view,
        "output": shown(str(output)),
        "semantics": measurement.semantics_name,
        **counting.as_dict(),
        **function_words(measurement.functions),
        **measurement.leave_out.as_dict(),
        "signature": measurement.signature,
        "rules_version": VERSIONS[counting.rules],
        "user_rules_sha256": counting.user_rules.digest if counting.user_rules else None,
        "options": options.as_dict(),
        "units": {stem: str(METRICS[stem].unit) for stem in selected_stems(options)},
        "conventions": UNIT_CONVENTIONS,
        "inputs": [asdict(file) for file in files],
    }
    return (json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode()
