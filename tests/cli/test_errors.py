"""Any error is one line on standard error with the right exit code, and nothing is written."""

from __future__ import annotations

import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import CPU, call, contents, small_model, spawn, write_model, write_report
from interruption import signals_end, stopped_at
from messages import entry, graph, node, op_log, ran, run_meta

import tfprof_report.cli.commands.report_work
import tfprof_report.render.write
from tfprof_report.errors import ExitCode

USAGE = [
    (["frobnicate"], "No such command 'frobnicate'; see tfprof-report --help"),
    (["--frobnicate"], "No such option: --frobnicate; see tfprof-report --help"),
    (["scope", "--zork"], "No such option: --zork; see tfprof-report scope --help"),
    (["scope"], "no graph is named; give a graph file, a folder, or --graph FILE"),
    (["scope", ""], "INPUTS: the value is empty; is a variable unset?"),
    (["report", "M"], "Missing option '--out'; name the folder to write, here or in the rules file"),
    (["report", "M", "--out"], "Option '--out' requires an argument; see tfprof-report --help"),
    (["report", "M", "--out", ""], "--out: the value is empty; is a variable unset?"),
    (["report", "M", "N", "--out", "O"], "Got unexpected extra argument(s) (N); see tfprof-report report --help"),
    (["report", "M", "--out", "O", "--baseline", ""], "--baseline: the value is empty; is a variable unset?"),
    (
        ["report", "M", "--out", "O", "--gate", "params < 3"],
        (
            '--gate "params < 3": this is not a gate; write METRIC <= LIMIT, METRIC >= LIMIT or METRIC == LIMIT, '
            'or LOW <= METRIC <= HIGH, such as "float_ops <= +1%" or "bytes <= +5% or +64KiB"'
        ),
    ),
    (
        ["report", "M", "--out", "O", "--gate", "parms <= 3"],
        '--gate "parms <= 3": "parms" is not known; did you mean params?',
    ),
    (
        ["report", "M", "--out", "O", "--gate", "params <= +3"],
        (
            '--gate "params <= +3": a limit with a sign is relative to base and needs a baseline; compare with a '
            "baseline, or leave out the sign for an absolute budget"
        ),
    ),
    (
        ["report", "M", "--out", "O", "--hide-name-regexes", "(a"],
        (
            '--hide-name-regexes: "(a" is not a valid regex: missing ); use RE2 syntax, which has no look-around '
            "and no back references"
        ),
    ),
    (
        ["report", "M", "--out", "O", "--select", "params,parms"],
        '--select: "parms" is not known; did you mean params?',
    ),
    (["report", "M", "--out", "O", "--order-by", "parms"], '--order-by: "parms" is not known; did you mean params?'),
    (["report", "M", "--out", "O", "--step", "3"], "--step: there is no step 3; available: 1, 2"),
    (
        ["report", "M", "--out", "O", "--min-bytes", str(2**63)],
        "--min-bytes: 9223372036854775808 is outside the 64-bit range",
    ),
    (
        ["report", "M", "--out", "O", "--max-depth", "deep"],
        (
            "Invalid value for '--max-depth': Input should be a valid integer, unable to parse string as an integer; "
            "see tfprof-report report --help"
        ),
    ),
    (
        ["report", "M", "--out", "O", "--semantics", "native"],
        (
            "Invalid value for '--semantics': 'native' is not one of 'tfprof', 'corrected'; "
            "see tfprof-report report --help"
        ),
    ),
    (
        ["report", "M", "--out", "O", "--account-displayed-op-only=perhaps"],
        '--account-displayed-op-only: "perhaps" is neither true nor false',
    ),
    (["scope", "M", "--graph", "G"], None),
    (["scope", "-", "--run-meta", "-"], "standard input (-) is named more than once; it can be read only once"),
    (["scope", "G", "--run-meta", "7="], '--run-meta: "7=" names no file; write STEP=FILE'),
    (["diff", "--out", "O"], "BASE is missing; give BASE HEAD, or --base-graph and --head-graph"),
    (["diff", "M", "--out", "O"], "HEAD is missing; give BASE HEAD, or --base-graph and --head-graph"),
]


