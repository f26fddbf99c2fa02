"""The words of a history: steps, changes, nets and what is left out, as sentences that every format shares."""

from __future__ import annotations

from fractions import Fraction

from tfprof_report.formatting import (
    ARROW,
    COMMIT_DIGITS,
    format_delta,
    format_number,
    format_percent,
    format_total,
    label_of,
    percent_of,
    plural,
    unit_of,
)
from tfprof_report.history.budgets import Budget
from tfprof_report.history.changes import Change
from tfprof_report.history.figures_over_time import Figure, FigureOverTime
from tfprof_report.history.history_data import Line, ModelHistory
from tfprof_report.history.in_order import ERA
from tfprof_report.history.nets import Net, Stretch
from tfprof_report.history.steps import Step
from tfprof_report.report.store.usable import passed_words


def short(commit: str) -> str:
    """Return the beginning of a commit's id."""
    return commit[:COMMIT_DIGITS]


def day_of(model: ModelHistory, row: int) -> str:
    """Return the day of the commit of a row, such as ``2024-05-02``; ``no date`` if it is not known."""
    time = model.times[row]
    return f"{time:%Y-%m-%d}" if time else "no date"


def commit_of(model: ModelHistory, row: int) -> str:
    """Return the commit of a row, whole."""
    return str(model.rows["commit"][row].as_py())


def step_words(step: Step) -> str:
    """Return ``FLOPs +1.20 M (+3.10 %), 38.40 M -> 39.60 M``; of a noisy figure with the word median."""
    unit = unit_of(step.stem)
    ends = f"{format_number(step.base, unit)}{ARROW}{format_number(step.head, unit)}"
    median = "median " if step.is_noisy else ""
    percent = format_percent(step.percent, "new from 0")
    return f"{label_of(step.stem)} {format_delta(step.delta, unit)} ({percent}), {median}{ends}"


def which_commits(model: ModelHistory, change: Change) -> str:
    """Return what is known of the commit that made a change where several may have; empty for a single one."""
    if change.commits == 1:
        return ""
    missing = change.commits - 1
    verb = "has" if missing == 1 else "have"
    return (
        f"one of {plural(change.commits, 'commit')} after {short(commit_of(model, change.before))}, "
        f"of which {missing:,} {verb} no report that can be compared"
    )


def why_words(change: Change) -> str:
    """Return why a model changed, and the layers that moved most; what prevented an answer, if anything did."""
    why = change.why
    if why is None:
        return "not compared: only the newest changes are"
    if why.problem:
        return why.problem
    layers = ", ".join(f"{each.name} {format_delta(each.delta, unit_of(each.stem))}" for each in why.layers)
    if why.is_same_graph:
        return "both reports are of the same graph: look at the machine, its libraries and the data"
    if not why.sentence:
        return f"the graphs show no reason{f'; most moved {layers}' if layers else ''}"
    return why.sentence.rstrip(".") + (f"; most moved {layers}" if len(why.layers) > 1 else "")


def stretch_words(model: ModelHistory, stretch: Stretch) -> str:
    """Return what moved over a stretch, figure by figure, and which figures cannot be compared over it."""
    lead = f"{stretch.words[0].upper()}{stretch.words[1:]}"
    if not stretch.nets:
        return f"{lead}, nothing can be compared."
    known = {net.stem for net in stretch.nets}
    unknown = [label_of(line.stem) for line in model.lines if line.stem not in known]
    but = f"; {', '.join(unknown)} cannot be compared" if unknown else ""
    moved = [_net_words(model, net) for net in stretch.nets if net.delta]
    if moved:
        return f"{lead}: {'; '.join(moved)}{but}."
    by_a_step = " by a step" if any(line.drift for line in model.lines) else ""
    return f"{lead}, nothing moved{by_a_step}{but}."


def _net_words(model: ModelHistory, net: Net) -> str:
    unit = unit_of(net.stem)
    percent = format_percent(percent_of(Fraction(net.base), Fraction(net.head)), "new from 0")
    text = f"{label_of(net.stem)} {format_delta(net.delta, unit)} ({percent})"
    largest = ", ".join(_at(model, step) for step in net.largest)
    if net.count == 1:
        return f"{text} at {short(commit_of(model, net.largest[0].row))}"
    if net.is_drift:
        return f"{text}, a drift of {plural(net.count, 'step')} that none shows alone, the largest {largest}"
    if net.count > len(net.largest):
        return f"{text} in {plural(net.count, 'step')}, the largest {largest}"
    return f"{text} in {plural(net.count, 'step')}, {largest}"


