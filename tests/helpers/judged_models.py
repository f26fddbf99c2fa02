"""Models with verdicts, as input of the formats for CI hosts."""

from __future__ import annotations

from typing import Any

from tfprof_report.compare.gates.verdict import GateResult, GateStatus, JudgedRow, Outcome, Verdict
from tfprof_report.report.models import Model, ModelFigure, ModelStatus

HOSTILE = (
    "</failure>]]>&\"'\r\n\t\x00\x1b\u202e\ufffe\ud800::error::x##vso[task.setvariable variable=a]%25;},{"
    + "n" * 10_000
)


def make_gate(gate: str = "params <= +0", status: GateStatus = GateStatus.PASSED, **changes: Any) -> GateResult:
    return GateResult(**{"gate": gate, "status": status, "text": "10 -> 12 (+2, +20.00 %)", **changes})


def make_rows(*names: str, status: GateStatus = GateStatus.FAILED) -> tuple[JudgedRow, ...]:
    return tuple(JudgedRow(name=name, status=status, text=f"row {place}") for place, name in enumerate(names))


def make_model(*gates: GateResult, name: str = "resnet50", outcome: Outcome = Outcome.OK, **changes: Any) -> Model:
    model: dict[str, Any] = {
        "name": name,
        "status": ModelStatus.COMPARED,
        "verdict": Verdict(text=f"{outcome.upper()}: why.", outcome=outcome, gates=gates),
        "nodes": 7,
        "figures": (
            ModelFigure(stem="params", base=10, head=2**53 + 1),
            ModelFigure(stem="bytes", base=None, head=12.5),
            ModelFigure(stem="micros", base=3, head=None),
            ModelFigure(stem="device_peak_bytes", base=1, head=4096),
        ),
    }
    return Model(**{**model, **changes})