@pytest.mark.parametrize(("arguments", "line"), USAGE, ids=[" ".join(arguments) for arguments, _ in USAGE])
def test_a_usage_error_is_one_line_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], line: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    small_model(Path("M"))
    outcome = call(*arguments)
    if line is None:  # --graph is added to the folder, so the error is about the file
        assert (outcome.code, outcome.error) == (3, "G (--graph): no such file; check the path")
    else:
        assert (outcome.code, outcome.out, outcome.error) == (2, "", line)
    assert not Path("O").exists()


CUT = "the gzip data is cut short; write the file again"
INPUTS = [
    (["scope", "nosuch"], 3, "nosuch (--graph): no such file; check the path"),
    (
        ["op", "empty"],
        3,
        "empty: the folder holds no graph.pb, graph.pbtxt, saved_model.pb or trace; name the graph with --graph",
    ),
    (["scope", "M", "--run-meta", "nosuch"], 3, "nosuch (--run-meta): no such file; check the path"),
    (["scope", "M", "--op-log", "empty"], 3, "empty (--op-log): is a folder, not a file; name a file in it"),
    (["report", "cut.gz", "--out", "O"], 3, f"cut.gz (--graph): {CUT}"),
    (
        ["report", "M", "--out", "M/graph.pb"],
        3,
        "M/graph.pb (--out): cannot be written (File exists); give a folder that can be written",
    ),
    (
        ["report", "M", "--out", "M/graph.pb/deep"],
        3,
        "M/graph.pb/deep (--out): cannot be written (Not a directory); give a folder that can be written",
    ),
    (
        ["report", "M", "--out", "O", "--baseline", "nosuch"],
        4,
        (
            "nosuch: there is no such baseline; check the path, or give --baseline-missing warn "
            "for a first run without one"
        ),
    ),
    (
        ["report", "M", "--out", "O", "--baseline", "empty"],
        4,
        "empty: the folder holds no graph.pb, graph.pbtxt, saved_model.pb or trace; name the graph with --base-graph",
    ),
    (
        ["diff", "cut.gz", "M", "--out", "O"],
        4,
        "cut.gz (--base-graph): the gzip data is cut short; write the file again",
    ),
    (
        ["diff", "M", "cut.gz", "--out", "O"],
        3,
        f"cut.gz (--head-graph): {CUT}",
    ),
    (
        ["diff", "cut.gz", "cut.gz", "--out", "O"],
        3,
        f"cut.gz (--head-graph): {CUT}",
    ),
    (
        ["diff", "empty", "cut.gz", "--out", "O"],
        3,
        f"cut.gz (--head-graph): {CUT}",
    ),
    (
        ["report", "big", "--out", "O"],
        3,
        "big/graph.pb (--graph): the total of float_ops leaves the 64-bit range; check the numbers of the input",
    ),
    (
        ["scope", "--graph", "slashes/graph.pb"],
        3,
        (
            "node names imply scopes whose names take 20,000,100,000 bytes, more than "
            "134,217,728; check the graph's node names: one has too many slashes"
        ),
    ),
]


@pytest.mark.parametrize(("arguments", "code", "line"), INPUTS, ids=[" ".join(case[0]) for case in INPUTS])
def test_an_input_or_output_error_is_one_line_that_names_file_and_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    small_model(Path("M"))
    Path("empty").mkdir()
    Path("cut.gz").write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01\x02")
    write_model(Path("slashes"), graph(node("/" * 200_000, "A")))
    twice = op_log(entry("a", float_ops=2**62), entry("b", float_ops=2**62))
    write_model(Path("big"), graph(node("a", "MatMul"), node("b", "MatMul")), log=twice)
    outcome = call(*arguments)
    assert (outcome.code, outcome.out, outcome.error) == (code, "", line)
    assert not Path("O").exists()


def test_verbose_adds_the_details_of_an_error(tmp_path: Path) -> None:
    bad = tmp_path / "graph.pbtxt"
    bad.write_text('node { name: "a" op: }')
    plain, verbose = call("scope", bad), call("scope", bad, "--verbose")
    assert (
        plain.error
        == f"{bad} (--graph): the GraphDef text cannot be parsed at line 1; use --verbose for the parser's message"
    )
    first, details = verbose.err.split("\n", 1)
    assert first + "\n" == plain.err
    assert "1:22" in details
    assert (plain.code, verbose.code) == (3, 3)


