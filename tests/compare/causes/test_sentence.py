"""The words for one cause: they suit one layer and several."""

from __future__ import annotations

from functools import cache

import pytest
from layered import side_from
from messages import graph, node

from tfprof_report.compare.causes.cause_kinds import CauseKind, Reason
from tfprof_report.compare.causes.layer_causes import LayerCause
from tfprof_report.compare.causes.sentence import Names
from tfprof_report.compare.compare import compare


@cache
def names() -> Names:
    side = side_from(graph(*(node(f"{layer}/MatMul", "MatMul") for layer in ("alpha", "beta", "gamma"))))
    return Names(compare(side, side))


@pytest.mark.parametrize(
    ("kind", "base", "head", "layers", "clause"),
    [
        (CauseKind.NAMES, "", "", ("alpha",), "1 layer has other names"),
        (CauseKind.NAMES, "", "", ("alpha", "beta"), "2 layers have other names"),
        (CauseKind.OTHER_OPS, "Relu", "Elu", ("alpha",), "Elu instead of Relu in alpha"),
        (CauseKind.OTHER_OPS, "Relu", "Elu", ("alpha", "beta"), "Elu instead of Relu in alpha and beta"),
        (CauseKind.OTHER_OPS, "", "Cast", ("alpha", "beta"), "Cast added in alpha and beta"),
        (CauseKind.OTHER_OPS, "Cast", "", ("gamma",), "Cast removed from gamma"),
    ],
)
def test_clause(kind: CauseKind, base: str, head: str, layers: tuple[str, ...], clause: str) -> None:
    reason = Reason(kind=kind, base=base, head=head)
    assert names().clause(LayerCause(reasons=(reason,), layers=layers, parts={}, open={})) == clause
