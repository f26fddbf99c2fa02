"""Shapes on which the native tool dies, or that invite quadratic work, end in a report in bounded time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from messages import entry, graph, node, op_log

LENGTH = 200_000
SECONDS, KIBIBYTES = 30, 2 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    code: int
    out: str
    err: str


def run(*arguments: str, most: int = 10**7) -> Ended:
    """Run the command within the limits of time and memory; read `most` bytes of its output."""
    with subprocess.Popen(
        [sys.executable, "-m", "tfprof_report", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        out = process.stdout.read(most).decode()
        process.stdout.close()
        err = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert usage.ru_utime + usage.ru_stime < SECONDS  # not elapsed time, since other tests run at the same time
    assert usage.ru_maxrss < KIBIBYTES
    return Ended(code=process.returncode, out=out, err=err)


def rows(ended: Ended) -> list[str]:
    assert ended.code == 0, ended.err
    return ended.out.partition("\nProfile:\n")[2].splitlines()[1:]


def folder(path: Path, model: Any, log: Any = None) -> str:
    (path / "graph.pb").write_bytes(model.SerializeToString())
    if log is not None:
        (path / "tfprof_log").write_bytes(log.SerializeToString())
    return str(path)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> str:
    nodes = (node(f"n{i}", "Add", *([f"n{i - 1}"] if i else [])) for i in range(LENGTH))
    return folder(tmp_path_factory.mktemp("chain"), graph(*nodes))


@pytest.mark.thorough
def test_a_chain_of_200_000_nodes_shows_its_first_levels(chain: str) -> None:
    shown = rows(run("graph", chain, "--select", "occurrence"))
    assert [row.strip() for row in shown[:2]] == ["_TFProfRoot (--/0|--/200.00k)", "n199999 (0/0|1/200.00k)"]
    assert len(shown) == 10


@pytest.mark.thorough
def test_the_deepest_node_of_a_chain_can_be_shown_alone(chain: str) -> None:
    shown = rows(run("graph", chain, "--select", "occurrence", "--show-name-regexes", "n0", "--max-depth", "1000000"))
    assert shown == ["_TFProfRoot (--/0|--/200.00k)", "  n0 (0/0|1/1)"]


@pytest.mark.thorough
def test_a_whole_chain_is_streamed_though_its_indentation_alone_is_40_gigabytes(chain: str) -> None:
    ended = run("graph", chain, "--select", "params", "--max-depth", "1000000", most=10**8)
    assert len(ended.out) == 10**8
    assert "\n    n199998 (0/0 params)\n" in ended.out


@pytest.mark.thorough
def test_a_chain_becomes_parquet(chain: str, tmp_path: Path) -> None:
    assert run("report", chain, "--out", str(tmp_path / "out")).code == 0
    depth = pq.read_table(tmp_path / "out" / "graph.parquet", columns=["depth"])["depth"]
    assert depth.to_pylist() == list(range(1, LENGTH + 1))


def test_a_graph_in_which_every_node_feeds_every_later_one_is_a_chain(tmp_path: Path) -> None:
    nodes = [node(f"n{i}", "Add", *[f"n{j}" for j in reversed(range(i))]) for i in range(1000)]
    shown = rows(run("graph", folder(tmp_path, graph(*nodes)), "--select", "device", "--max-depth", "10000"))
    assert shown[1:] == [f"{'  ' * depth}n{1000 - depth} ()" for depth in range(1, 1001)]


@pytest.mark.thorough
def test_cycles_without_end_have_no_top_and_stand_below_a_row_of_their_own(tmp_path: Path) -> None:
    count = 20_000
    nodes = [node(f"n{i}", "Add", f"n{(i + 1) % count}", f"n{i}", f"n{i * 7 % count}") for i in range(count)]
    source = folder(tmp_path, graph(*nodes))
    assert rows(run("graph", source, "--select", "occurrence")) == ["_TFProfRoot (--/0|--/0)"]
    shown = rows(run("graph", source, "--select", "occurrence", "--semantics", "corrected", "--max-depth", "2"))
    assert [row.strip() for row in shown] == ["_TFProfRoot (--/?|--/20.00k)", "in a cycle (0/?|0/20.00k)"]


def test_a_name_of_a_million_slashes_is_one_node_of_graph_view(tmp_path: Path) -> None:
    source = folder(tmp_path, graph(node("/" * 1_000_000, "Add")))
    assert rows(run("graph", source, "--select", "device"))[1:] == [f"  {'/' * 1_000_000} ()"]


@pytest.mark.thorough
def test_very_deep_call_stacks_make_a_code_view(tmp_path: Path) -> None:
    depth, names = 50_000, [f"n{i}" for i in range(10)]
    log = op_log(
        *[entry(name, float_ops=3, traces=[(line, 0, 1) for line in range(depth)]) for name in names],
        strings={0: "train.py", 1: "main"},
    )
    source = folder(tmp_path, graph(*[node(name, "Add") for name in names]), log)
    deepest = f"train.py:{depth - 1}:main"
    options = ("--select", "float_ops", "--show-name-regexes", deepest, "--max-depth", "1000000")
    shown = rows(run("code", source, *options))
    assert shown == ["_TFProfRoot (--/30 flops)", f"  {deepest} (30/30 flops)"]