def test_a_name_with_a_newline_does_not_break_the_line(tmp_path: Path) -> None:
    outcome = call("scope", tmp_path / "no\nsuch\x1b[31m")
    assert outcome.error == f"{tmp_path}/no\\nsuch\\x1b[31m (--graph): no such file; check the path"


def test_an_unforeseen_error_is_one_line_and_a_traceback_with_verbose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr("tfprof_report.cli.commands.text_view.read_model", fail)
    outcome = call("scope", small_model(tmp_path))
    line = "internal error (KeyError: 'a bug'); run with --verbose for the traceback and report it"
    assert (outcome.code, outcome.out, outcome.error) == (3, "", line)
    verbose = call("scope", tmp_path, "--verbose")
    assert (verbose.code, verbose.out, verbose.err.splitlines()[0]) == (3, "", f"tfprof-report: {line}")
    assert verbose.err.splitlines()[1] == "Traceback (most recent call last):"
    assert verbose.err.rstrip().endswith("KeyError: 'a bug'")


def test_running_out_of_memory_is_an_input_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("tfprof_report.cli.commands.text_view.read_model", fail)
    outcome = call("scope", small_model(tmp_path))
    assert (outcome.code, outcome.error) == (3, "out of memory; give the job more, or smaller inputs")


def test_an_interrupt_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tfprof_report.cli.commands.text_view.read_model", fail)
    outcome = call("scope", small_model(tmp_path))
    assert (outcome.code, outcome.error) == (130, "interrupted")


def test_each_exit_code_has_its_command(tmp_path: Path) -> None:
    model, out = small_model(tmp_path / "model"), tmp_path / "out"
    other = write_model(tmp_path / "other", graph(node("nothing", "in"), node("common", "x")))
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    expected = {
        ExitCode.OK: (["report", model], ["diff", model, model]),
        ExitCode.GATE_FAILED: (
            ["report", model, "--gate", "params <= 11"],
            ["diff", model, model, "--gate", "params <= -1"],
        ),
        ExitCode.USAGE: (["report", model, "--gate", "params"], ["diff", model]),
        ExitCode.INPUT: (["report", tmp_path / "nosuch"], ["diff", model, tmp_path / "nosuch"]),
        ExitCode.BASELINE: (
            ["report", model, "--baseline", tmp_path / "nosuch"],
            ["diff", tmp_path / "nosuch", model],
        ),
        ExitCode.INCONCLUSIVE: (["report", empty], ["diff", other, model]),
    }
    found = {
        code: tuple(call(*arguments, "--out", out).code for arguments in commands)
        for code, commands in expected.items()
    }
    assert found == {code: (code, code) for code in ExitCode}


def test_the_installed_script_ends_with_the_exit_code(tmp_path: Path) -> None:
    outcome = spawn("report", tmp_path / "nosuch", "--out", tmp_path / "out")
    assert (outcome.code, outcome.error) == (3, f"{tmp_path}/nosuch (--graph): no such file; check the path")


def test_of_several_exit_codes_the_first_of_3_4_1_5_0_is_used(tmp_path: Path) -> None:
    model, nosuch, out = small_model(tmp_path / "model"), tmp_path / "nosuch", tmp_path / "out"
    failing, unknown = ["--gate", "params <= 1"], ["--gate", "accelerator_micros <= 1", "--gate", "float_ops <= 1G"]
    untraced = write_model(tmp_path / "untraced", graph(node("v", "VariableV2", shape=[2])))

    def code(*arguments: object) -> int:
        return call(*arguments, "--out", out).code

    assert code("diff", nosuch, nosuch, *failing) == 3
    assert code("diff", nosuch, model, *failing) == 4
    assert code("report", untraced, *unknown) == 5
    assert code("report", untraced, *unknown, *failing) == 1
    assert code("report", untraced, "--gate", "params <= 2") == 0


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # opened just before the signal came
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_job_that_a_signal_ends_leaves_the_earlier_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "out"
    write_report(model, out)
    before = contents(out)
    end = partial(signal.raise_signal, number)
    with signals_end(), stopped_at(20, end, first="rename") as seen:
        assert call("report", model, "--out", out).code == 128 + number
    assert len(seen) > 25
    assert contents(out) == before
    monkeypatch.setattr(tfprof_report.render.write, "render_parquet", lambda *_: end())
    with signals_end():
        assert call("report", model, "--out", tmp_path / "new").code == 128 + number
    assert not (tmp_path / "new").exists()


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    earlier = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    try:
        with stopped_at(5, partial(signal.raise_signal, signal.SIGHUP)):
            assert call("report", small_model(tmp_path / "m"), "--out", tmp_path / "o").code == 0
    finally:
        signal.signal(signal.SIGHUP, earlier)


