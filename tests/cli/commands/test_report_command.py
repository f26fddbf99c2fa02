"""report: the files of a folder: exact, equal in every format, the same bytes each time, all written or none."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from command import CPU, WHEN, call, contents, small_model, spawn, summary_of, write_model, write_report
from markdown_it import MarkdownIt
from messages import entry, graph, node, op_log, ran, run_meta, used

import tfprof_report.render.write

HUMAN = {"report.html", "report.md"}
BEYOND_DOUBLE = 2**53 + 1


class Cells(HTMLParser):
    """All cells of all tables, as text and title."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append(("", dict(attrs).get("title")))

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and self.lasttag in ("td", "th"):
            text, title = self.rows[-1][-1]
            self.rows[-1][-1] = (text + data, title)


def html_total(folder: Path, label: str) -> str:
    """Return the exact total of the figure `label` in the page: the title of the cell, else its text."""
    parser = Cells()
    parser.feed((folder / "report.html").read_text())
    text, title = next(row for row in parser.rows if row and row[0][0] == label)[1]
    return (title or text).removesuffix(" us").replace(",", "")


def markdown_rows(folder: Path) -> list[str]:
    """Return the rows of all tables of the Markdown file, as the text of their cells."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse((folder / "report.md").read_text())
    rows: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append("")
        elif token.type == "inline" and token.level > 3:
            rows[-1] += f"{token.content}|"
    return rows


def test_the_folder_is_complete_and_its_summary_lists_every_file(tmp_path: Path) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "deep" / "out"
    outcome = call("report", model, "--out", out, "--timestamp", WHEN)
    files = contents(out)
    tables = {name for name in files if name.endswith(".parquet")}
    assert {"nodes.parquet", "steps.parquet", "scope.parquet", "op.parquet"} <= tables
    assert files.keys() == HUMAN | tables | {"summary.json", "verdict.json"}
    assert summary_of(out)["files"] == {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        for name, data in files.items()
        if name != "summary.json"
    }
    assert outcome.code == 0
    assert outcome.err == f"tfprof-report: {model}: reading graph.pb, run_meta_1, run_meta_2, tfprof_log\n"
    listed = re.findall(r"\S+\.(?:html|md|parquet)", outcome.out)
    assert set(listed) == {str(out / name) for name in HUMAN | tables}
    assert outcome.out.endswith("\nNOT JUDGED: 3 nodes without a baseline, no gates.\n")


def test_files_are_as_readable_as_any_other_of_the_user(tmp_path: Path) -> None:
    out = write_report(small_model(tmp_path / "m"), tmp_path / "out")
    plain = tmp_path / "plain"
    plain.touch()
    assert {path.stat().st_mode for path in out.iterdir()} == {plain.stat().st_mode}


def test_a_second_report_replaces_the_first_and_leaves_other_files_alone(tmp_path: Path) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "out"
    assert call("diff", model, model, "--out", out, "--timestamp", WHEN).code == 0
    assert "diff_nodes.parquet" in contents(out)
    (out / "notes.txt").write_text("mine")
    (out / "graph.pb").write_bytes(b"mine too")
    (out / "nodes.parquet").write_bytes(b"changed")
    write_report(model, out)
    fresh = write_report(model, tmp_path / "fresh")
    assert contents(out) == contents(fresh) | {"notes.txt": b"mine", "graph.pb": b"mine too"}


def test_a_summary_cannot_make_us_remove_files_of_others(tmp_path: Path) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "out"
    out.mkdir()
    (out / "precious").write_text("mine")
    (out / "summary.json").write_text(json.dumps({"files": {"precious": {}, "../m/graph.pb": {}}}))
    write_report(model, out)
    assert (out / "precious").exists()
    assert (model / "graph.pb").exists()


@pytest.mark.parametrize("failing", ["render_html", "render_parquet", "render_summary"])
def test_a_failure_while_writing_keeps_the_earlier_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    model, out = small_model(tmp_path / "m"), tmp_path / "out"
    write_report(model, out)
    before = contents(out)
    monkeypatch.setattr(tfprof_report.render.write, failing, fail)
    outcome = call("report", model, "--out", out)
    line = f"{out} (--out): cannot be written (No space left on device); give a folder that can be written"
    assert (outcome.code, outcome.out, outcome.error) == (3, "", line)
    assert contents(out) == before
    assert call("report", model, "--out", tmp_path / "new" / "deep").code == 3
    assert not (tmp_path / "new").exists()


def test_a_report_that_cannot_be_renamed_is_not_complete(tmp_path: Path) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "out"
    (out / "op.parquet").mkdir(parents=True)
    outcome = call("report", model, "--out", out)
    line = "cannot be written (Is a directory); give a folder that can be written"
    assert outcome.error == f"{out / 'op.parquet'} (--out): {line}"
    assert "summary.json" not in {path.name for path in out.iterdir()}
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


def test_the_same_inputs_give_the_same_bytes_whatever_the_hash_seed_and_the_listing(tmp_path: Path) -> None:
    made = small_model(tmp_path / "made")
    outs = []
    for seed in ("0", "1"):
        model = tmp_path / seed / "m"
        model.mkdir(parents=True)
        # on many file systems the order of creation determines the order of the listing
        for file in sorted(made.iterdir(), reverse=seed == "1"):
            shutil.copy(file, model)
        given = ["diff", "m", "m", "--out", "out", "--gate", "params <= +0"]
        done = spawn(*given, folder=tmp_path / seed, PYTHONHASHSEED=seed, SOURCE_DATE_EPOCH="1714638600")
        assert done.code == 0
        outs.append(tmp_path / seed / "out")
    assert contents(outs[0]) == contents(outs[1])
    assert summary_of(outs[0])["timestamp"] == "2024-05-02T08:30:00Z"


def test_paths_stand_in_the_outputs_as_they_were_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_model(tmp_path / "m")
    monkeypatch.chdir(tmp_path)
    outcome = call("report", "./m/../m/graph.pb", "--op-log", "m//tfprof_log", "--out", "o", "--timestamp", WHEN)
    assert outcome.code == 0
    assert [file["path"] for file in summary_of(Path("o"))["side"]["inputs"]] == ["./m/../m/graph.pb", "m//tfprof_log"]
    assert b"./m/../m/graph.pb" in Path("o/report.html").read_bytes()
    assert str(tmp_path).encode() not in b"".join(contents(Path("o")).values())


def test_every_output_has_the_same_exact_total(tmp_path: Path) -> None:
    nodes = [node("a", "MatMul"), node("s/b", "MatMul"), node("s/c", "MatMul")]
    log = op_log(entry("a", float_ops=2**53), entry("s/b", float_ops=1))
    out = write_report(write_model(tmp_path / "m", graph(*nodes), log=log), tmp_path / "out")
    summary = {total["stem"]: total for total in summary_of(out)["totals"]}
    assert summary["float_ops"] == {
        "stem": "float_ops",
        "value": None,
        "at_least": str(BEYOND_DOUBLE),
        "unknown_nodes": 1,
        "known": 2,
        "capable": 3,
    }
    assert html_total(out, "FLOPs") == f"at least {BEYOND_DOUBLE}; 1 node unknown"
    with duckdb.connect() as database:
        (total,) = database.sql(f"SELECT sum(float_ops) FROM '{out}/nodes.parquet'").fetchall()[0]
        scopes = database.sql(f"SELECT sum(total_float_ops) FROM '{out}/scope.parquet' WHERE depth = 1").fetchall()
        ops = database.sql(f"SELECT sum(total_float_ops) FROM '{out}/op.parquet'").fetchall()
    assert (total, scopes, ops) == (BEYOND_DOUBLE, [(BEYOND_DOUBLE,)], [(BEYOND_DOUBLE,)])


def test_small_totals_are_exact_in_markdown_too(tmp_path: Path) -> None:
    out = write_report(small_model(tmp_path / "m", width=5, float_ops=321), tmp_path / "out")
    rows = markdown_rows(out)
    assert any(row.startswith("FLOPs|331|") for row in rows)
    assert any(row.startswith("Parameters|15|") for row in rows)


def test_what_is_not_known_is_null_and_said_to_be_unknown(tmp_path: Path) -> None:
    model = write_model(tmp_path / "m", graph(node("a", "MatMul"), node("v", "VariableV2", shape=[-1, 3])))
    out = write_report(model, tmp_path / "out")
    totals = {total["stem"]: total["value"] for total in summary_of(out)["totals"]}
    assert totals == dict.fromkeys(totals) | {"definition_count": 2}
    nodes = pq.read_table(out / "nodes.parquet")
    assert nodes.select(["params", "float_ops", "run_float_ops", "bytes", "micros", "run_count"]).to_pylist() == [
        {"params": 0, "float_ops": None, "run_float_ops": None, "bytes": None, "micros": None, "run_count": None},
        {"params": None, "float_ops": 0, "run_float_ops": None, "bytes": None, "micros": None, "run_count": None},
    ]
    assert html_total(out, "FLOPs") == html_total(out, "Op time") == "unknown"


def floats_of(table: pa.Table) -> list[pa.ChunkedArray]:
    return [column for column in table.columns if pa.types.is_floating(column.type)]


@pytest.mark.thorough
def test_no_output_holds_nan_or_infinity(tmp_path: Path) -> None:
    base = small_model(tmp_path / "b", float_ops=0, micros=0)
    head = small_model(tmp_path / "h", width=0)
    zero = write_model(tmp_path / "z", graph(node("fc/MatMul", "MatMul")), {1: run_meta({CPU: []})})
    for number, (left, right) in enumerate([(base, head), (head, base), (zero, head), (head, zero)]):
        out = tmp_path / f"out{number}"
        assert call("diff", left, right, "--out", out, "--timestamp", WHEN).code in (0, 5)
        for file in out.glob("*.parquet"):
            for column in floats_of(pq.read_table(file)):
                assert pc.all(pc.is_finite(column)).as_py() in (True, None), file
        for name in ("summary.json", *HUMAN):
            assert not re.search(r"\b(NaN|nan|inf|-inf|Infinity)\b", strip_assets((out / name).read_text())), name
        json.loads((out / "summary.json").read_text(), parse_constant=pytest.fail)


def strip_assets(text: str) -> str:
    return re.sub(r"<(style|script).*?</\1>", "", text, flags=re.DOTALL)


def test_hostile_names_come_out_as_text_everywhere(tmp_path: Path) -> None:
    names = ["</script><b>|", "a\nb", "_TFProfRoot", "`x`|y", "[l](javascript:x)", "", "é/名", "-" * 300]
    model = write_model(tmp_path / "m", graph(*(node(name, "Op<i>|" if name else "A") for name in names)))
    out = write_report(model, tmp_path / "out")
    assert pq.read_table(out / "nodes.parquet")["name"].to_pylist() == [name for name in names if name]
    page = strip_assets((out / "report.html").read_text())
    assert "&lt;/script&gt;&lt;b&gt;|" in page
    assert "<b>" not in page
    assert "<i>" not in page
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render((out / "report.md").read_text())
    assert "<b>" not in rendered.replace("<strong>", "")
    assert "javascript:x)" in rendered
    assert 'href="javascript' not in rendered
    assert "a\\nb" in rendered


def test_zero_nodes_are_inconclusive_and_reported_all_the_same(tmp_path: Path) -> None:
    model = write_model(tmp_path / "m", graph())
    outcome = call("report", model, "--out", tmp_path / "o", "--gate", "definition_count <= 5")
    assert outcome.code == 5
    assert outcome.out.splitlines()[-1].startswith("INCONCLUSIVE: head has no nodes")
    assert summary_of(tmp_path / "o")["verdict"]["exit_code"] == 5


def test_duplicate_nodes_are_warned_of_and_counted_once(tmp_path: Path) -> None:
    twice = graph(node("v", "VariableV2", shape=[2]), node("v", "VariableV2", shape=[3]))
    outcome = call("report", write_model(tmp_path / "m", twice), "--out", tmp_path / "o")
    assert outcome.err.splitlines()[-1] == (
        "tfprof-report: warning: graph nodes that repeat an earlier name are left out: 1, such as v"
    )
    assert html_total(tmp_path / "o", "Parameters") == "2"
    found = summary_of(tmp_path / "o")["diagnostics"]
    assert [(warning["code"], warning["count"], warning["examples"]) for warning in found] == [
        ("duplicate_nodes", 1, ["v"])
    ]


def test_the_names_that_the_user_gives_stand_in_the_outputs(tmp_path: Path) -> None:
    words = {"label": "res|net <b>", "commit": "0123abc", "branch": "feature/ü", "timestamp": "today"}
    given = [part for name, word in words.items() for part in (f"--{name}", word)]
    out = tmp_path / "o"
    assert call("report", small_model(tmp_path / "m"), "--out", out, *given).code == 0
    side = summary_of(out)["side"]
    assert {name: side[name] for name in words} == words
    metadata = pq.read_schema(out / "nodes.parquet").metadata
    assert {name: metadata[f"tfprof_report.{name}".encode()].decode() for name in words} == words
    assert "<b>" not in strip_assets((out / "report.html").read_text())


def test_options_choose_what_the_views_show_and_nothing_else(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    out = write_report(model, tmp_path / "o", "--max_depth", "2", "--select", "params", "--hide-name-regexes", "out")
    plain = write_report(model, tmp_path / "p")
    shown = pq.read_table(out / "scope.parquet", columns=["name", "shown", "position"]).to_pylist()
    assert [row["name"] for row in shown if row["shown"]] == ["fc"]
    assert pq.read_table(out / "nodes.parquet").equals(pq.read_table(plain / "nodes.parquet"))
    assert summary_of(out)["totals"] == summary_of(plain)["totals"]
    assert summary_of(out)["options"]["max_depth"] == 2
    assert "Op time" not in [row.split("|")[0] for row in markdown_rows(out)][-3:]


@pytest.mark.parametrize("depth", ["1", "3"])
@pytest.mark.parametrize("order", ["name", "params", "occurrence"])
def test_root_totals_do_not_depend_on_depth_and_order(tmp_path: Path, depth: str, order: str) -> None:
    given = ["--max-depth", depth, "--order-by", order]
    out = write_report(small_model(tmp_path / "m"), tmp_path / "o", *given)
    top = pq.read_table(out / "scope.parquet").filter(pc.field("depth") == 1)
    totals = {total["stem"]: total["value"] for total in summary_of(out)["totals"]}
    for stem in ("params", "float_ops", "micros", "run_count", "definition_count"):
        assert math.isclose(pc.sum(top[f"total_{stem}"]).as_py(), totals[stem]), stem
    assert totals == totals | {"params": 12, "float_ops": 32, "micros": 50, "run_count": 2, "definition_count": 3}


def test_budgets_are_judged_without_a_baseline(tmp_path: Path) -> None:
    gates = ["params <= 12", "float_ops == 32", "device_peak_bytes <= 4KiB", "micros <= 49us", "bytes >= 1"]
    given = [part for gate in gates for part in ("--gate", gate)]
    outcome = call("report", small_model(tmp_path / "m"), "--out", tmp_path / "o", *given)
    assert outcome.code == 1
    found = {gate["gate"]: gate["status"] for gate in summary_of(tmp_path / "o")["verdict"]["gates"]}
    assert found == dict.fromkeys(gates, "passed") | {"micros <= 49us": "failed"}
    assert outcome.out.splitlines()[-1] == (
        "FAILED: micros <= 49us: 50, allowed at most 49 microseconds; 3 nodes without a baseline, 4 of 5 gates passed."
    )


def test_a_report_of_a_report_shows_the_same(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    given = ["--select", "params,micros", "--hide-name-regexes", "fc", "--order-by", "micros", "--label", "x"]
    first = write_report(model, tmp_path / "first", *given)
    again = write_report(first, tmp_path / "again")
    one, two = contents(first), contents(again)
    assert one == two


def test_step_numbers_of_one_step_are_exact(tmp_path: Path) -> None:
    big = 2**53 + 1
    trace = run_meta({CPU: [ran("a", micros=3, memory=[used("cpu", total=big)])]})
    out = write_report(write_model(tmp_path / "m", graph(node("a", "X")), {3: trace}), tmp_path / "o")
    totals = {total["stem"]: total["value"] for total in summary_of(out)["totals"]}
    assert totals["bytes"] == str(big)
    assert html_total(out, "Requested memory") == f"{big} B"
    assert pq.read_table(out / "steps.parquet")["bytes"].to_pylist() == [big]
