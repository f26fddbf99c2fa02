"""The benchmark: figures and goals by hand, sides in turn, lines by name, and inputs that are made once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import build_bench_inputs
import growth_inputs
import pytest
from benchmark import inputs
from benchmark.__main__ import choose, measure, unlike
from benchmark.goals import (
    LESS,
    NATIVE,
    OURS,
    WARM,
    Extra,
    Faster,
    Figure,
    Growth,
    PerMegabyte,
    Within,
    exponents,
    ratio,
)
from benchmark.inputs import Input, InputMissingError, growth, label, make, synthetic
from benchmark.lines import BY_BYTES, BY_COUNT, Line, lines
from benchmark.measure import CommandFailedError, Sample, interleave, medians, run
from benchmark.results import Result, header, rows, to_json
from benchmark.sides import Side
from command import call
from google.protobuf import text_format
from repository import ROOT

from tfprof_report.ingest.descriptors import message_class


def sample(cpu: float, *, wall: float = 0, peak: float = 0, call_cpu: float | None = None) -> Sample:
    return Sample(cpu=cpu, wall=wall, peak=peak, call=cpu if call_cpu is None else call_cpu)


def parsed(kind: str, path: Path) -> Any:
    return message_class(f"tensorflow.{kind}").FromString(path.read_bytes())


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


def test_a_ratio_is_native_time_by_ours() -> None:
    assert ratio(6.0, 1.5) == 4.0
    assert ratio(None, 1.5) is None
    assert ratio(6.0, 0.0) is None


def test_faster_compares_our_process_with_the_native_call() -> None:
    figure = Faster(4).judge({OURS: sample(1.5), NATIVE: sample(9.0, call_cpu=6.0)}, {})
    assert (figure.ours, figure.native, figure.value, figure.met) == (1.5, 6.0, 4.0, True)
    assert Faster(4.1).judge({OURS: sample(1.5), NATIVE: sample(9.0, call_cpu=6.0)}, {}).met is False


def test_faster_warm_leaves_both_starts_out() -> None:
    sides = {OURS: sample(1.5), WARM: sample(2.5, call_cpu=0.5), NATIVE: sample(9.0, call_cpu=1.0)}
    assert Faster(2, warm=True).judge(sides, {}).value == 2.0


def test_a_ratio_without_a_native_side_is_neither_met_nor_missed() -> None:
    figure = Faster(4).judge({OURS: sample(1.5)}, {})
    assert (figure.ours, figure.native, figure.value, figure.met) == (1.5, None, None, None)


def test_within_limits_cpu_wall_and_memory() -> None:
    sides = {OURS: sample(0.7, wall=12.5, peak=3e9)}
    assert Within(0.7).judge(sides, {}).met is True
    assert Within(12, "wall").judge(sides, {}) == Figure(ours=12.5, native=None, value=12.5, unit="s wall", goal=12)
    assert Within(12, "wall").judge(sides, {}).met is False
    assert Within(3, "peak").judge(sides, {}) == Figure(ours=3.0, native=None, value=3.0, unit="GB", goal=3)


def test_extra_time_and_time_per_megabyte_subtract_a_side() -> None:
    sides = {OURS: sample(5.0), LESS: sample(4.0)}
    assert Extra(1.5).judge(sides, {}).value == 1.0
    figure = PerMegabyte(0.08).judge(sides, {OURS: 10e6, LESS: 1e6})
    assert (figure.value, figure.met) == (0.1, False)


def test_growth_is_the_exponent_of_time_without_the_start() -> None:
    sizes = {"10k": 10e3, "100k": 100e3, "1m": 1e6, LESS: 10}
    linear = {"10k": sample(1.01), "100k": sample(1.1), "1m": sample(2.0), LESS: sample(1.0)}
    assert Growth(1.05).judge(linear, sizes).value == pytest.approx(1.0)
    assert Growth(1.05).judge(linear, sizes).ours == 2.0
    square = {"10k": sample(1.01), "100k": sample(2.0), "1m": sample(101.0), LESS: sample(1.0)}
    figure = Growth(1.05).judge(square, sizes)
    assert figure.value == pytest.approx(2.0)
    assert figure.met is False


def test_an_exponent_needs_two_sizes_that_took_time() -> None:
    assert exponents([(10, 1), (20, 2), (40, 8)]) == pytest.approx([1.0, 2.0])
    assert exponents([(100, 10**1.5), (10, 1)]) == pytest.approx([1.5])
    assert exponents([(10, -0.1), (100, 1)]) == []
    assert exponents([(10, 1), (10, 2)]) == []


def test_each_figure_is_the_median_of_its_own() -> None:
    found = medians([sample(1, wall=9, peak=5), sample(2, wall=7, peak=6), sample(9, wall=8, peak=1)])
    assert found == sample(2, wall=8, peak=5)


def test_sides_run_in_turn(tmp_path: Path) -> None:
    log = tmp_path / "log"
    note = "import sys; open(sys.argv[1], 'a').write(sys.argv[2])"
    found = interleave({name: [*python(note), str(log), name] for name in "ab"}, 3)
    assert log.read_text() == "ababab"
    assert list(found) == ["a", "b"]


def test_cpu_time_counts_all_that_the_process_waited_for_and_not_its_sleep() -> None:
    burn = "import time\nwhile time.process_time() < 0.2: pass"
    wait = f"import subprocess, sys, time; subprocess.run([sys.executable, '-S', '-c', {burn!r}]); time.sleep(0.3)"
    found = run(python(wait))
    assert found.cpu >= 0.2
    assert found.wall >= found.cpu + 0.2
    assert found.peak > 1e6
    assert found.call == found.cpu


def test_a_process_may_say_what_its_call_took() -> None:
    assert run(python("print('noise'); print('{\"bench-call-cpu\": 0.25}')")).call == 0.25


def test_a_command_that_fails_fails_its_line_alone() -> None:
    with pytest.raises(CommandFailedError, match=r"ended with 3: no room$"):
        run(python("import sys; print('no room', file=sys.stderr); sys.exit(3)"))
    line = Line(
        name="x",
        what="y",
        times=1,
        sides={OURS: Side(command=tuple(python("import sys; sys.exit(3)")))},
        goals=(Within(1),),
    )
    assert "ended with 3" in measure(line, None, None).problem


def test_lines_are_chosen_by_name_and_pattern() -> None:
    known = lines(None)
    assert [line.name for line in choose(known, ["report-10", "scope-1*"])] == [
        "scope-1m",
        "scope-100k",
        "report-10",
        "scope-10",
    ]
    assert choose(known, []) == known
    with pytest.raises(SystemExit, match="no line is called scope-7"):
        choose(known, ["scope-7", "op-1m"])


def test_every_line_has_its_own_name_and_a_goal() -> None:
    known = lines("python")
    assert len({line.name for line in known}) == len(known)
    assert all(line.goals and line.times >= 1 for line in known)
    native = {line.name for line in known if NATIVE in line.sides}
    assert native == {
        *("scope-1m", "op-1m", "graph-500k", "scope-100k", "graph-100k", "op-100k"),
        *(f"{model}-{view}" for model in inputs.MODELS for view in ("scope", "graph", "op", "scope-no-runs")),
    }


def test_without_tensorflow_there_is_no_native_side() -> None:
    assert not any(side.native for line in lines(None) for side in line.sides.values())


def test_texts_of_one_view_must_be_equal(tmp_path: Path) -> None:
    for name, text in (("a", "x"), ("b", "x"), ("c", "y")):
        (tmp_path / name).write_text(text)
    a, b, c = (Side(command=(), text=tmp_path / name) for name in "abc")
    assert unlike([a, b, Side(command=())]) == ""
    assert unlike([a, b, c]) == f"{tmp_path / 'b'} and {tmp_path / 'c'} differ"


def test_the_table_has_a_row_for_each_figure_or_says_why_not() -> None:
    good = Figure(ours=1.5, native=6.0, value=4.0, unit="x", goal=4, at_least=True)
    bad = Figure(ours=0.8, native=None, value=0.8, unit="s", goal=0.7)
    none = Figure(ours=0.05, native=None, value=None, unit="x", goal=5, at_least=True)
    found = [row.split() for row in rows(Result(name="n", what="w", figures=(good, bad, none)))]
    assert found == [
        ["n", "w", "1.50", "6.00", "4.00", "x", ">=", "4", "met"],
        ["n", "w", "0.80", "-", "0.80", "s", "<=", "0.7", "missed"],
        ["n", "w", "0.050", "-", "-", "x", ">=", "5", "not", "measured"],
    ]
    assert rows(Result(name="n", what="w", problem="no input"))[0].endswith("not measured: no input")
    assert header().split() == ["line", "what", "ours", "native", "figure", "goal"]


def test_json_has_every_figure_with_its_verdict() -> None:
    figure = Figure(ours=1.5, native=6.0, value=4.0, unit="x", goal=4, at_least=True)
    found = json.loads(
        to_json([Result(name="n", what="w", figures=(figure,)), Result(name="m", what="v", problem="p")])
    )
    assert found[0] == {
        "line": "n",
        "what": "w",
        "problem": None,
        "figures": [
            {"ours": 1.5, "native": 6.0, "value": 4.0, "unit": "x", "goal": 4, "at_least": True, "verdict": "met"}
        ],
    }
    assert (found[1]["problem"], found[1]["figures"]) == ("p", [])


def test_an_input_is_made_once_and_never_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BENCH", tmp_path)
    make(synthetic(10), None)
    first = (tmp_path / "10" / "graph.pb").stat()
    make(synthetic(10), None)
    assert (tmp_path / "10" / "graph.pb").stat() == first
    assert synthetic(10).size == sum(path.stat().st_size for path in (tmp_path / "10").iterdir())
    make(growth("dense", 20), None)
    assert (tmp_path / "growth-dense-20" / "run_meta_0").exists()
    with pytest.raises(InputMissingError, match="script failed"):
        make(Input(name="broken", script="script"), None)
    with pytest.raises(InputMissingError, match="set BENCH_TF_PYTHON"):
        make(inputs.real("lstm"), None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["10", "growth-dense-20"]


def test_an_input_is_named_by_its_size() -> None:
    assert [label(count) for count in (10, 500, 10_000, 1_000_000, 1_500_000)] == ["10", "500", "10k", "1m", "1500k"]
    assert (synthetic(10_000).name, synthetic(10_000, changed=True).name) == ("10k", "10k-changed")
    assert growth("dense", 1_000).name == "growth-dense-1k"


def test_a_changed_model_has_the_same_nodes_some_of_them_wider(tmp_path: Path) -> None:
    for name, changed in (("base", False), ("head", True)):
        build_bench_inputs.build(tmp_path / name, 300, changed=changed)
    base, head = (parsed("GraphDef", tmp_path / name / "graph.pb").node for name in ("base", "head"))
    assert [node.name for node in base] == [node.name for node in head]
    assert [at for at, (one, other) in enumerate(zip(base, head, strict=True)) if one != other] == [0, 100, 200]
    assert (tmp_path / "base" / "run_meta_1").read_bytes() != (tmp_path / "head" / "run_meta_1").read_bytes()


@pytest.mark.thorough
def test_the_kinds_of_growth_are_made_and_grow_in_proportion() -> None:
    assert {*BY_COUNT, *BY_BYTES} < set(growth_inputs.KINDS)
    for kind in {*growth_inputs.KINDS} - {"scope_chain"}:  # whose bytes are quadratic in its depth
        few, more, most = (size_of(growth_inputs.KINDS[kind].make(2_000 * k)) for k in (1, 2, 3))
        assert few < more, kind
        assert most - more == pytest.approx(more - few, rel=0.2), kind


def size_of(made: growth_inputs.Inputs) -> int:
    messages = [made.graph, *made.runs, *(each for each in (made.log, made.trace) if each is not None)]
    return sum(message.ByteSize() for message in messages)


def test_a_kind_of_growth_is_written_as_bytes_and_as_text(tmp_path: Path) -> None:
    growth_inputs.text(40).write(tmp_path)
    written = text_format.Parse((tmp_path / "graph.pbtxt").read_bytes(), message_class("tensorflow.GraphDef")())
    assert written == parsed("GraphDef", tmp_path / "graph.pb")
    assert len(written.node) == 41


def test_layers_have_the_same_shapes_whether_written_or_inferred(tmp_path: Path) -> None:
    outputs = []
    for make_layers in (growth_inputs.layers, growth_inputs.layers_without_shapes):
        make_layers(40).write(tmp_path / make_layers.__name__)
        graph = tmp_path / make_layers.__name__ / "graph.pb"
        found = call("scope", graph, "--semantics", "corrected", "--select", "float_ops", "--max-depth", "1")
        outputs.append(found.out.splitlines()[-2:])
    assert outputs[0] == outputs[1]


BENCHMARK = """
import sys
from benchmark import __main__ as benchmark
from benchmark.measure import run

