"""The pages of docs/reference are what the code says, and say so where they are not."""

from __future__ import annotations

import re
from pathlib import Path

import build_reference
import pytest
from build_reference import FOLDER, differing, main, write
from command import call
from reference_pages import columns as columns_page
from reference_pages.columns import columns
from reference_pages.described_columns import UndescribedError
from reference_pages.exit_codes import exit_codes
from reference_pages.flops_rules import flops_rules
from reference_pages.markdown import plain, table
from reference_pages.pages import reference_pages
from repository import ROOT

from tfprof_report.batch.outcome import COLUMNS
from tfprof_report.errors import ExitCode
from tfprof_report.model.flops.rule_sets import DATA_DEPENDENT, rule_set
from tfprof_report.render.history.history_files import POINTS
from tfprof_report.render.side_by_side.machine_files import TIDY
from tfprof_report.schema.tables import TABLES

TABLES_MD = (ROOT / "docs" / "tables.md").read_text()


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reference_pages()


def test_committed_pages_are_what_the_code_says(pages: dict[str, str]) -> None:
    assert differing(FOLDER, pages) == [], "run make reference"


def test_pages_that_differ_are_named_and_written(tmp_path: Path) -> None:
    (tmp_path / "commands").mkdir()
    for name in ("same.md", "old.md", "commands/gone.md"):
        (tmp_path / name).write_text("a\n")
    pages = {"same.md": "a\n", "old.md": "b\n", "commands/new.md": "c\n"}
    assert differing(tmp_path, pages) == ["commands/gone.md", "commands/new.md", "old.md"]
    write(tmp_path, pages)
    assert differing(tmp_path, pages) == []


def test_a_difference_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_reference, "FOLDER", tmp_path)
    monkeypatch.setattr(build_reference, "reference_pages", lambda: {"a.md": ""})
    monkeypatch.setattr("sys.argv", ["build_reference.py", "--check"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == "docs/reference: a.md differ from the code; run make reference and commit what it writes"


def test_every_option_of_every_command_is_there(pages: dict[str, str]) -> None:
    commands = re.findall(r"^  ([a-z]+) ", call("--help").out.split("Commands:")[1], flags=re.MULTILINE)
    assert {f"commands/{name}.md" for name in commands} == {name for name in pages if name.startswith("commands/")}
    for name in commands:
        options = set(re.findall(r"^  (--[a-z-]+)", call(name, "--help").out, flags=re.MULTILINE))
        assert {option for option in options if f"`{option}`" not in pages[f"commands/{name}.md"]} == set()
    assert "## `tfprof-report baseline prune`" in pages["commands/baseline.md"]
    assert "| `--gate` `GATE` | | What must hold, such as" in pages["commands/diff.md"]
    assert "| `--cond` `max\\|sum\\|none` | `max` | Which branches of If and Case count:" in pages["commands/report.md"]


def test_every_column_is_there() -> None:
    text = columns()
    for name, schema in {**TABLES, "history": POINTS, "compare": TIDY, "batch": COLUMNS}.items():
        section = text.split(f"## `{name}.parquet`\n")[1].split("\n## ")[0]
        assert re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE) == schema.names
    assert "| `self_param_bytes` | int64 | bytes | `param_bytes` of the row alone |" in text
    assert "| `wall_micros_at_least` | float64 | microseconds | the total of the nodes that have the figure" in text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("| `is_fused` | bool |", "| `fused` | bool |", "steps.parquet: nothing is said of the column is_fused"),
        ("| `is_fused` | bool |", "| `is_fused` | int64 |", "steps.parquet: is_fused has the type bool, not int64"),
        ("| `is_fused` |", "| `is_fused`, `is_new` |", "steps.parquet: no table has the column is_new"),
        ("| `bigger_X` |", "| `larger_X` |", "Differences: nothing is said of the column bigger_params"),
    ],
)
def test_columns_that_are_told_otherwise_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, said: str
) -> None:
    assert TABLES_MD.count(old) == 1
    for path in (ROOT / "docs").glob("*.md"):
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / "tables.md").write_text(TABLES_MD.replace(old, new))
    monkeypatch.setattr(columns_page, "DOCS", tmp_path)
    with pytest.raises(UndescribedError, match=f"^{re.escape(said)}$"):
        columns()


def test_keys_have_type_and_meaning_and_link_to_what_is_in_them(pages: dict[str, str]) -> None:
    summary = pages["summary.md"]
    assert "| `totals` | list of [total](#total) | Each figure of head. |" in summary
    assert "| `options` | [table](#options) | The options that figures and shown rows follow from" in summary
    assert "\n## `options`\n" in summary
    assert "| `value` | number or string or null | Exact, in the unit of the figure; null where" in summary
    assert "| `level` | `fail`, `inform` | inform: the gate is judged" in pages["rules-file.md"]
    described = [pages[f"{name}.md"] for name in ("summary", "verdict", "history", "compare", "batch", "manifest")]
    assert [line for page in described for line in page.splitlines() if re.fullmatch(r"\|.*\| \|", line)] == []


def test_every_exit_code_is_there() -> None:
    codes = [int(code) for code in re.findall(r"^\| `(\d+)` \|", exit_codes(), flags=re.MULTILINE)]
    assert codes == [*map(int, ExitCode), 130]
    assert "the first of 3, 4, 1, 5 and 0 is used." in exit_codes()


def test_every_op_type_with_a_rule_is_there_once() -> None:
    rules = rule_set("extended")
    known = {op for rule in rules.rules for op in rule.ops} | DATA_DEPENDENT
    cells = re.findall(r"^(?:\| )?((?:`\w+` ?)+)", flops_rules().split("\n## ", 1)[1], flags=re.MULTILINE)
    named = [op for cell in cells for op in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(known)
    assert "| `Conv2D` | 2 N(out) in1[0] in1[1] in1[2] | *registry*; tensorflow/python/ops/nn_ops.py |" in flops_rules()


def test_text_of_the_code_is_nobodys_markup() -> None:
    assert plain("a|b *c* <d> x_y _z --max-depth") == r"a\|b \*c\* \<d> x_y \_z `--max-depth`"
    assert table(("a", "b"), [("1", ""), ("", "2")]) == "| a | b |\n| --- | --- |\n| 1 | |\n| | 2 |"
