"""Score ways to find change points on series whose changes are known, and write the tables into docs/history.md.

    python ci/change_points.py              print the tables, of the methods that can be imported
    python ci/change_points.py --write      and write them into docs/history.md, where all can be

Methods of others come from an environment of their own, never from that of the product:
`pip install apache-otava ruptures changeforest pyarrow`. Parameters were chosen on simulated series of other seeds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path

import numpy as np
from simulated_nights import NOISES, SCORING, Kind, Nights

from tfprof_report.arrays import Floats
from tfprof_report.history.change_points import change_points

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "history.md"
RECORDED = ROOT / "tests" / "data" / "history" / "nights.json"
BEGIN, END = "<!-- change points -->\n", "<!-- end -->\n"

SERIES = 50
"""Series of each kind."""

Method = Callable[[Floats], Sequence[int]]


def otava(values: Floats) -> Sequence[int]:
    """Return what Apache Otava finds with its defaults: E-divisive in windows of 50, and t-tests at 0.001.

    On some series it ends with a ValueError (release 0.8.0); these count as series without change points.
    """
    try:
        found, _ = import_module("otava.analysis").compute_change_points(values.tolist())
    except ValueError:
        return ()
    return [each.index for each in found]


def _pelt(values: Floats, model: str, penalty: float) -> Sequence[int]:
    """Return what PELT finds in values whose noise, judged from their differences, is 1."""
    noise = float(np.median(np.abs(np.diff(values)))) * 1.4826 / np.sqrt(2)
    ruptures = import_module("ruptures")
    pelt = ruptures.KernelCPD if model == "linear" else ruptures.Pelt  # the same search for squares, but fast
    found: list[int] = pelt(model, min_size=4, jump=1).fit(values / noise).predict(pen=penalty * np.log(len(values)))
    return found[:-1]


def changeforest(values: Floats) -> Sequence[int]:
    """Return what changeforest finds with its defaults: binary segmentation by random forests."""
    tree = import_module("changeforest").changeforest(values.reshape(-1, 1), "random_forest", "bs")
    return [int(place) for place in tree.split_points()]


METHODS: dict[str, tuple[str, Method]] = {
    "ours": ("tfprof_report", change_points),
    "E-divisive": ("otava", otava),
    "PELT, squares": ("ruptures", lambda values: _pelt(values, "linear", 3)),
    "PELT, absolute": ("ruptures", lambda values: _pelt(values, "l1", 2)),
    "changeforest": ("changeforest", changeforest),
}
"""Each with the package that it needs."""

STEPS = {
    **{f"{step} %": Kind(steps=(step,)) for step in (2, 3, 5, 10, 20)},
    **{f"{step} %, noise of {spread} %": Kind(steps=(step,), spread=spread) for step, spread in ((2, 0.5), (10, 3))},
    **{f"5 %, {noise}": Kind(steps=(5,), noise=noise) for noise in NOISES if noise != "normal"},
    **{f"{step} %, four nights ago": Kind(steps=(step,), nights_since=4) for step in (5, 10)},
    "five of 3 to 10 %": Kind(steps=(3, 5, 10, 5, 3)),
    "5 %, drift of 3 %": Kind(steps=(5,), drift=3),
}

UNCHANGED = {
    **{f"{noise} noise" if noise == "normal" else noise: Kind(noise=noise) for noise in NOISES},
    **{f"drift of {drift} %": Kind(drift=drift) for drift in (1, 3, 10)},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many changes were found so many nights off, of how many; and what else was found, in how many nights."""

    off: tuple[int, int, int]
    changes: int
    false: int
    nights: int

    @property
    def found(self) -> str:
        """The share of changes found at their commit, within one night, and within two."""
        shares = (100 * sum(self.off[: most + 1]) / self.changes for most in range(3))
        return " / ".join(f"{share:.0f}" for share in shares)

    @property
    def false_alarms(self) -> str:
        """How many there were per 300 nights."""
        return f"{300 * self.false / self.nights:.2f}"


def score(method: Method, series: Iterable[Nights]) -> Score:
    """Return how well a method does; a change is found by the nearest place within two nights, once."""
    off, changes, false, nights = [0, 0, 0], 0, 0, 0
    for each in series:
        found = set(method(each.values))
        for change in each.changes:
            nearest = min(found, key=lambda place: abs(place - change), default=None)
            if nearest is not None and abs(nearest - change) < len(off):
                off[abs(nearest - change)] += 1
                found.discard(nearest)
        changes, false, nights = changes + len(each.changes), false + len(found), nights + len(each.values)
    return Score(off=(off[0], off[1], off[2]), changes=changes, false=false, nights=nights)


def recorded() -> dict[str, list[Nights]]:
    """Return the recorded series by kind of work and by clock."""
    kinds: dict[str, list[Nights]] = {}
    for row in json.loads(RECORDED.read_text(encoding="utf-8")):
        changes = tuple(night for night, _ in row["changes"])
        nights = Nights(values=np.array(row["micros"], dtype=np.float64), changes=changes)
        kinds.setdefault(f"`{row['work']}`, {row['clock']}", []).append(nights)
    return kinds


def _table(head: str, rows: dict[str, list[Nights]], methods: dict[str, Method], shown: Callable[[Score], str]) -> str:
    lines = [f"| {head} | {' | '.join(methods)} |", f"| --- |{' --- |' * len(methods)}"]
    for name, series in rows.items():
        cells = (shown(score(method, series)) for method in methods.values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines) + "\n"


def tables(methods: dict[str, Method]) -> str:
    """Return all tables as Markdown."""
    steps = {name: list(kind.series(SCORING, SERIES)) for name, kind in STEPS.items()}
    unchanged = {name: list(kind.series(SCORING, SERIES)) for name, kind in UNCHANGED.items()}
    unchanged["beside the steps above"] = list(chain(*steps.values()))
    return "\n".join(
        (
            "Steps found, in percent: at their commit / within one night / within two; the rest is missed.\n",
            _table("steps, in noise of 1 %", steps, methods, lambda each: each.found),
            "False alarms per 300 nights:\n",
            _table("series", unchanged, methods, lambda each: each.false_alarms),
            "Recorded step times, all of 120 nights: steps found, and false alarms per 300 nights:\n",
            _table("work, clock", recorded(), methods, lambda each: f"{each.found}; {each.false_alarms}"),
        )
    )


def importable() -> dict[str, Method]:
    """Return the methods whose packages are here."""
    found = {}
    for name, (package, method) in METHODS.items():
        try:
            import_module(package)
        except ImportError:
            continue
        found[name] = method
    return found


def main() -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    methods = importable()
    if write and len(methods) < len(METHODS):
        sys.exit(f"not importable: {', '.join(METHODS.keys() - methods)}")
    text = tables(methods)
    print(text)
    if write:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
