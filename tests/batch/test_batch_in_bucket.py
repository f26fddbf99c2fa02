"""A batch whose inputs and store are in a bucket that fails one request in ten: the same bytes as from disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from batches import EPOCH, Running, content_of, rows_of, serial, states_of, write_models
from buckets import object_url, put_folder, set_credentials
from command import call
from faulty_server import Fault, faulty_server
from s3_server import s3_server

from tfprof_report.batch.entry import Entry, Target, Task
from tfprof_report.batch.outcome import State
from tfprof_report.batch.task import run_task
from tfprof_report.cli.call import call_quietly
from tfprof_report.ingest.files import bucket_files


@pytest.mark.thorough
@pytest.mark.parametrize("count", [4, 20])
def test_a_bucket_that_fails_one_request_in_ten_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    monkeypatch.chdir(tmp_path)
    set_credentials(monkeypatch)
    names = write_models(tmp_path / "runs", count)
    faults = (503, Fault.CLOSED, Fault.CUT)
    with s3_server() as address, faulty_server(address) as server:
        put_folder(address, tmp_path / "runs", "runs")
        server.fault = lambda request: faults[request.number // 10 % 3] if request.number % 10 == 0 else None
        urls = [object_url(server.address, f"runs/{name}") for name in names]
        code, _, err = Running(tmp_path, *urls, "--out", "out").end()
        assert (code, err) == (0, err), err
        assert states_of(tmp_path / "out") == dict.fromkeys(names, "written"), err
        text = (tmp_path / "out" / "batch.json").read_text()
        assert ("endpoint_override" in text, "OFTEST" in text, "s3://bucket/runs/m000" in text) == (False, False, True)
        code, _, err = Running(tmp_path, *urls, "--out", "out").end()
        assert states_of(tmp_path / "out") == dict.fromkeys(names, "skipped"), err
        store = object_url(server.address, "store")
        code, _, err = Running(tmp_path, *urls, "--store", store, "--out", "saved", "--commit", "c0ffee").end()
        assert (code, states_of(tmp_path / "saved")) == (0, dict.fromkeys(names, "written")), err
        server.fault = lambda _: None
        for name in names:
            alone = serial(object_url(server.address, f"runs/{name}"), tmp_path / "alone" / name)
            assert content_of(tmp_path / "out" / name) == alone, name
            on_disk = json.loads(serial(f"runs/{name}", tmp_path / "disk" / name)["summary.json"])
            assert digests(json.loads(alone["summary.json"])) == digests(on_disk)
        listed = json.loads(call("baseline", "list", store, "--json").out)
        assert sorted(each["model"] for each in listed) == names
    assert all(row["estimated_bytes"] for row in rows_of(tmp_path / "out").values())


def test_an_object_is_read_once_for_its_key_and_its_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_credentials(monkeypatch)
    write_models(tmp_path / "runs", 1)
    with s3_server() as address, faulty_server(address) as server:
        put_folder(address, tmp_path / "runs", "runs")
        source = object_url(server.address, "runs/m000")
        graph = object_url(server.address, "runs/m000/graph.pb")
        entry = Entry(number=0, model="m", name="m", command=("report", source), inputs=(graph,))
        target = Target(folder="out", store=None)
        made = Task(entry=entry, target=target, batch="one", cwd=str(tmp_path), fixed_time=EPOCH)
        states = [run_task(each, call_quietly).state for each in (made, replace(made, batch="two"))]
        assert (states, len(server.of("GET", "m000/graph.pb"))) == ([State.WRITTEN, State.SKIPPED], 2)
        assert call_quietly(["report", source, f"--out={tmp_path}/alone"]).code == 0
        assert len(server.of("GET", "m000/graph.pb")) == 3, "a report of its own reads the object anew"


def test_parts_of_an_object_that_was_read_are_those_of_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_files, "_opened", lambda url: (None, url))
    monkeypatch.setattr(bucket_files, "read_object", lambda _, path: path.encode())
    with bucket_files.each_read_once():
        assert bucket_files.read("s3://b/shard") == b"s3://b/shard"
        parts = bucket_files.Parts("s3://b/shard")
    assert (parts.size, parts.read(5, 6)) == (12, b"b/shar")


def digests(summary: dict[str, object]) -> list[str]:
    side = summary["side"]
    assert isinstance(side, dict)
    return [each["sha256"] for each in side["inputs"]]
