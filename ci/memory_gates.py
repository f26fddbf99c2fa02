"""Measure how far the default gates on memory can be trusted, and write the rates into ci/README.md.

    python ci/memory_gates.py FOLDER                       read recordings, print the tables
    python ci/memory_gates.py FOLDER --tf-python PYTHON    record first what FOLDER lacks
    ... --write                                            and write the tables into ci/README.md

PYTHON is an interpreter that has tensorflow-cpu; it runs `memory_models.py`, which has the models, once for each
recording: FOLDER/MODEL/BATCH/RUN. Five recordings of each model are of one batch, and every ordered pair of them is a
base and a head that did not change. A change is simulated, where all memory of head is scaled, and real, where head was
recorded with a larger batch. The exit code is 1 if a default gate fails on an unchanged model.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.grammar import DEFAULT_GATES, UNITS
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Level, Policy
from tfprof_report.compare.gates.verdict import GateStatus
from tfprof_report.compare.side import Side
from tfprof_report.compare.step_times import figures_of_nodes, peaks_of_steps
from tfprof_report.ingest.origin import Origin
from tfprof_report.ingest.paths import find_in_folder
from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.model.read_model import read_model
from tfprof_report.report.measure import measure
from tfprof_report.schema.metrics import DEVICE_PEAK, Unit

README = Path(__file__).resolve().parent / "README.md"
BEGIN, END = "<!-- written by memory_gates.py -->\n", "<!-- end -->\n"

MODELS = ("mlp", "cnn", "lstm", "gru", "transformer", "resnet", "recommender", "inception")
BATCH, RUNS = 100, range(1, 6)
LARGER, LARGER_RUNS = (101, 103, 110), range(1, 2)
STEPS, JUDGED = 8, 4
CHANGES = (1, 3, 10)
"""In percent: those of the scaled memory, and of the larger batches."""

GATES = tuple(gate for gate in DEFAULT_GATES if UNITS[gate.metric] is Unit.BYTES)
METRICS = tuple(gate.metric for gate in GATES)

STATISTICS: Mapping[str, Callable[[pa.Array], float]] = {
    "mean": np.mean,
    "median": np.median,
    "lowest": np.min,
    "highest": np.max,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One program's run of a model; `halves` are its first and its last steps, as two sides."""

    model: str
    batch: int
    run: int
    halves: tuple[Side, Side]


def record(folder: Path, tf_python: str) -> None:
    """Record what the folder lacks, each in a program of its own."""
    wanted = [(BATCH, run) for run in RUNS] + list(product(LARGER, LARGER_RUNS))
    for (batch, run), model in product(wanted, MODELS):
        target = folder / model / str(batch) / str(run)
        if not target.exists():
            script = Path(__file__).with_name("memory_models.py")
            command = [tf_python, str(script), model, str(target), "--batch", str(batch), "--steps", str(STEPS)]
            subprocess.run(command, check=True)


def read(folder: Path) -> list[Recording]:
    """Return all recordings of a folder."""
    paths = sorted(folder.glob("*/*/*"))
    return [_recording(path) for path in paths if (path / f"run_meta_{STEPS}.gz").exists()]


def _recording(path: Path) -> Recording:
    table, _ = read_model(find_in_folder(str(path)), lambda _: None, AS_REPORTS)
    side = measure(table, {}, Origin(inputs=()))
    first, last = side.step_numbers[:JUDGED], side.step_numbers[-JUDGED:]
    return Recording(
        model=path.parts[-3],
        batch=int(path.parts[-2]),
        run=int(path.parts[-1]),
        halves=(_of_steps(side, first), _of_steps(side, last)),
    )


def _of_steps(side: Side, numbers: tuple[int, ...]) -> Side:
    """Return a side of which only some steps were traced."""
    return replace(
        side,
        steps=side.steps.filter(pc.is_in(side.steps["step"], value_set=pa.array(numbers))),
        step_numbers=numbers,
        devices=tuple(peak for peak in side.devices if peak.step in numbers),
        walls=tuple(wall for wall in side.walls if wall.step in numbers),
    )


