"""--acknowledged: the file of accepted changes, and what is wrong with one."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest
from command import call, small_model

from tfprof_report.cli.config.acknowledged import read_acknowledged
from tfprof_report.compare.gates.policy import Acknowledgement
from tfprof_report.errors import OptionError

GOOD = {"metric": "'params'", "value": "15", "reason": "'wider'", "expires": "2030-01-31"}


def entry(**changes: str | None) -> str:
    lines = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    return "[[acknowledged]]\n" + "".join(f"{key} = {value}\n" for key, value in lines.items())


def test_entries_are_read_in_order_with_exact_values(tmp_path: Path) -> None:
    file = tmp_path / "ok.toml"
    file.write_text(
        entry(node="'fc/*'", reason='"""wider\n  layer"""')
        + entry(metric="'bytes'", value="'1.5MiB'", model="'enc*'")
        + entry(metric="'float_ops'", value="'25.6M'")
        + entry(metric="'device_peak_bytes'", value="9007199254740993")
    )
    read = read_acknowledged(str(file))
    assert [(each.item.metric, each.item.node, each.item.value, each.glob) for each in read] == [
        ("params", "fc/*", Fraction(15), "**"),
        ("bytes", "**", Fraction(3 * 2**19), "enc*"),
        ("float_ops", "**", Fraction(25_600_000), "**"),
        ("device_peak_bytes", "**", Fraction(2**53 + 1), "**"),
    ]
    assert read[0].item == Acknowledgement(
        metric="params",
        value=Fraction(15),
        reason="wider layer",
        expires=date(2030, 1, 31),
        node="fc/*",
        source=f"{file}, acknowledged 1",
    )


def test_a_file_without_entries_accepts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "ok.toml"
    file.write_text("# nothing yet\n")
    assert read_acknowledged(str(file)) == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"reason": None}, "has no reason; add why, in a sentence"),
        ({"expires": None}, "has no expires; add the last day on which it is valid, such as 2027-01-31"),
        ({"metric": None}, "has no metric; add the name of a metric, such as float_ops"),
        ({"value": None}, 'has no value; add the new total, such as 25 or "25.6M"'),
        ({"reason": "' '"}, 'reason is empty, or not text; write reason = "..."'),
        ({"node": "3"}, 'node is empty, or not text; write node = "..."'),
        ({"node": "'a['"}, 'a "[" of the glob "a[" has no "]"; write "[[]" for the character'),
        ({"expires": "'2030-01-31'"}, "expires is not a date; write expires = 2027-01-31, without quotes"),
        ({"expires": "2030-01-31T00:00:00"}, "expires is not a date; write expires = 2027-01-31, without quotes"),
        ({"metric": "'parms'"}, '"parms" is not known; did you mean params?'),
        ({"metric": "'micros'"}, "micros is a time, which differs from run to run; give its gate a wider limit, "),
        ({"metric": "'device_peak_bytes'", "node": "'a'"}, "device_peak_bytes is of a device, not of nodes; leave out"),
        ({"value": "1.5"}, 'value is neither a whole number nor a text; give the new total, such as 25 or "25.6M"'),
        ({"value": "true"}, "value is neither a whole number nor a text"),
        ({"value": "'+5'"}, "value has a sign; give the new total, not the difference"),
        ({"value": "-5"}, "value has a sign; give the new total, not the difference"),
        ({"value": "'-5%'"}, "value has a sign; give the new total, not the difference"),
        ({"reson": "'a'"}, "reson is not known; did you mean reason?"),
    ],
)
def test_a_wrong_entry_is_named_by_its_number(tmp_path: Path, changes: dict[str, str | None], said: str) -> None:
    file = tmp_path / "ok.toml"
    file.write_text(entry() + entry(**changes))
    with pytest.raises(OptionError) as error:
        read_acknowledged(str(file))
    assert str(error.value).startswith(f"{file}, acknowledged 2: {said}")


@pytest.mark.parametrize(("text", "said"), [("'5MiB'", "params"), ("'five'", "this is not a gate")])
def test_a_value_that_is_no_figure_of_the_metric_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "ok.toml"
    file.write_text(entry(value=text))
    with pytest.raises(OptionError, match=said):
        read_acknowledged(str(file))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acknowledged = 1", "acknowledged is not a list of tables; begin each change with a line [[acknowledged]]"),
        ("acknowledged = [1]", "acknowledged is not a list of tables; begin each change with a line [[acknowledged]]"),
        ("[acknowledged]\nmetric = 'params'", "acknowledged is not a list of tables; begin each change with a line"),
        ("[[acknowleged]]", "acknowleged is not known; begin each change with a line [[acknowledged]]"),
        ("acknowledged", "is not a TOML file ("),
        ("[[acknowledged]]\n" * 1001, "acknowledged has more than 1,000 items"),
    ],
)
def test_what_is_no_such_file_is_a_usage_error(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "ok.toml"
    file.write_text(text)
    outcome = call("report", small_model(tmp_path / "m"), "--out", tmp_path / "o", "--acknowledged", file)
    assert outcome.code == 2
    assert outcome.error.startswith(f"{file} (--acknowledged): {said}")


def test_an_accepted_change_passes_the_gate_that_it_would_fail_until_it_expires(tmp_path: Path) -> None:
    base, head = small_model(tmp_path / "b"), small_model(tmp_path / "h", width=5)
    file = tmp_path / "ok.toml"
    file.write_text(entry(node="'fc/*'"))
    arguments = ("diff", base, head, "--out", tmp_path / "o", "--gate", "params <= +0", "--acknowledged", file)
    assert call(*arguments, "--timestamp", "2030-01-31T23:59:59Z").code == 0
    assert call(*arguments, "--timestamp", "2030-02-01T00:00:00Z").code == 1
    assert call(*arguments[:-2]).code == 1


@pytest.mark.thorough
def test_accepted_changes_of_some_models_are_for_those_alone(tmp_path: Path) -> None:
    base, head = small_model(tmp_path / "b"), small_model(tmp_path / "h", width=5)
    file = tmp_path / "ok.toml"
    models = [
        word for name in ("one", "two") for word in ("--model", f"{name}={head}", "--base-model", f"{name}={base}")
    ]
    arguments = ("report", *models, "--out", tmp_path / "o", "--gate", "params <= +0", "--acknowledged", file)
    file.write_text(entry(model="'one'"))
    outcome = call(*arguments)
    assert outcome.code == 1
    words = {
        line.split(": ")[0]: line.split(": ")[1] for line in outcome.out.splitlines() if line[:3] in ("one", "two")
    }
    assert words == {"one": "OK", "two": "FAILED"}
    file.write_text(entry(model="'three'"))
    assert call(*arguments).error.startswith(
        f'{file}, acknowledged 1: no model is called "three"; choose from one, two'
    )
