"""Inputs in a bucket: the same report as from disk, also where requests fail; what cannot be read is one clear line."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from buckets import delete, object_url, put, put_folder, set_credentials
from command import WHEN, Outcome, call, contents, small_model, spawn, summary_of, write_model, write_report
from faulty_server import Fault, FaultyServer, faulty_server
from google_server import google_server, google_url
from messages import graph, node
from pyarrow import fs
from repository import DATA
from s3_server import s3_server

from tfprof_report.buckets import patience, read_object

EVENTS = DATA / "kinds" / "events.out.tfevents.gz"
SECRETS = ("endpoint_override", "region=", "KEYOFTEST", "SECRETOFTEST")
LABEL = ("--label", "m")
"""Without it the title is the name of a file or folder, and a long one is shortened."""
DENIED = (
    "cannot be read (access is denied); "
    "check the credentials in the environment, and that they may list the bucket and get its objects"
)


@pytest.fixture(scope="module")
def server() -> Iterator[FaultyServer]:
    with s3_server() as address, faulty_server(address) as server:
        yield server


@pytest.fixture
def bucket(server: FaultyServer, monkeypatch: pytest.MonkeyPatch) -> FaultyServer:
    set_credentials(monkeypatch)
    monkeypatch.setattr(patience, "_PAUSES", (0.0, 0.01, 0.02))
    server.fault, server.after = (lambda _: None), (lambda _: None)
    server.requests.clear()
    return server


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, server: FaultyServer) -> Path:
    """Return a small model, which is also in the bucket, in ``run``."""
    folder = small_model(tmp_path_factory.mktemp("models") / "run")
    put_folder(server.target, folder, "run")
    return folder


def report(*arguments: object, out: Path) -> Outcome:
    return call("report", *arguments, "--out", out, "--timestamp", WHEN)


def as_on_disk(data: bytes, disk: Path, name: str) -> str:
    """Return text of a report of a bucket with the names of files on disk, and without marks that break or escape."""
    return re.sub(r"[`\\]|<wbr>", "", data.decode()).replace(name, str(disk))


def check_alike(bucket: Path, disk: Path, *, name: str, folder: Path) -> None:
    """Check that a report of inputs in a bucket is that of the same files on disk, apart from their names."""
    files, others = contents(bucket), contents(disk)
    assert files.keys() == others.keys()
    for file, data in files.items():
        assert not any(secret.encode() in data for secret in SECRETS), file
        if file.endswith(".parquet"):
            table, other = pq.read_table(bucket / file), pq.read_table(disk / file)
            assert table.equals(other), file
            for key, value in (table.schema.metadata or {}).items():
                assert as_on_disk(value, folder, name) == as_on_disk(other.schema.metadata[key], folder, name), file
        elif file != "summary.json":
            assert as_on_disk(data, folder, name) == as_on_disk(others[file], folder, name), file
    summary, other = summary_of(bucket), summary_of(disk)
    assert [each["sha256"] for each in summary["side"]["inputs"]] == [
        each["sha256"] for each in other["side"]["inputs"]
    ]
    del summary["files"], other["files"]  # the digests of files with names in them
    assert json.loads(as_on_disk(json.dumps(summary).encode(), folder, name)) == other


def check_bucket(bucket: FaultyServer, folder: Path, key: str, tmp_path: Path, *more: str) -> Outcome:
    """Check that a folder gives the same report from the bucket, where it is put, and from disk; return the outcome."""
    put_folder(bucket.target, folder, key)
    bucket.requests.clear()
    done = report(object_url(bucket.address, f"{key}/"), *more, out=tmp_path / "b")
    assert done.code == 0, done
    on_disk = report(folder, *more, out=tmp_path / "d")
    assert done.err.replace(f"s3://bucket/{key}/", f"s3://bucket/{key}") == on_disk.err.replace(
        str(folder), f"s3://bucket/{key}"
    )
    check_alike(tmp_path / "b", tmp_path / "d", name=f"s3://bucket/{key}", folder=folder)
    return done


def test_a_model_is_read_from_a_bucket_as_from_disk_and_each_file_once(
    bucket: FaultyServer, model: Path, tmp_path: Path
) -> None:
    done = check_bucket(bucket, model, "run", tmp_path)
    assert done.err == "tfprof-report: s3://bucket/run/: reading graph.pb, run_meta_1, run_meta_2, tfprof_log\n"
    read = [each.path for each in bucket.of("GET", "/bucket/run")]
    assert sorted(read) == [f"/bucket/run/{name}" for name in ("graph.pb", "run_meta_1", "run_meta_2", "tfprof_log")]
    assert len(bucket.requests) <= 22
    page = (tmp_path / "b" / "report.html").read_text()
    assert "s3:<wbr>//bucket/<wbr>run" in page or "s3://bucket/run" in page


def test_packed_files_and_names_that_a_url_encodes_are_read(bucket: FaultyServer, tmp_path: Path) -> None:
    folder = small_model(tmp_path / "odd")
    data = (folder / "graph.pb").read_bytes()
    (folder / "graph.pb").unlink()
    (folder / "graph.pb.gz").write_bytes(gzip.compress(data, mtime=0))
    check_bucket(bucket, folder, "odd", tmp_path, *LABEL)
    put(bucket.target, "a b/50%#ü.pb", data)
    on_disk = call("scope", folder / "graph.pb.gz").out
    for url in ("a b/50%#ü.pb", "a%20b/50%25%23%C3%BC.pb"):
        assert call("scope", object_url(bucket.address, url)).out == on_disk
    bomb = write_model(tmp_path / "bomb", graph(*[node(f"n{place}", "NoOp") for place in range(2000)]))
    put(bucket.target, "bomb.pb.gz", gzip.compress((bomb / "graph.pb").read_bytes()))
    done = call("scope", object_url(bucket.address, "bomb.pb.gz"), "--max-unpacked", "1000")
    assert done.code == 3
    assert done.error.startswith("s3://bucket/bomb.pb.gz (--graph): has ")
    assert "that unpack to more than 1,000 bytes" in done.error


def test_traces_and_event_files_are_found_in_a_bucket(bucket: FaultyServer, tmp_path: Path) -> None:
    check_bucket(bucket, DATA / "xplane" / "two_hosts", "logs/two", tmp_path, *LABEL)
    runs = tmp_path / "runs"
    for place, name in (("train/plugins/profile/2026_01_01", "train"), ("plugins/profile/2026_01_02", "train_later")):
        shutil.copytree(DATA / "xplane" / name, runs / place)
    done = check_bucket(bucket, runs, "logs/runs", tmp_path / "runs-out", *LABEL)
    assert done.err.startswith(
        "tfprof-report: s3://bucket/logs/runs/: reading the trace of run 2026_01_02, not 2026_01_01"
    )
    url = object_url(bucket.address, "logs/runs")
    named = report("--xplane", url, "--run", "2026_01_01", out=tmp_path / "one")
    assert named.code == 0
    none = report("--xplane", url, "--run", "x", out=tmp_path / "none")
    assert none.error == 's3://bucket/logs/runs (--run): has no run "x"; name one of 2026_01_01, 2026_01_02'
    events = tmp_path / "events"
    events.mkdir()
    (events / "events.out.tfevents.1").write_bytes(gzip.decompress(EVENTS.read_bytes()))
    check_bucket(bucket, events, "logs/events", tmp_path / "events-out", *LABEL)
    assert len(bucket.of("GET", "/bucket/logs/events/")) == 1  # although it is read to choose it


def test_values_of_a_checkpoint_are_read_alone(bucket: FaultyServer, model: Path, tmp_path: Path) -> None:
    for file in (DATA / "checkpoints").glob("sharded.*"):
        put(bucket.target, f"ckpt/{file.name}", file.read_bytes())
    path = write_model(tmp_path / "m", graph(node("c", "VariableV2", shape=[3, 4]))) / "graph.pb"
    words = ("--select=op_types,tensor_value", "--account-type-regexes=_checkpoint_variables")
    on_disk = call("scope", path, "--checkpoint", DATA / "checkpoints" / "sharded", *words)
    assert "[8 9 10 11 ]" in on_disk.out
    for name in ("ckpt/sharded", "ckpt/sharded.index", "ckpt"):
        done = call("scope", path, "--checkpoint", object_url(bucket.address, name), *words)
        assert (done.code, done.out) == (0, on_disk.out)
    parts = [each.range for each in bucket.of("GET", ".data-")]
    assert 0 < len(parts) <= 9  # three slices, three times
    delete(bucket.target, "ckpt/sharded.data-00002-of-00003")
    done = call("scope", path, "--checkpoint", object_url(bucket.address, "ckpt/sharded"), *words)
    line = "s3://bucket/ckpt/sharded.data-00002-of-00003 (--checkpoint): a data file of the checkpoint cannot be read"
    assert done.err.splitlines()[-1].startswith(f"tfprof-report: {line}")
    missing = call("scope", model, "--checkpoint", object_url(bucket.address, "ckpt/nosuch"))
    words_of = "no such checkpoint: nosuch.index does not exist; check the path"
    assert missing.error == f"s3://bucket/ckpt/nosuch (--checkpoint): {words_of}"


def test_an_earlier_report_in_a_bucket_is_a_base_or_a_head(bucket: FaultyServer, model: Path, tmp_path: Path) -> None:
    base = write_report(small_model(tmp_path / "wide", width=5), tmp_path / "base")
    put_folder(bucket.target, base, "reports/base")
    url = object_url(bucket.address, "reports/base")
    gate = ("--gate", "params <= +0")
    for name in ("bucket", "disk"):
        source = url if name == "bucket" else base
        done = report(model, "--baseline", source, *gate, out=tmp_path / name)
        assert (done.code, done.out.splitlines()[-1][:3]) == (0, "OK:"), done
    assert contents(tmp_path / "bucket") == contents(tmp_path / "disk")  # a base is not named by its folder
    head = call("diff", object_url(bucket.address, "run"), url, "--out", tmp_path / "diff", *gate)
    assert (head.code, head.out.splitlines()[-1][:7]) == (1, "FAILED:")
    drift = report(model, "--gate", f"params <= +0 against {url}", out=tmp_path / "drift")
    assert drift.code == 0, drift
    assert b"endpoint_override" not in b"".join(contents(tmp_path / "drift").values())
    several = ("--model", f"a={model}", "--model", f"b={object_url(bucket.address, 'run')}")
    assert report(*several, out=tmp_path / "all").code == 0
    put_folder(bucket.target, tmp_path / "all", "reports/all")
    done = report(*several, "--baseline", object_url(bucket.address, "reports/all"), out=tmp_path / "again")
    assert (done.code, "compared" in (tmp_path / "again" / "verdict.json").read_text()) == (0, True), done
    saved = call("baseline", "save", tmp_path / "store", url, "--model", "m", "--commit", "c0ffee")
    assert saved.code == 0, saved


@pytest.mark.parametrize(
    "fault", [503, *(pytest.param(fault, marks=pytest.mark.thorough) for fault in (Fault.CLOSED, Fault.CUT))]
)
def test_one_request_in_ten_may_fail(
    bucket: FaultyServer, model: Path, tmp_path: Path, fault: Fault | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert model.is_dir()  # in the bucket too
    monkeypatch.setattr(read_object, "RANGE", 64)  # so that there are many
    url = object_url(bucket.address, "run")
    assert report(url, out=tmp_path / "whole").code == 0
    bucket.requests.clear()
    bucket.fault = lambda request: fault if request.number % 10 == 0 else None
    done = report(url, "--baseline", url, out=tmp_path / "compared")
    assert done.code == 0, done
    assert report(url, out=tmp_path / "faulty").code == 0
    assert contents(tmp_path / "faulty") == contents(tmp_path / "whole")
    assert len(bucket.requests) >= 60


def test_a_bucket_that_does_not_answer_is_given_up(
    bucket: FaultyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "SILENCE", 0.5)
    bucket.fault = lambda _: Fault.SILENT
    done = report(object_url(bucket.address, "run"), out=tmp_path / "o")
    assert (done.code, done.error) == (3, "s3://bucket/run: cannot be read (the server has not answered within 0.5 s)")


def test_what_is_not_there_is_one_line(bucket: FaultyServer, model: Path, tmp_path: Path) -> None:
    def problem(path: str, *arguments: object, code: int = 3) -> str:
        done = report(*(arguments or (object_url(bucket.address, path),)), out=tmp_path / "o")
        assert (done.code, done.out) == (code, ""), done
        assert not (tmp_path / "o").exists()
        return done.error

    assert problem("nosuch") == "s3://bucket/nosuch (--graph): no such object; check the URL"
    graph_url = object_url(bucket.address, "nosuch.pb")
    assert problem("", "--graph", graph_url) == "s3://bucket/nosuch.pb (--graph): no such object; check the URL"
    put(bucket.target, "other/notes.txt", b"x")
    holds = "the folder holds no graph.pb, graph.pbtxt, saved_model.pb or trace; name the graph with --graph"
    assert problem("other") == f"s3://bucket/other: {holds}"
    folder = "is a folder, not a file; name a file in it"
    assert problem("", model, "--op-log", object_url(bucket.address, "other")).endswith(folder)
    no_bucket = object_url(bucket.address, "run").replace("bucket", "nobucket")
    assert problem("", no_bucket) == "s3://nobucket/run: cannot be read (The specified bucket does not exist)"
    base = ("--baseline", object_url(bucket.address, "nosuch"))
    missing = "s3://bucket/nosuch: there is no such baseline; check the path, or give --baseline-missing warn"
    assert problem("", model, *base, code=4).startswith(missing)
    assert problem("", model, "--baseline", no_bucket, "--baseline-missing", "ok", code=4).startswith(
        "s3://nobucket/run"
    )
    done = report(model, *base, "--baseline-missing", "warn", out=tmp_path / "first")
    assert done.code == 0
    assert "NO BASELINE: s3://bucket/nosuch: there is no baseline, the report is without one" in done.err


def test_what_is_half_there_is_one_line(bucket: FaultyServer, model: Path, tmp_path: Path) -> None:
    whole = write_report(model, tmp_path / "whole")
    put_folder(bucket.target, whole, "half")
    url = object_url(bucket.address, "half")
    delete(bucket.target, "half/scope.parquet")
    done = report(model, "--baseline", url, out=tmp_path / "o")
    words = "cannot be read (No such file or directory); give a finished report folder"
    assert (done.code, done.error) == (4, f"s3://bucket/half/scope.parquet: {words}")
    put(bucket.target, "half/scope.parquet", b"short")
    done = report(url, out=tmp_path / "o")
    assert (done.code, "the folder is incomplete or was changed" in done.error) == (3, True)
    delete(bucket.target, "half/summary.json")
    for arguments, code in (((url,), 3), ((model, "--baseline", url), 4)):
        done = report(*arguments, out=tmp_path / "o")
        half = "is half there: it has files of a report, but no summary.json; copy the report again, summary.json last"
        assert (done.code, done.error) == (code, f"s3://bucket/half: {half}")
    bucket.fault = lambda request: Fault.CUT if request.range and "graph.pb" in request.path else None
    done = report(object_url(bucket.address, "run"), out=tmp_path / "o")
    early = "cannot be read (it ends early: fewer bytes arrive than it has)"
    assert (done.code, done.error) == (3, f"s3://bucket/run/graph.pb (--graph): {early}")
    bucket.fault = lambda _: None
    data = (model / "graph.pb").read_bytes()
    put(bucket.target, "busy.pb", data)
    bucket.after = lambda request: put(bucket.target, "busy.pb", data + data) if request.range else None
    done = report(object_url(bucket.address, "busy.pb"), out=tmp_path / "o")
    replaced = "cannot be read (it was replaced while it was read); run the command again"
    assert (done.code, done.error) == (3, f"s3://bucket/busy.pb (--graph): {replaced}")
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("verbose", [(), ("--verbose",)])
def test_denied_access_is_one_line_without_secrets(
    bucket: FaultyServer, model: Path, tmp_path: Path, verbose: tuple[str, ...]
) -> None:
    bucket.fault = lambda _: 403
    url = object_url(bucket.address, "run")
    for arguments, code in (((url,), 3), ((model, "--baseline", url), 4), (("--graph", url), 3)):
        done = report(*arguments, *verbose, out=tmp_path / "o")
        assert (done.code, done.out) == (code, ""), done
        assert done.err.splitlines()[0] == f"tfprof-report: s3://bucket/run: {DENIED}"
        assert not any(secret in done.err for secret in SECRETS)
    bucket.fault = lambda request: 403 if request.range else None
    assert report(url, out=tmp_path / "o").error == f"s3://bucket/run/graph.pb (--graph): {DENIED}"


def test_one_who_may_only_get_an_object_can_read_it(bucket: FaultyServer, model: Path, tmp_path: Path) -> None:
    bucket.fault = lambda request: 403 if "list-type" in request.path or request.path == "/bucket" else None
    assert report(object_url(bucket.address, "run/graph.pb"), out=tmp_path / "b").code == 0
    assert report(model / "graph.pb", out=tmp_path / "d").code == 0
    check_alike(tmp_path / "b", tmp_path / "d", name="s3://bucket/run", folder=model)


def test_one_who_may_list_a_part_of_the_bucket_can_read_a_folder_there(
    bucket: FaultyServer, model: Path, tmp_path: Path
) -> None:
    assert model.is_dir()  # in the bucket too
    bucket.fault = lambda request: 403 if request.path in ("/bucket/run", "/bucket") else None
    assert report(object_url(bucket.address, "run"), out=tmp_path / "b").code == 0
    saved = call("scope", "--graph", object_url(bucket.address, "run"))
    assert saved.error == "s3://bucket/run (--graph): is a folder, not a file; name a file in it"


@pytest.mark.parametrize(
    "url",
    ["s3://KEYOFTEST:HUSHOFTEST@bucket/run", "s3://KEYOFTEST:HUSH/OFTEST@bucket/run", "gs://KEYOFTEST@bucket/run"],
)
def test_a_url_with_credentials_is_refused_and_not_repeated(model: Path, tmp_path: Path, url: str) -> None:
    scheme = url.partition(":")[0]
    commands = [["report", url], ["report", "--graph", url], ["report", model, "--baseline", url], ["diff", url, model]]
    commands += [["report", "--model", f"a={url}"], ["report", model, "--checkpoint", url]]
    commands += [["report", model, "--baseline", url, "--baseline-missing", "ok"]]
    for command in (*([*each, "--out", tmp_path / "o"] for each in commands), ["scope", url], ["advise", url]):
        done = call(*command, "--verbose")
        assert (done.code, done.out) == (2, ""), (command, done)
        assert f"{scheme}://bucket/run: the URL has credentials in it" in done.err
        assert not any(secret in done.err for secret in ("KEYOF", "HUSH", "OFTEST"))
    done = call("report", "--model", url, "--out", tmp_path / "o")  # without the name of a model
    assert (done.code, "HUSH" in done.err, "KEYOF" in done.err) == (2, False, False)
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("https://host/graph.pb?X-Amz-Signature=5ec", "https://host/graph.pb: no files are read from there; give"),
        ("ftp://user:5ec@host/graph.pb", "ftp://host/graph.pb: no files are read from there; give a path, or a URL"),
        ("s3://bucket/run?regoin=5ec", "s3://bucket: cannot be opened (Unexpected query parameter"),
    ],
)
def test_other_urls_are_refused(tmp_path: Path, url: str, line: str) -> None:
    done = report(url, out=tmp_path / "o")
    assert (done.code, done.error.startswith(line), "5ec" in done.err) == (2, True, False), done


def test_a_process_of_its_own_ends_and_text_views_read_buckets_too(bucket: FaultyServer, model: Path) -> None:
    url = object_url(bucket.address, "run")
    for command in (["scope"], ["advise"]):
        done, on_disk = spawn(*command, url), call(*command, model)
        assert (done.code, done.out) == (0, on_disk.out)
        assert done.err == on_disk.err.replace(str(model), "s3://bucket/run")


def test_columns_may_be_models_and_reports_in_a_bucket(bucket: FaultyServer, model: Path, tmp_path: Path) -> None:
    assert report(model, out=tmp_path / "report").code == 0
    put_folder(bucket.target, tmp_path / "report", "reports/now")
    urls = [object_url(bucket.address, path) for path in ("reports/now", "run")]
    done = call("compare", urls[0], f"then={urls[1]}", "--out", tmp_path / "c", "--timestamp", WHEN)
    assert done.code == 0, done
    found = json.loads((tmp_path / "c" / "compare.json").read_text())
    columns = [(each["name"], each["source"], each["same_inputs_as"]) for each in found["columns"]]
    assert columns == [("now", "s3://bucket/reports/now", None), ("then", "s3://bucket/run", 0)]
    float_ops = next(each for each in found["figures"] if each["figure"] == "float_ops")
    assert [(each["value"], each["delta"]) for each in float_ops["of_columns"]] == [(32, None), (32, 0)]
    assert not any(secret.encode() in data for secret in SECRETS for data in contents(tmp_path / "c").values())


def test_a_glob_over_a_bucket_makes_an_entry_of_each_match(bucket: FaultyServer, model: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        put_folder(bucket.target, model, f"nights/{name}/profile")
    done = call("batch", object_url(bucket.address, "nights/*/profile"), "--out", tmp_path / "o", "--dry-run")
    assert done.code == 0, done
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["one", "two"]
    assert "report 's3://bucket/nights/one/profile" in done.out or "report s3://bucket/nights/one/profile" in done.out


def test_google_has_the_same_report(model: Path, tmp_path: Path) -> None:
    with google_server() as address:
        files, _ = fs.FileSystem.from_uri(google_url(address, ""))
        for file in model.iterdir():
            with files.open_output_stream(f"bucket/run/{file.name}") as stream:
                stream.write(file.read_bytes())
        assert report(google_url(address, "run"), out=tmp_path / "b").code == 0
        assert report(model, out=tmp_path / "d").code == 0
        check_alike(tmp_path / "b", tmp_path / "d", name="gs://bucket/run", folder=model)
        missing = report(google_url(address, "nosuch"), out=tmp_path / "o")
        assert missing.error == "gs://bucket/nosuch (--graph): no such object; check the URL"
        none = report(google_url(address, "run").replace("bucket", "nobucket"), out=tmp_path / "o")
        assert none.error == "gs://nobucket/run: cannot be read (The specified bucket does not exist)"