def _at(model: ModelHistory, step: Step) -> str:
    return f"{format_delta(step.delta, unit_of(step.stem))} at {short(commit_of(model, step.row))}"


def drift_words(model: ModelHistory, line: Line) -> str:
    """Return what a slow drift of a noisy figure did; empty if there is none."""
    if line.drift is None:
        return ""
    level, unit = line.moves.levels[-1], unit_of(line.stem)
    start = f"{short(commit_of(model, level.first))}, {day_of(model, level.first)}"
    if model.before and not level.first:
        start = f"before {start}"
    return f"{label_of(line.stem)} drifts: {format_delta(line.drift.total, unit)} since {start}, without a step."


def break_words(model: ModelHistory) -> tuple[str, ...]:
    """Return a sentence for each break: where figures began to be counted in another way."""
    eras = model.rows[ERA].to_pylist()
    return tuple(
        f"From {short(commit_of(model, row))} ({day_of(model, row)}) on figures are counted in another way: "
        f"{_other_counting(model, row - 1, row)}. They are not compared with earlier ones."
        for row in range(1, len(eras))
        if eras[row] != eras[row - 1]
    )


def _other_counting(model: ModelHistory, before: int, row: int) -> str:
    """Return in what the ways of counting of two rows differ."""
    old, new = model.rows.slice(before, 1).to_pylist()[0], model.rows.slice(row, 1).to_pylist()[0]
    words = {"counting_version": "counting version", "rules": "rules", "semantics": "semantics"}
    found = [f"{word} {new[key]} instead of {old[key]}" for key, word in words.items() if old[key] != new[key]]
    return ", ".join([*found, *(["other options"] if old["options"] != new["options"] else [])]) or "other options"


def left_out_words(model: ModelHistory) -> tuple[str, ...]:
    """Return what is not shown, and why."""
    found = [f"{each[0].upper()}{each[1:]}." for each in passed_words(model.left_out)]
    if model.never:
        found.append(f"No report knows {', '.join(model.never)}.")
    if model.elsewhere:
        found.append(f"{plural(model.elsewhere, 'report')} of commits that are not in the list of commits.")
    if model.earlier:
        found.append(f"{plural(model.earlier, 'report')} of commits that have a newer one.")
    return tuple(found)


def figure_words(stem: str, figure: Figure) -> str:
    """Return a figure of the table; with unknown parts a lower bound, else why there is none."""
    unit = unit_of(stem)
    if figure.value is not None:
        return format_number(figure.value, unit)
    if figure.at_least is not None:
        return format_total(figure.at_least, unit, unknown=1)
    return figure.reason


def compared_words(over_time: FigureOverTime, figure: Figure) -> str:
    """Return an earlier figure with the change since: ``38.40 M (+3.10 % since)``."""
    text = figure_words(over_time.stem, figure)
    percent = over_time.percent(figure)
    if percent is None or figure.value is None:
        return text
    return f"{text} ({format_percent(percent)} since)" if percent else f"{text} (no change since)"


def budget_words(stem: str, budget: Budget | None, distance: Fraction | None) -> str:
    """Return a budget and what is left of it."""
    if budget is None:
        return "none"
    unit = unit_of(stem)
    most = format_number(float(budget.most) if budget.most.denominator > 1 else int(budget.most), unit)
    if distance is None:
        return f"{most}, distance unknown"
    share = f" ({format_percent(float(100 * abs(distance) / budget.most)).lstrip('+')})" if budget.most else ""
    amount = format_number(float(abs(distance)) if distance.denominator > 1 else abs(int(distance)), unit)
    return f"{amount}{share} left of {most}" if distance >= 0 else f"{amount}{share} over {most}"


def headline(model: ModelHistory) -> str:
    """Return the first sentence on a model: over which reports, and what moved lately."""
    count = model.rows.num_rows
    if not count:
        return "No commit of the list has a report that can be shown."
    first, last = day_of(model, 0), day_of(model, count - 1)
    return (
        f"{plural(count, 'report')} from {first} to {last}, {plural(len(model.changes), 'change')}; the newest of "
        f"{short(commit_of(model, count - 1))}."
    )
