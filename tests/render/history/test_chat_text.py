"""The text for a chat: what moved, how often at most, and that names are text."""

from __future__ import annotations

import re

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from indexed import commits_of, history_of, model_of

from tfprof_report.formatting import MINUS
from tfprof_report.history.history_data import History, ModelHistory
from tfprof_report.render.history.chat_text import render_chat
from tfprof_report.render.history.history_words import stretch_words
from tfprof_report.report.links import Links

URL = "https://git.example/c"
HOSTILE = (
    *(
        "@channel",
        "<!here>",
        "<@U024BE7LH>",
        "<https://evil.example|x>",
        "[x](http://evil.example)",
        "a\nb",
        "#general",
    ),
    *("www.evil.example", "#general"),
)


def text_of(*models: ModelHistory) -> list[str]:
    return render_chat(history_of(*models)).splitlines()


def test_what_moved_the_largest_commits_budgets_and_drift() -> None:
    net = model_of(
        {"params": [100, 100, 100, 101, 102, 103, 104, 105, 106, 107], "float_ops": [50] * 8 + [80, 60]},
        name="net",
        gates=["params <= 110", "float_ops <= 55"],
    )
    history = history_of(
        net,
        model_of({"params": [7] * 10}, name="other"),
        store_url="https://store.example/s",
        links=Links(commit=f"{URL}/{{commit}}"),
    )
    assert render_chat(history).splitlines() == [
        "History of 2 models in baselines, up to 2024-01-10",
        "",
        "Moved in the last 7 days:",
        "net: FLOPs +10 (+20.00 %) to 60",
        "net: Parameters +7 (+7.00 %) to 107",
        "",
        "Largest commits:",
        f"c8, 2024-01-09, net: FLOPs +30 (+60.00 %), Parameters +1 (+0.95 %) {URL}/c8",
        f"c9, 2024-01-10, net: FLOPs {MINUS}20 ({MINUS}25.00 %), Parameters +1 (+0.94 %) {URL}/c9",
        f"c3, 2024-01-04, net: Parameters +1 (+1.00 %) {URL}/c3",
        f"c4, 2024-01-05, net: Parameters +1 (+0.99 %) {URL}/c4",
        f"c5, 2024-01-06, net: Parameters +1 (+0.98 %) {URL}/c5",
        "and 2 more",
        "",
        "Budgets at risk:",
        "net: FLOPs 5 (9.09 %) over 55",
        "net: Parameters 3 (2.73 %) left of 110",
        "",
        "Drift:",
        "net: Parameters +7 in 7 steps in the last 7 days, none of which is over a third of it",
    ]


def test_a_week_without_a_change_says_so() -> None:
    assert text_of(model_of({"params": [7] * 10}), model_of({"params": [8] * 9}, name="n")) == [
        "History of 2 models in baselines, up to 2024-01-10",
        "",
        "Nothing moved in the last 7 days.",
    ]


def test_what_drifts_has_moved_though_not_by_a_step() -> None:
    model = model_of({"wall_micros": [1000.0 + number + 4 * (number % 3) for number in range(40)]})
    lines = text_of(model)
    assert lines[2:5] == ["Nothing moved by a step in the last 7 days.", "", "Drift:"]
    assert lines[5].startswith("m: Wall time drifts: +")
    assert stretch_words(model, model.stretches[0]) == "In the last 7 days, nothing moved by a step."


def test_changes_that_cancel_each_other_out_are_said() -> None:
    lines = text_of(model_of({"params": [7] * 5 + [9] + [7] * 5}))
    assert lines[2] == "Nothing moved in the last 7 days, in all: the commits below cancel each other out."
    assert [line[:2] for line in lines[4:]] == ["La", "c5", "c6"]


def test_commits_do_not_cancel_each_other_out_where_figures_are_counted_in_another_way_since_then() -> None:
    model = model_of({"params": [7, 7, 8, 9], "counting": ["a", "a", "b", "b"]}, first=0, since="since v1")
    lines = text_of(model)
    assert lines[2] == "Nothing that can be compared moved since v1."
    assert lines[4:6] == ["Largest commits:", "c3, 2024-01-04, m: Parameters +1 (+12.50 %)"]


