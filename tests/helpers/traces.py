"""XPlane traces by hand: times in nanoseconds, text stats as references, as TensorFlow writes them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.sniff import Kind
from tfprof_report.ingest.xplane.space import Space, read_space
from tfprof_report.ingest.xplane.traced import Traced, read_traces

DATA = Path(__file__).parents[1] / "data" / "xplane"
CASES = tuple(sorted(each.name for each in DATA.iterdir() if each.is_dir()))

Value = int | float | str | bytes


class Plane:
    """A plane of a trace, with its names."""

    def __init__(self, message: Any) -> None:
        self.message = message

    def line(self, name: str = "thread", *, start: int = 0) -> Line:
        """Add a line whose times count from `start`."""
        message = self.message.lines.add(id=len(self.message.lines) + 1, name=name, timestamp_ns=start)
        return Line(self, message)

    def stat(self, name: str, value: Value) -> None:
        """Add a stat of the plane itself."""
        self.write(self.message, name, value)

    def kind(self, name: str, display_name: str = "", /, **stats: Value) -> int:
        """Return the number of a kind of events."""
        kinds = self.message.event_metadata
        found = next((number for number, each in kinds.items() if each.name == name), None)
        if found is None:
            found = len(kinds) + 1
            kinds[found].id, kinds[found].name, kinds[found].display_name = found, name, display_name
            for stat, value in stats.items():
                self.write(kinds[found], stat, value)
        return found

    def write(self, owner: Any, name: str, value: Value) -> None:
        """Add a stat to an event, kind or plane."""
        stat = owner.stats.add(metadata_id=self._number(name))
        if isinstance(value, str):
            stat.ref_value = self._number(value)
        elif isinstance(value, bytes):
            stat.bytes_value = value
        elif isinstance(value, float):
            stat.double_value = value
        elif value >= 2**63:
            stat.uint64_value = value
        else:
            stat.int64_value = value

    def _number(self, name: str) -> int:
        names = self.message.stat_metadata
        found = next((number for number, each in names.items() if each.name == name), None)
        if found is None:
            found = len(names) + 1
            names[found].id, names[found].name = found, name
        return found


class Line:
    """A line of a plane: a thread or a stream."""

    def __init__(self, plane: Plane, message: Any) -> None:
        self.plane, self.message = plane, message

    def event(self, name: str, start: int = 0, duration: int = 0, /, **stats: Value) -> Line:
        """Add an event."""
        number = self.plane.kind(name)
        event = self.message.events.add(metadata_id=number, offset_ps=1000 * start, duration_ps=1000 * duration)
        for stat, value in stats.items():
            self.plane.write(event, stat, value)
        return self

    def summed(self, name: str, count: int, duration: int) -> Line:
        """Add what the profiler added up."""
        number = self.plane.kind(name)
        self.message.events.add(metadata_id=number, num_occurrences=count, duration_ps=1000 * duration)
        return self


class Trace:
    """A trace of one host."""

    def __init__(self, *, level: int | None = 3, **texts: list[str]) -> None:
        self.message = message_class("tensorflow.profiler.XSpace")(**texts)
        if level is not None:
            self.plane("Task Environment").stat("profile_options", b"\x10" + bytes([level]))

    def plane(self, name: str = "/host:CPU") -> Plane:
        """Return a plane, which is new if there is none of this name."""
        found = next((each for each in self.message.planes if each.name == name), None)
        return Plane(self.message.planes.add(name=name) if found is None else found)

    def line(self, name: str = "thread", *, plane: str = "/host:CPU", start: int = 0) -> Line:
        """Add a line to a plane."""
        return self.plane(plane).line(name, start=start)

    def bytes(self) -> bytes:
        """Return the file."""
        data: bytes = self.message.SerializeToString(deterministic=True)
        return data

    def space(self) -> Space:
        """Return the columns."""
        return space_of(self.bytes())

    def traced(self, *, is_graph: bool = False) -> Traced:
        """Return what the trace tells, as the only one of a run."""
        return read_traces({"host": self.space()}, is_graph=is_graph)


def instruction(name: str, opcode: str, number: int, sizes: list[int] | None, **fields: Any) -> dict[str, Any]:
    """Return an instruction with a result of float32 of these sizes, or a tuple for None; `fields` as in HLO."""
    shape = {"element_type": 13} if sizes is None else {"element_type": 11, "dimensions": sizes}
    return {"name": name, "opcode": opcode, "id": number, "shape": shape, **fields}


def program(*computations: list[dict[str, Any]], name: str = "m", **fields: Any) -> bytes:
    """Return an encoded HloProto with these computations, numbered from 1; `fields` are of the module."""
    parts = [{"id": number, "instructions": each} for number, each in enumerate(computations, start=1)]
    data: bytes = message_class("columns.HloProto")(
        hlo_module={"name": name, "computations": parts, **fields}
    ).SerializeToString()
    return data


def space_of(data: bytes) -> Space:
    """Return the columns of an encoded trace."""
    return read_space(decode(data, Kind.XPLANE, file="FILE", option="--xplane"))


def case_files(case: str) -> list[Path]:
    """Return the traces of a recorded case, one per host."""
    return sorted((DATA / case).rglob("*xplane.pb.gz"))


def read_case(case: str, *, is_graph: bool = False) -> Traced:
    """Return what the traces of a recorded case tell."""
    files = case_files(case)
    return read_traces({file.name: space_of(file.read_bytes()) for file in files}, is_graph=is_graph)


def message_of(file: Path) -> Any:
    """Return the message in a recorded trace, parsed by protobuf itself."""
    return message_class("tensorflow.profiler.XSpace").FromString(gzip.decompress(file.read_bytes()))