def grown(side: Side, percent: int) -> Side:
    """Return a side of which every record of memory is larger by a percentage, rounded up."""
    steps = side.steps
    for stem in METRICS:
        if stem in steps.column_names:
            values = pc.divide(pc.add(pc.multiply(steps[stem], 100 + percent), 99), 100)
            steps = steps.set_column(steps.column_names.index(stem), stem, values)
    devices = tuple(
        replace(peak, device_peak_bytes=-(-peak.device_peak_bytes * (100 + percent) // 100))
        for peak in side.devices
        if peak.device_peak_bytes is not None
    )
    return replace(side, steps=steps, devices=devices)


def unchanged(recordings: Iterable[Recording]) -> Iterator[tuple[Side, Side]]:
    """Yield every ordered pair of two recordings of one model and batch, as base and head."""
    found = [each for each in recordings if each.batch == BATCH]
    for base, head in permutations(found, 2):
        if base.model == head.model:
            yield from zip(base.halves, head.halves, strict=True)


def larger(recordings: Iterable[Recording], batch: int) -> Iterator[tuple[Side, Side]]:
    """Yield every pair of recordings of one model with the usual and with a larger batch."""
    found = list(recordings)
    for base, head in product(found, found):
        if (base.batch, head.batch, base.model) == (BATCH, batch, head.model):
            yield from zip(base.halves, head.halves, strict=True)


def failed_gates(base: Side, head: Side) -> set[str]:
    """Return the metrics whose default gates fail."""
    verdict = judge(head, compare(base, head), Policy(gates=GATES))
    failed = (gate for gate in verdict.gates if gate.status is GateStatus.FAILED and gate.level is Level.FAIL)
    return {gate.metric for gate in failed if gate.metric}


def rates(pairs: Iterable[tuple[Side, Side]]) -> tuple[Counter[str], int]:
    """Return in how many pairs the gate of each metric fails (and any does: ``any``), and the number of pairs."""
    found = [failed_gates(*pair) for pair in pairs]
    counts = Counter(metric for failed in found for metric in failed)
    counts["any"] = sum(map(bool, found))
    return counts, len(found)


def steps_of(side: Side, metric: str) -> list[int]:
    """Return the total of a metric in each step."""
    if metric == DEVICE_PEAK:
        return list(peaks_of_steps(side))
    return [int(total) for total in figures_of_nodes(side, metric).sum(axis=0)]


def statistics_table(pairs: list[tuple[Side, Side]]) -> str:
    """Return how often each statistic alone would be more than 1 % higher in head, as Markdown."""
    lines = ["| figure | steps of a run differ by up to | " + " | ".join(STATISTICS) + " |", "| --- |" + " --- |" * 5]
    for metric in METRICS:
        sides = [[steps_of(side, metric) for side in pair] for pair in pairs]
        spread = max((max(steps) - min(steps)) / max(*steps, 1) for pair in sides for steps in pair)
        above = [
            sum(bool(statistic(head) > 1.01 * statistic(base)) for base, head in sides)
            for statistic in STATISTICS.values()
        ]
        cells = " | ".join(_share(count, len(sides)) for count in above)
        lines.append(f"| `{metric}` | {100 * spread:.1f} % | {cells} |")
    return "\n".join(lines)


def rates_table(columns: Mapping[str, tuple[Counter[str], int]]) -> str:
    """Return how often each gate fails in each case, as Markdown."""
    lines = ["| gate | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    rows = [(f"`{gate.text}`", gate.metric) for gate in GATES] + [("any of them", "any")]
    for label, key in rows:
        cells = " | ".join(_share(counts[key], count) for counts, count in columns.values())
        lines.append(f"| {label} | {cells} |")
    return "\n".join(lines)


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if total else "not measured"


def main() -> int:
    """Record, read, judge and print; return 1 if a gate fails on an unchanged model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tf-python")
    parser.add_argument("--write", action="store_true", help="write the tables into ci/README.md")
    chosen = parser.parse_args()
    if chosen.tf_python:
        record(chosen.folder, chosen.tf_python)
    recordings = read(chosen.folder)
    pairs = list(unchanged(recordings))
    false_alarms = rates(pairs)
    columns = {"unchanged": false_alarms}
    columns |= {f"scaled by {each} %": rates((base, grown(head, each)) for base, head in pairs) for each in CHANGES}
    columns |= {f"batch {batch}": rates(larger(recordings, batch)) for batch in LARGER}
    text = (
        f"\nOf {len(pairs)} pairs without a change, head is more than 1 % higher in so many:\n\n"
        f"{statistics_table(pairs)}\n\nSo many pairs fail the default gates:\n\n{rates_table(columns)}\n\n"
    )
    sys.stdout.write(text)
    if chosen.write:
        before, rest = README.read_text(encoding="utf-8").split(BEGIN)
        README.write_text(f"{before}{BEGIN}{text}{END}{rest.split(END)[1]}", encoding="utf-8")
    return int(false_alarms[0]["any"] > 0)


if __name__ == "__main__":
    sys.exit(main())