def test_an_unknown_figure_has_not_stayed_the_same() -> None:
    model = model_of(
        {"params": [7] * 9 + [None], "params_at_least": [None] * 9 + [6], "macs": [1] * 10}, more=("macs",)
    )
    assert text_of(model)[2:] == [
        "Nothing that can be compared moved in the last 7 days.",
        "",
        "Not compared: m Parameters (not known)",
    ]


def test_a_model_of_which_nothing_is_known_has_not_stayed_the_same() -> None:
    assert text_of(model_of({"params": [None] * 10}))[2:] == [
        "Nothing that can be compared moved in the last 7 days.",
        "",
        "Not compared: m (no figure is known)",
    ]


def test_a_lower_bound_beyond_the_budget_is_at_risk_and_so_is_what_is_unknown() -> None:
    figures = {"params": [None], "params_at_least": [60], "macs": [None], "float_ops": [1]}
    figures |= {"macs_at_least": [1]}
    lines = text_of(model_of(figures, gates=["params <= 50", "macs <= 50", "float_ops <= 50"]))
    assert lines[2] == "Nothing can be compared: no model has two reports."
    assert lines[4:7] == [
        "Budgets at risk:",
        "m: Parameters at least 60, budget 50",
        "m: MACs at least 1, budget 50",
    ]


def test_a_model_that_is_younger_than_the_others_says_since_when() -> None:
    old, young = model_of({"params": [1] * 10}, name="old"), model_of({"params": [1, 2]}, name="young")
    assert text_of(old, old, young)[2:4] == [
        "Moved in the last 7 days:",
        "young: Parameters +1 (+100.00 %) to 2, since the first report",
    ]


def test_a_stretch_that_was_asked_for_takes_the_place_of_the_week() -> None:
    model = model_of({"params": [5, 6, 6, 6, 6, 6, 6, 6, 6, 6]}, first=0, since="since v1")
    assert text_of(model)[2:4] == ["Moved since v1:", "m: Parameters +1 (+20.00 %) to 6"]


def test_names_from_models_and_stores_mention_nobody_and_are_no_links() -> None:
    for name in HOSTILE:
        history = history_of(model_of({"params": [1, 2]}, name=f"m {name}"), store=f"s3://{name}/x")
        text = render_chat(history)
        assert len(text.splitlines()) == 7
        assert not re.search(r"[@#]\w|<|>|://|\]\(|evil\.example", text)


@pytest.mark.parametrize("values", [[1, 2], [1, 1]])
def test_names_of_tags_mention_nobody_and_are_no_links(values: list[int]) -> None:
    for name in HOSTILE:
        text = render_chat(history_of(model_of({"params": values}, since=f"since {name}")))
        assert text.splitlines()[2].startswith(("Moved since ", "Nothing moved since "))
        assert not re.search(r"[@#]\w|<|>|://|\]\(|evil\.example", text)


@st.composite
def histories(draw: st.DrawFn) -> History:
    def model(number: int) -> ModelHistory:
        values = st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=15)
        params = draw(values)
        ops = draw(st.lists(st.integers(0, 9), min_size=len(params), max_size=len(params)))
        gates = draw(st.sampled_from([[], ["params <= 4"], ["params <= 0", "float_ops <= 9"]]))
        return model_of({"params": params, "float_ops": ops}, name=f"m{number}", gates=gates)

    return history_of(*map(model, range(draw(st.integers(1, 20)))))


@settings(max_examples=examples(30))
@given(histories())
def test_the_text_has_at_most_40_lines(history: History) -> None:
    text = render_chat(history)
    assert len(text.splitlines()) <= 40
    assert "|" not in text


def test_without_a_report_of_a_commit_nothing_can_be_compared() -> None:
    model = model_of({"params": [1, 2]}, commits=commits_of(0))
    assert text_of(model)[2:] == [
        "Nothing can be compared: no model has two reports.",
        "",
        "Not compared: m (0 reports)",
    ]