code = "import os, sys, time; print(os.getpid(), file=open(sys.argv[1], 'w'), flush=True); time.sleep(60)"
benchmark.choose = lambda *_: [None]
benchmark.measure = lambda *_: run([sys.executable, "-S", "-c", code, sys.argv.pop()])
sys.exit(benchmark.main())
"""


def started_by(command: list[str], file: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start a command; return it, and the process that writes its number into a file."""
    paths = {**os.environ, "PYTHONPATH": str(ROOT / "ci")}
    process = subprocess.Popen(command, env=paths, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(2000):
        if file.exists() and (number := file.read_text().strip()):
            return process, int(number)
        time.sleep(0.01)
    process.kill()
    raise AssertionError(process.wait())


def has_ended(number: int) -> bool:
    for _ in range(500):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_benchmark_that_is_ended_ends_what_it_measures(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", BENCHMARK, str(tmp_path / "pid")]
    process, measured = started_by(command, tmp_path / "pid")
    process.send_signal(getattr(signal, name))
    assert process.wait() != 0
    assert has_ended(measured)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("target", ["bench", "fuzz"])
def test_a_make_that_is_ended_ends_what_it_runs(target: str, tmp_path: Path) -> None:
    (tmp_path / "python").write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    (tmp_path / "python").chmod(0o755)
    command = ["make", "-C", str(ROOT), "-o", ".venv/dev.stamp", f"BIN={tmp_path}", target]
    process, running = started_by(command, tmp_path / "pid")
    process.terminate()
    process.wait()
    assert has_ended(running)
