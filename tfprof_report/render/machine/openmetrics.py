"""The totals as OpenMetrics text, which GitLab compares between branches and Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof_report.compare.gates.verdict import GateStatus, Outcome
from tfprof_report.formatting import label_of, unit_of
from tfprof_report.render.tables.cells import visible
from tfprof_report.report.models import Model, ModelStatus
from tfprof_report.schema.metrics import DEVICE_PEAK, ESTIMATED_PEAK, METRICS, OF_STEPS, Number, Unit

_PREFIX = "tfprof_report"
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
_UNITS = {Unit.COUNT: "", Unit.BYTES: ", in bytes", Unit.MICROS: ", in microseconds"}

_Sample = tuple[dict[str, str], Number]
"""Labels and value."""

_Named = list[tuple[dict[str, str], Model]]


def render_openmetrics(models: Sequence[Model], *, has_names: bool) -> str:
    """Return a gauge per metric with the total of each model's head, then nodes, gates by status, outcomes, exit codes.

    An unknown total has no sample, because it is not 0. A total that lacks nodes has none either, but one of
    ``X_at_least`` and one of ``X_unknown_nodes``. With `has_names` each sample has the label ``model``, and FLOPs that
    rest on a batch or on sizes from a run have the label ``basis``; label values are escaped. Integers are exact,
    because GitLab compares them as text.
    """
    named = [({"model": visible(model.name)} if has_names else {}, model) for model in models]
    lines = [line for stem in (*METRICS, DEVICE_PEAK, ESTIMATED_PEAK, *OF_STEPS) for line in _totals(stem, named)]
    for name, text, samples in _others(named):
        lines += _family(name, text, samples)
    return "".join(f"{line}\n" for line in (*lines, "# EOF"))


def _totals(stem: str, named: _Named) -> Iterator[str]:
    text = f"{label_of(stem)}{_UNITS[unit_of(stem)]}"
    figures = [(labels, model.figure(stem)) for labels, model in named]
    known = [
        ({**labels, "basis": visible(figure.basis)} if figure.basis else labels, figure.head, figure.head_unknown)
        for labels, figure in figures
        if figure.head is not None
    ]
    exact = [(labels, value) for labels, value, unknown in known if not unknown]
    bounds = [(labels, value) for labels, value, unknown in known if unknown]
    missing = [(labels, unknown) for labels, _, unknown in known if unknown]
    yield from _family(stem, text, exact)
    yield from _family(f"{stem}_at_least", f"{text}: a lower bound, since nodes have no figure", bounds)
    yield from _family(f"{stem}_unknown_nodes", f"{label_of(stem)}: nodes that the lower bound lacks", missing)


def _others(named: _Named) -> Iterator[tuple[str, str, Sequence[_Sample]]]:
    nodes = [(labels, model.nodes) for labels, model in named if model.status is not ModelStatus.GONE]
    yield "nodes", "Nodes of the graph", nodes
    gates = [
        ({**labels, "status": str(status)}, sum(gate.status is status for gate in model.verdict.gates))
        for labels, model in named
        for status in GateStatus
    ]
    yield "gates", "Gates by their outcome", gates
    outcomes = [
        ({**labels, "outcome": str(outcome)}, int(model.verdict.outcome is outcome))
        for labels, model in named
        for outcome in Outcome
    ]
    yield "outcome", "Outcome of the verdict: 1 for the one that it is, 0 for the others", outcomes
    codes = [(labels, int(model.verdict.exit_code)) for labels, model in named]
    yield "exit_code", "Exit code of the verdict: 1 failed, 5 inconclusive, 0 any other outcome", codes


def _family(name: str, text: str, samples: Sequence[_Sample]) -> Iterator[str]:
    """Yield the lines of a metric; none if it has no samples."""
    if not samples:
        return
    yield f"# TYPE {_PREFIX}_{name} gauge"
    yield f"# HELP {_PREFIX}_{name} {text}"
    for labels, value in samples:
        pairs = ",".join(f'{key}="{each.translate(_ESCAPES)}"' for key, each in labels.items())
        yield f"{_PREFIX}_{name}{f'{{{pairs}}}' if pairs else ''} {value}"