def test_of_two_runs_into_one_folder_one_ends_with_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "out"
    real, other = tfprof_report.render.write.render_parquet, []

    def meanwhile(*arguments: Any) -> bytes:
        monkeypatch.undo()
        other.append(call("report", model, "--out", out, "--jobs", "1"))
        return real(*arguments)

    monkeypatch.setattr(tfprof_report.render.write, "render_parquet", meanwhile)
    assert call("report", model, "--out", out, "--jobs", "1").code == 0
    line = f"{out} (--out): another run is writing a report there; wait until it has ended, or give another folder"
    assert (other[0].code, other[0].error) == (3, line)
    whole = contents(out)
    assert call("report", out, "--out", tmp_path / "again").code == 0

    def before(*arguments: Any) -> Any:
        monkeypatch.undo()
        write_report(model, out)
        return run_with_base(*arguments)

    run_with_base = tfprof_report.cli.commands.report_work.run_with_base
    monkeypatch.setattr(tfprof_report.cli.commands.report_work, "run_with_base", before)
    outcome = call("report", model, "--out", out)
    assert (outcome.code, "another run has written a report there since" in outcome.error) == (3, True)
    assert contents(out).keys() == whole.keys()


def test_a_report_folder_takes_no_options_that_would_have_no_effect(tmp_path: Path) -> None:
    earlier = write_report(small_model(tmp_path / "m"), tmp_path / "earlier")
    outcome = call("report", earlier, "--out", tmp_path / "o", "--select", "params", "--semantics", "tfprof")
    assert (outcome.code, outcome.error) == (
        2,
        (
            f"{earlier} (--select, --semantics): a report folder keeps the options that it was written with; "
            "leave them out, or give the model's files"
        ),
    )
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("epoch", ["yesterday", "-1", "99999999999999999", "9" * 5000, "1\udcff"])
def test_a_source_date_epoch_that_is_no_number_is_a_usage_error(monkeypatch: pytest.MonkeyPatch, epoch: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    outcome = call("schema")
    shown = epoch.replace("\udcff", r"\xff")
    assert (outcome.code, outcome.error) == (2, f'SOURCE_DATE_EPOCH is "{shown}", not a number of seconds')


def test_an_empty_source_date_epoch_is_none(tmp_path: Path) -> None:
    assert spawn("report", small_model(tmp_path / "m"), "--out", tmp_path / "o", SOURCE_DATE_EPOCH="").code == 0


def test_warnings_and_notes_are_lines_of_their_own_and_come_with_success_only(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    extra = run_meta({CPU: [ran("fc/MatMul", micros=1)]})
    (model / "run_meta").write_bytes(extra.SerializeToString())
    (model / "tfprof_log").write_bytes(op_log(entry("zork", float_ops=1)).SerializeToString())
    outcome = call("report", model, "--out", tmp_path / "o")
    assert (outcome.code, outcome.err.splitlines()) == (
        0,
        [
            f"tfprof-report: {model}: reading graph.pb, run_meta_1, run_meta_2, tfprof_log",
            f"tfprof-report: {model}: run_meta is ignored, since run_meta_N files give the steps",
            "tfprof-report: warning: op log entries that name no node are not counted: 1, such as zork",
        ],
    )
    assert call("report", model, "--out", tmp_path / "o", "--step", "9").error.startswith("--step: there is no step 9")


def test_hostile_slashes_are_refused_at_once(tmp_path: Path) -> None:
    model = write_model(tmp_path / "m", graph(node("/" * 200_000, "A")))
    start = time.monotonic()
    assert call("scope", model).code == 3
    assert time.monotonic() - start < 5
