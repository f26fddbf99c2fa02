"""Batches with real workers in processes that are killed, take too much memory, or never end."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path

import pytest
from batches import EPOCH, Running, content_of, rows_of, serial, states_of, wait_until, write_models
from messages import graph, node


@pytest.fixture(autouse=True)
def _at_one_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    monkeypatch.chdir(tmp_path)


def kill_workers(running: Running, out: Path, name: str, times: int) -> None:
    """Kill a worker by SIGKILL, several times, each once there are more reports than before."""
    for number in range(times):
        wait_until(lambda number=number: len(list(out.glob(f"{name}*/summary.json"))) > 3 * number)
        os.kill(running.workers()[0], signal.SIGKILL)


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.thorough)])
def test_a_killed_worker_loses_only_its_task_which_is_tried_again(tmp_path: Path, count: int) -> None:
    names = write_models(tmp_path / "runs", count)
    running = Running(tmp_path, "runs/*", "--out", "out", "--jobs", 2)
    kill_workers(running, tmp_path / "out", "m", 2 if count > 8 else 1)
    code, _, err = running.end()
    assert (code, err.count("distributed"), err.count("Traceback")) == (0, 0, 0)
    assert states_of(tmp_path / "out") == dict.fromkeys(names, "written")
    assert sum(row["attempts"] - 1 for row in rows_of(tmp_path / "out").values()) <= 2
    for name in names[:: max(count // 8, 1)]:
        assert content_of(tmp_path / "out" / name) == serial(f"runs/{name}", tmp_path / "alone" / name), name


def writer_of(pipe: Path) -> int | None:
    """Return the end of a pipe to write to, None unless a task waits at the other end."""
    try:
        return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def test_a_task_that_loses_each_worker_is_a_row_and_the_rest_go_on(tmp_path: Path) -> None:
    names = write_models(tmp_path / "runs", 6)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "m.toml").write_text('[[entry]]\ninputs = "pipe"\n[[entry]]\ninputs = "runs/*"\n')
    running = Running(tmp_path, "m.toml", "--out", "out", "--jobs", 2, "--retries", 1)
    wait_until(lambda: len(list((tmp_path / "out").glob("m*/summary.json"))) == len(names))

    def has_ended() -> bool:
        """Kill the workers where one waits at the pipe; one that is killed before it says so counts for no try."""
        if (end := writer_of(tmp_path / "pipe")) is not None:
            for pid in running.workers():
                os.kill(pid, signal.SIGKILL)
            os.close(end)
        return running.process.poll() is not None

    wait_until(has_ended)
    code, _, err = running.end()
    assert code == 3
    assert err == "tfprof-report: pipe: lost: its worker was lost 2 times while it ran: it was killed, or crashed\n"
    assert states_of(tmp_path / "out") == {"pipe": "lost", **dict.fromkeys(names, "written")}
    assert rows_of(tmp_path / "out")["pipe"]["attempts"] == 2


def test_a_task_that_never_ends_is_given_up_after_the_time_limit(tmp_path: Path) -> None:
    names = write_models(tmp_path / "runs", 6)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "m.toml").write_text('[[entry]]\ninputs = "pipe"\n[[entry]]\ninputs = "runs/*"\n')
    code, out, err = Running(tmp_path, "m.toml", "--out", "out", "--jobs", 2, "--time-limit", "8s").end()
    assert (code, err) == (3, "tfprof-report: pipe: timed out: took longer than --time-limit, 8 seconds\n")
    assert out.splitlines()[-1] == "7 reports 6 written, 1 timed out"
    row = rows_of(tmp_path / "out")["pipe"]
    assert (row["state"], row["attempts"], row["exit_code"], row["report"]) == ("timed out", 1, 3, None)
    assert 8 <= row["seconds"] < 40
    assert content_of(tmp_path / "out" / "m003") == serial("runs/m003", tmp_path / "alone")
    assert states_of(tmp_path / "out") == {"pipe": "timed out", **dict.fromkeys(names, "written")}


@pytest.mark.thorough
def test_a_task_with_too_much_memory_is_tried_again_with_all_of_it_and_then_a_row(tmp_path: Path) -> None:
    names = write_models(tmp_path / "runs", 6)
    wide = graph(
        node("x", "Placeholder"), *(node(f"layer_{at}/with/scopes/relu", "Relu", "x") for at in range(400_000))
    )
    packed = gzip.compress(wide.SerializeToString(), 1) + gzip.compress(b"")  # the last part says 0 bytes
    (tmp_path / "big.pb").write_bytes(packed)
    (tmp_path / "m.toml").write_text(
        '[[entry]]\ninputs = "big.pb"\noptions = { max_unpacked = "1GiB" }\n[[entry]]\ninputs = "runs/*"\n'
    )
    code, _, err = Running(tmp_path, "m.toml", "--out", "out", "--jobs", 2, "--memory", "800MiB").end()
    assert code == 3
    assert err.count("\n") == 1
    assert err.startswith("tfprof-report: big: lost: its worker was ended when it took ")
    assert states_of(tmp_path / "out") == {"big": "lost", **dict.fromkeys(names, "written")}
    row = rows_of(tmp_path / "out")["big"]
    assert row["attempts"] == 2
    assert row["peak_bytes"] > 700 * 2**20
    assert not (tmp_path / "out" / "big" / "summary.json").exists()


def test_a_profile_that_fits_nowhere_is_named_before_it_starts(tmp_path: Path) -> None:
    write_models(tmp_path / "runs", 2)
    code, _, err = Running(tmp_path, "runs/*", "--out", "out", "--memory", "100MiB").end()
    assert code == 3
    words = "too large: needs an estimated 220.00 MiB of memory, --memory allows 100.00 MiB"
    assert err == f"tfprof-report: m000: {words}\ntfprof-report: m001: {words}\n"
    assert {row["attempts"] for row in rows_of(tmp_path / "out").values()} == {0}


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.thorough)]
)
def test_a_signal_stops_in_order_and_the_same_command_goes_on(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    names = write_models(tmp_path / "runs", 12)
    out = tmp_path / "out"
    running = Running(tmp_path, "runs/*", "--out", "out", "--jobs", 2)
    wait_until(lambda: len(list(out.glob("m*/summary.json"))) > 3)
    os.killpg(running.process.pid, number)  # as a terminal does
    ended, _, err = running.end()
    assert (ended, err.replace("tfprof-report: interrupted\n", "")) == (code, "")
    stopped = states_of(out)
    assert set(stopped.values()) <= {"written", "not done"}
    assert "not done" in stopped.values()
    code, _, err = Running(tmp_path, "runs/*", "--out", "out", "--jobs", 2).end()
    assert (code, err) == (0, "")
    again = states_of(out)
    assert set(again.values()) == {"written", "skipped"}
    assert [name for name in names if stopped[name] == "written" and again[name] != "skipped"] == []
    for name in names[::4]:
        assert content_of(out / name) == serial(f"runs/{name}", tmp_path / "alone" / name), name
