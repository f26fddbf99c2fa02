"""An object is read whole, in one version, and each of its bytes once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from buckets import delete, object_url, put, set_credentials
from faulty_server import Fault, FaultyServer, Request, faulty_server
from pyarrow import fs
from s3_server import s3_server

from tfprof_report.buckets import connection, patience, read_object
from tfprof_report.buckets.connection import connect
from tfprof_report.buckets.listing import kind_at, list_at
from tfprof_report.buckets.read_object import AT_ONCE, RANGE, open_object, read_range
from tfprof_report.buckets.reasons import ReplacedError, reason_of

DATA = random.Random(5).randbytes(10_500)


@pytest.fixture(scope="module")
def stores() -> Iterator[tuple[str, FaultyServer]]:
    with s3_server() as address, faulty_server(address) as server:
        yield address, server


@pytest.fixture
def bucket(stores: tuple[str, FaultyServer], monkeypatch: pytest.MonkeyPatch) -> FaultyServer:
    """Return the server with an object ``a/big``, which is read in ranges of 1,000 bytes."""
    set_credentials(monkeypatch)
    monkeypatch.setattr(patience, "_PAUSES", (0.0, 0.01, 0.02))
    monkeypatch.setattr(read_object, "RANGE", 1000)
    address, server = stores
    put(address, "a/big", DATA)
    server.fault, server.after = (lambda _: None), (lambda _: None)
    server.requests.clear()
    return server


def opened(server: FaultyServer) -> fs.FileSystem:
    return connect(object_url(server.address, ""), option=None, advice="")[0]


def test_usual_ranges_are_large_and_few_at_once() -> None:
    assert 4 * 2**20 <= RANGE <= 16 * 2**20
    assert 2 <= AT_ONCE <= 8


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 1001, 10_500])
def test_each_byte_is_read_once(bucket: FaultyServer, size: int) -> None:
    put(bucket.target, "a/some", DATA[:size])
    assert read_object.read_object(opened(bucket), "bucket/a/some") == DATA[:size]
    ranges = [each.range for each in bucket.of("GET", "a/some")]
    wanted = [f"bytes={start}-{min(start + 1000, size) - 1}" for start in range(0, size, 1000)]
    assert sorted(map(str, ranges)) == sorted(wanted)


@pytest.mark.parametrize("fault", [503, 500, Fault.CLOSED, Fault.CUT])
def test_only_the_range_that_failed_is_read_again(bucket: FaultyServer, fault: Fault | int) -> None:
    seen: Counter[str | None] = Counter()

    def fails_twice(request: Request) -> Fault | int | None:
        if request.range != "bytes=3000-3999":
            return None
        seen[request.range] += 1
        return fault if seen[request.range] <= 2 else None

    bucket.fault = fails_twice
    assert read_object.read_object(opened(bucket), "bucket/a/big") == DATA
    again = Counter(each.range for each in bucket.of("GET", "a/big"))
    assert {part: times for part, times in again.items() if times > 1} == {"bytes=3000-3999": 3}


def test_one_request_in_ten_may_fail(bucket: FaultyServer) -> None:
    faults = [503, Fault.CLOSED, Fault.CUT]
    bucket.fault = lambda request: faults[request.number // 10 % 3] if request.number % 10 == 0 else None
    for _ in range(2):
        assert read_object.read_object(opened(bucket), "bucket/a/big") == DATA
    assert len(bucket.requests) > 25


def test_an_object_that_ends_early_is_not_taken_for_a_whole_one(bucket: FaultyServer) -> None:
    bucket.fault = lambda request: Fault.CUT if request.range == "bytes=10000-10499" else None
    with pytest.raises(OSError, match="partial file") as problem:
        read_object.read_object(opened(bucket), "bucket/a/big")
    assert reason_of(problem.value) == "it ends early: fewer bytes arrive than it has"


@pytest.mark.parametrize("size", [10_500, 2_500, 20_000])
@pytest.mark.parametrize("after", ["bytes=0-999", "bytes=4000-4999"])
def test_an_object_that_is_replaced_while_it_is_read_is_an_error(bucket: FaultyServer, size: int, after: str) -> None:
    def replace(request: Request) -> None:
        if request.range == after:
            put(bucket.target, "a/big", (DATA[::-1] * 2)[:size])

    bucket.after = replace
    with pytest.raises(ReplacedError):
        read_object.read_object(opened(bucket), "bucket/a/big")
    bucket.after = lambda _: None
    assert read_object.read_object(opened(bucket), "bucket/a/big") == (DATA[::-1] * 2)[:size]


def test_an_object_that_goes_while_it_is_read_is_not_there(bucket: FaultyServer) -> None:
    bucket.after = lambda request: delete(bucket.target, "a/big") if request.range == "bytes=0-999" else None
    with pytest.raises(FileNotFoundError):
        read_object.read_object(opened(bucket), "bucket/a/big")


def test_a_part_alone_is_read_alone(bucket: FaultyServer) -> None:
    files = opened(bucket)
    file = open_object(files, "bucket/a/big")
    assert read_range(file, 5000, 70) == DATA[5000:5070]
    assert [each.range for each in bucket.of("GET", "a/big")] == ["bytes=5000-5069"]
    with pytest.raises(OSError, match="ends early"):
        read_range(file, 10_400, 200)


def test_what_is_there_is_an_object_a_folder_or_nothing(bucket: FaultyServer) -> None:
    files = opened(bucket)
    kinds = [kind_at(files, f"bucket/{path}") for path in ("a", "a/big", "b", "a/bi")]
    assert kinds == [fs.FileType.Directory, fs.FileType.File, fs.FileType.NotFound, fs.FileType.NotFound]
    assert [each.base_name for each in list_at(files, "bucket")] == ["a"]
    assert list_at(files, "bucket/nosuch") == []
    for ask in (kind_at, list_at):
        with pytest.raises(OSError, match="The specified bucket does not exist"):
            ask(files, "nobucket/a")


def test_the_endpoint_may_be_in_the_environment(bucket: FaultyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{bucket.address}")
    files, path = connect("s3://bucket/a/big", option=None, advice="")
    assert read_object.read_object(files, path) == DATA


def test_time_limits_of_the_client_are_short_and_the_rest_is_as_given() -> None:
    assert connection._CONNECT * connection._ATTEMPTS < 12
    url = "s3://bucket?region=eu-west-1&allow_bucket_creation=true&endpoint_override=h:1&scheme=http"
    files = connect(url, option=None, advice="")[0]
    settings = files.__reduce__()[1][0]
    kept = {word: settings[word] for word in ("region", "allow_bucket_creation", "endpoint_override", "scheme")}
    assert kept == {"region": "eu-west-1", "allow_bucket_creation": True, "endpoint_override": "h:1", "scheme": "http"}
    assert (settings["connect_timeout"], settings["request_timeout"], settings["access_key"]) == (2.0, 4.0, None)
    google = connect("gs://anonymous@bucket/x", option=None, advice="")[0].__reduce__()[1][0]
    assert (google["retry_time_limit"].total_seconds(), google["anonymous"]) == (12.0, True)
    given = connect("gs://anonymous@bucket/x?retry_limit_seconds=3", option=None, advice="")[0].__reduce__()[1][0]
    assert given["retry_time_limit"].total_seconds() == 3.0
