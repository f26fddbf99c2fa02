"""Write what xprof makes of the traces of ``tests/data/xplane``, as ``xprof.json.gz`` beside each.

    python ci/xprof_truth.py tests/data/xplane [CASE ...]

Needs the package ``xprof`` alone. The folder's README.md says what is in the files.
"""

from __future__ import annotations

import gzip
import importlib.metadata
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from xprof.convert import raw_to_tool_data

OP_COLUMNS = ("host_or_device", "type", "operation", "occurrences", "total_time", "total_self_time", "eager")
STEP_COLUMNS = ("stepnum", "hostComputeTimeMs", "infeedTimeMs", "compileTimeMs", "otherTimeMs", "stepTimeMs")
SNAPSHOT = {
    "aggregationStats": (
        "stackReservedBytes",
        "heapAllocatedBytes",
        "freeMemoryBytes",
        "fragmentation",
        "peakBytesInUse",
    ),
    "activityMetadata": (
        "memoryActivity",
        "requestedBytes",
        "allocationBytes",
        "address",
        "tfOpName",
        "stepId",
        "regionType",
        "dataType",
        "tensorShape",
    ),
}
ON_DEVICES = ("op_profile", "hlo_stats", "roofline_model", "kernel_stats", "utilization_viewer")


def answer(paths: list[str], tool: str) -> Any:
    """Return what a tool says of the traces of a run, decoded."""
    data, _ = raw_to_tool_data.xspace_to_tool_data(paths, tool, {"use_saved_result": False})
    return json.loads(data) if data else None


def rows_of(table: dict[str, Any], columns: tuple[str, ...]) -> list[list[Any]]:
    """Return some columns of a table in the form of Google's charts, row by row."""
    places = [[each["id"] for each in table["cols"]].index(column) for column in columns]
    return [[row["c"][place].get("v") for place in places] for row in table["rows"]]


def steps_of(tables: list[dict[str, Any]]) -> list[list[Any]]:
    """Return the steps among the tables of the input pipeline analyzer, with times in milliseconds."""
    (steps,) = (each for each in tables if any(column["id"] == "stepnum" for column in each["cols"]))
    return rows_of(steps, STEP_COLUMNS)


def snapshot_row(snapshot: dict[str, Any]) -> list[Any]:
    """Return one moment of an allocator, in the order of ``SNAPSHOT``."""
    fields = [snapshot[part].get(name) for part, names in SNAPSHOT.items() for name in names]
    return [snapshot["timeOffsetPs"], *fields]


def allocator_truth(allocator: dict[str, Any]) -> dict[str, Any]:
    """Return the summary of an allocator, what was live at its peak, and its timeline."""
    return {
        "summary": allocator["profileSummary"],
        "active_allocations": allocator["activeAllocations"],
        "special_allocations": allocator["specialAllocations"],
        "active_snapshots": [snapshot_row(each) for each in allocator["memoryProfileSnapshots"]],
        "timeline": [snapshot_row(each) for each in allocator["sampledTimelineSnapshots"]],
    }


def rows_on_devices(answered: Any) -> int:
    """Return how many rows or programs the answer of a tool for devices has."""
    if isinstance(answered, list):
        return sum(len(each["rows"]) for each in answered)
    return len(answered["rows"]) if "rows" in answered else len(answered["byProgram"]["children"])


def truth_of(paths: list[str]) -> dict[str, Any]:
    """Return the truth about the traces of one run."""
    with_idle, without_idle = answer(paths, "framework_op_stats")
    memory = {Path(path).name: answer([path], "memory_profile")["memoryProfilePerAllocator"] for path in paths}
    return {
        "xprof": importlib.metadata.version("xprof"),
        "framework_op_stats": {
            "columns": OP_COLUMNS,
            "with_idle": rows_of(with_idle, OP_COLUMNS),
            "without_idle": rows_of(without_idle, OP_COLUMNS),
        },
        "steps": {"columns": STEP_COLUMNS, "rows": steps_of(answer(paths, "input_pipeline_analyzer"))},
        "memory_profile": {
            "snapshot_columns": ["timeOffsetPs", *(name for names in SNAPSHOT.values() for name in names)],
            "hosts": {
                host: {name: allocator_truth(each) for name, each in sorted(allocators.items())}
                for host, allocators in memory.items()
            },
        },
        "rows_on_devices": {tool: rows_on_devices(answer(paths, tool)) for tool in ON_DEVICES},
    }


def main(folder: Path, cases: list[str]) -> None:
    """Write the truth about the chosen cases, by default all."""
    for case in cases or sorted(path.name for path in folder.iterdir() if path.is_dir()):
        with tempfile.TemporaryDirectory() as run:
            paths = []
            for path in sorted((folder / case).rglob("*xplane.pb.gz")):
                name = "host.xplane.pb" if path.name == "xplane.pb.gz" else path.name.removesuffix(".gz")
                paths.append(str(Path(run) / name))
                Path(paths[-1]).write_bytes(gzip.decompress(path.read_bytes()))
            text = json.dumps(truth_of(paths), indent=0)
        (folder / case / "xprof.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        print(case, len(text), (folder / case / "xprof.json.gz").stat().st_size, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
