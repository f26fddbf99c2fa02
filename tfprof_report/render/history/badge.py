"""A figure of a model as a badge: JSON of the endpoint format of shields.io."""

from __future__ import annotations

import json

from tfprof_report.formatting import UNKNOWN, format_number, in_a_sentence, label_of, unit_of
from tfprof_report.history.budgets import Standing
from tfprof_report.history.figures_over_time import FigureOverTime
from tfprof_report.history.history_data import ModelHistory

_COLORS = {
    Standing.WITHIN: "brightgreen",
    Standing.NEAR: "yellow",
    Standing.BEYOND: "red",
    Standing.UNKNOWN: "lightgrey",
    None: "blue",
}


def render_badge(model: ModelHistory, stem: str, *, is_named: bool) -> str:
    """Return the badge of the newest figure of a model, with the name of the model if it `is_named`.

    Its colour says where the figure stands to its budget; it is green only if the figure is wholly known. With
    ``isError`` nobody who embeds the badge of an unknown figure can give it another colour.
    """
    over_time = next((line.over_time for line in model.lines if line.stem == stem), None)
    label = in_a_sentence(label_of(stem))
    content: dict[str, object] = {
        "schemaVersion": 1,
        "label": f"{model.name} {label}" if is_named else label,
        **(_unknown() if over_time is None else _figure(stem, over_time)),
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def _figure(stem: str, over_time: FigureOverTime) -> dict[str, object]:
    now, unit = over_time.now, unit_of(stem)
    least = now.at_least if now.value is None else now.value
    if least is None:
        return _unknown()
    text = format_number(least, unit)
    message = text if now.value is not None else f"\N{GREATER-THAN OR EQUAL TO} {text}"
    return {"message": message, "color": _COLORS[over_time.standing]}


def _unknown() -> dict[str, object]:
    return {"message": UNKNOWN, "color": _COLORS[Standing.UNKNOWN], "isError": True}
