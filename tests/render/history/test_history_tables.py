"""Models by figures, and what moved over stretches, as cells."""

from __future__ import annotations

from indexed import index_row
from made_histories import COMMIT_URL, made_history

from tfprof_report.history.history_data import History
from tfprof_report.render.history.history_content import MOST_CHANGES, history_content
from tfprof_report.render.history.history_tables import FigureCell, NetCell, models_index, nets_of


def cells(history: History, place: int = 0) -> list[FigureCell]:
    return list(models_index(history_content(history)).rows[place].cells)


def shown(cell: FigureCell) -> list[tuple[str, str]]:
    return [(each.text, each.tone) for each in (cell.now, *cell.notes)]


def net(history: History, words: str) -> NetCell:
    """Return the cell of the first figure of a stretch."""
    nets = nets_of(history, history_content(history).models[0])
    return next(row.cells[0] for row in nets.rows if row.words.text == words)


def test_a_figure_has_its_moves_and_what_is_left_of_its_budget() -> None:
    values = {0: 800, 12: 1000, 40: 1100, 42: 1100}
    rows = [index_row(f"c{number}", params=value) for number, value in values.items()]
    history = made_history({"m": rows}, count=43, gates=["params <= 1200"])
    assert shown(cells(history)[0]) == [
        ("1.10 k", ""),
        ("7 days: +10.00 %", "up"),
        ("30 days: +10.00 %", "up"),
        ("best: 800", ""),
        ("budget: 100 (8.33 %) left of 1.20 k", ""),
    ]
    over = made_history({"m": rows}, count=43, gates=["params <= 1000"])
    assert shown(cells(over)[0])[-1] == ("budget: 100 (10.00 %) over 1.00 k", "failed")


def test_what_cannot_be_said_of_a_figure_is_said() -> None:
    young = made_history({"m": [index_row("c0", params=5), index_row("c3", params=5)]}, count=4)
    assert shown(cells(young)[0])[1:] == [
        ("7 days: no report is that old", "unknown"),
        ("30 days: no report is that old", "unknown"),
        ("best: 5", ""),
    ]
    tagged = made_history({"m": [index_row("c0", params=4), index_row("c3", params=5)]}, count=4, tags={"c0": ("v1",)})
    assert shown(cells(tagged)[0])[3:] == [("release: +25.00 %", "up"), ("best: 4", "")]
    unknown = made_history({"m": [index_row("c0", params_at_least=5, params_unknown=2)]}, count=1)
    assert shown(cells(unknown)[0]) == [("at least 5", "unknown")]
    noisy = made_history({"m": [index_row("c0", wall_micros=8.0), index_row("c9", wall_micros=9.0)]}, count=10)
    assert shown(cells(noisy)[0])[1] == ("7 days: +12.50 %", "")


def test_the_index_has_a_column_for_each_figure_of_any_model() -> None:
    models = {"a": [index_row("c0", params=5)], "b": [index_row("c0", float_ops=7)], "none": [index_row("x", params=1)]}
    index = models_index(history_content(made_history(models, count=1)))
    assert index.labels == ("Parameters", "FLOPs")
    texts = [[row.name.text, row.anchor, *(cell.now.text for cell in row.cells)] for row in index.rows]
    assert texts == [
        ["a", "model-1", "5", "\u2013"],
        ["b", "model-2", "\u2013", "7"],
        ["none", "model-3", "\u2013", "\u2013"],
    ]


def test_a_net_names_its_largest_steps_with_links_to_their_changes() -> None:
    values = [100, 101, 121, 91, 95, 95]
    history = made_history({"m": [index_row(f"c{place}", params=each) for place, each in enumerate(values)]}, count=6)
    found = net(history, "Since the first report")
    assert (found.delta.text, found.delta.tone, found.note) == (
        "\u22125 (\u22125.00 %)",
        "down",
        "4 steps, the largest",
    )
    assert [(step.delta.text, step.commit.text, step.url) for step in found.largest] == [
        ("\u221230", "c3", "#model-1-change-3"),
        ("+20", "c2", "#model-1-change-2"),
        ("+4", "c4", "#model-1-change-4"),
    ]
    anchors = [change.anchor for change in history_content(history).models[0].changes]
    assert {step.url.removeprefix("#") for step in found.largest} <= set(anchors)


def test_changes_that_end_at_the_same_commit_have_anchors_of_their_own() -> None:
    figures: list[dict[str, int]] = [{"params": 1, "float_ops": 1}, {"params": 1}, {"params": 2, "float_ops": 2}]
    rows = [index_row(f"c{place}", **each) for place, each in enumerate(figures)]
    history = made_history({"m": rows}, count=3)
    anchors = [change.anchor for change in history_content(history).models[0].changes]
    assert anchors == ["model-1-change-2", "model-1-change-0-2"]
    found = nets_of(history, history_content(history).models[0]).rows[0].cells
    assert [step.url for cell in found for step in cell.largest] == ["#model-1-change-0-2", "#model-1-change-2"]


def test_a_sentence_says_of_which_figures_it_knows_nothing() -> None:
    def since_the_first(**figures: list[int | None]) -> str:
        rows = [index_row(f"c{place}", params=7, float_ops=each) for place, each in enumerate(figures["float_ops"])]
        rows = [{**row, "counting": way} for row, way in zip(rows, figures.get("counting", "aaa"), strict=True)]
        return history_content(made_history({"m": rows}, count=3)).models[0].stretches[-1]

    lead = "Since the first report"
    assert since_the_first(float_ops=[1, 1, 1]) == f"{lead}, nothing moved."
    assert since_the_first(float_ops=[1, 1, None]) == f"{lead}, nothing moved; FLOPs cannot be compared."
    assert since_the_first(float_ops=[1, 1, 2], counting=[*"abb"]) == f"{lead}, nothing can be compared."


def test_a_net_of_one_step_of_none_and_of_steps_that_cancel() -> None:
    def since_the_first(*values: int | None) -> tuple[str, str, int]:
        rows = [index_row(f"c{place}", params=each) for place, each in enumerate(values)]
        found = net(made_history({"m": rows}, count=len(values)), "Since the first report")
        return found.delta.text, found.note, len(found.largest)

    assert since_the_first(5, 10) == ("+5 (+100.00 %)", "", 1)
    assert since_the_first(0, 10) == ("+10 (new from 0)", "", 1)
    assert since_the_first(5, 5) == ("no change", "", 0)
    assert since_the_first(5, 10, 5) == ("no change in all", "2 steps", 2)
    assert since_the_first(None, 5) == ("cannot be compared", "", 0)
    assert since_the_first(*range(1000, 1090, 9)) == ("+81 (+8.10 %)", "drift in 9 small steps, the largest", 3)


def test_a_step_whose_change_is_not_shown_leads_to_its_commit() -> None:
    count = MOST_CHANGES + 3
    rows = [index_row(f"c{number}", params=2**number if number < 2 else 1000 + number) for number in range(count)]
    found = net(made_history({"m": rows}, count=count), "Since the first report")
    assert [step.url for step in found.largest] == [
        COMMIT_URL.replace("{commit}", "c2"),
        COMMIT_URL.replace("{commit}", "c1"),
        f"#model-1-change-{3}",
    ]


def test_a_tag_with_odd_characters_is_shown_as_escapes() -> None:
    rows = [index_row("c0", params=1), index_row("c2", params=1)]
    nets = nets_of(
        history := made_history({"m": rows}, count=3, tags={"c0": ("\u202ev1",)}), history_content(history).models[0]
    )
    assert "Since \\u202ev1" in [row.words.text for row in nets.rows]
