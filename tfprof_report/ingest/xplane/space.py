"""XSpace to columns: one row per event, with the line and plane that it is on, times on one clock."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, encode_codes, list_offsets, list_values, row_of_value, to_bools, to_ints, whole
from tfprof_report.ingest.decode import Decoded
from tfprof_report.ingest.xplane.stats import Names, Stats, as_text
from tfprof_report.record import record

PS_PER_NANO = 1000

_FAR_PS = 2**57
"""Longest time from the first event and longest duration, 40 hours, so that sums of a trace's times fit in int64."""

_LATEST_NANOS = 2**62
_MOST = 2**61
"""Most occurrences that all events of a file stand for."""


@record
class Space:
    """One file of a trace: the planes (devices, the host, metadata) of one host.

    planes : names
    lines : plane (row of `planes`), number (id of the line: a thread, a stream), name
    kinds : one row per kind of event (XEventMetadata): plane, name, display_name
    events : line (row of `lines`), kind (row of `kinds`, -1 for one that the file lacks), start_ps (since
        `first_nanos`), duration_ps, count (occurrences that it stands for: 1, or as many as the profiler added up,
        where start_ps is NULL and duration_ps is that of all)
    of_events, of_kinds, of_planes : the stats of each
    first_nanos : when the first line starts, on the clock of the file
    hosts, errors, warnings : what the profiler says of the whole
    """

    planes: pa.Array
    lines: pa.Table
    kinds: pa.Table
    events: pa.Table
    of_events: Stats
    of_kinds: Stats
    of_planes: Stats
    first_nanos: int
    hosts: tuple[str, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]

    def names(self) -> pa.Array:
        """Return the name of each event, NULL for a kind that the file lacks."""
        kind = to_ints(self.events["kind"])
        names = self.kinds["name"].combine_chunks().dictionary_encode()
        code = np.append(to_ints(names.indices), -1)[kind].astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(code, mask=code < 0), names.dictionary)

    def names_or(self, words: pa.Array, row: Ints, event: Ints) -> pa.DictionaryArray:
        """Return ``words.take(row)``, where `row` is -1 the name of the event; empty for a kind that the file lacks."""
        kinds = whole(self.kinds["name"])
        kind = to_ints(self.events["kind"])[event]
        own = np.where(kind >= 0, len(words) + kind, len(words) + len(kinds))
        return encode_codes(np.where(row >= 0, row, own), pa.concat_arrays([words, kinds, pa.array([""])]))

    def times(self) -> tuple[Ints, Ints]:
        """Return start and duration of each event in picoseconds; the start is 0 for what was added up."""
        return to_ints(pc.fill_null(self.events["start_ps"], 0)), to_ints(self.events["duration_ps"])

    def has(self, stat: str) -> bool:
        """Return whether an event or its kind has a stat of this name."""
        return self.of_events.has(stat) or self.of_kinds.has(stat)

    def codes(self, stat: str) -> pa.DictionaryArray:
        """Return a stat of each event, or else of its kind, as text; NULL where neither has it."""
        own = self.of_events.codes(stat)
        if not self.of_kinds.has(stat):
            return own
        of_kind = self.of_kinds.codes(stat)
        code, inherited = to_ints(pc.fill_null(own.indices, -1)), to_ints(pc.fill_null(of_kind.indices, -1))
        inherited = np.append(np.where(inherited >= 0, inherited + len(own.dictionary), -1), -1)
        code = np.where(code >= 0, code, inherited[to_ints(self.events["kind"])])
        return encode_codes(code, pa.concat_arrays([own.dictionary, of_kind.dictionary]))

    def ints(self, stat: str) -> pa.Array:
        """Return a stat of each event, or else of its kind, as a whole number; NULL where neither has it."""
        if not self.of_kinds.has(stat):
            return self.of_events.ints(stat)
        kind = to_ints(self.events["kind"])
        of_kind = self.of_kinds.ints(stat).take(pa.array(kind, mask=kind < 0))
        return pc.coalesce(self.of_events.ints(stat), of_kind)


def read_space(decoded: Decoded) -> Space:
    """Return the columns of a decoded XSpace."""
    batch = decoded.batch
    planes = list_values(batch.column("planes"))
    lines = list_values(planes.field("lines"))
    plane_of_line = row_of_value(list_offsets(planes.field("lines")))
    events = list_values(lines.field("events"))
    line_of_event = row_of_value(list_offsets(lines.field("events")))

    stat_kinds, kinds = planes.field("stat_metadata"), planes.field("event_metadata")
    names = Names(
        plane=row_of_value(list_offsets(stat_kinds)),
        number=to_ints(stat_kinds.keys),
        texts=as_text(pc.fill_null(stat_kinds.items.field("name"), b"")).dictionary_encode(),
    )
    plane_of_kind = row_of_value(list_offsets(kinds))
    kind_names = as_text(pc.fill_null(kinds.items.field("name"), b""))
    of_plane = Names(plane=plane_of_kind, number=to_ints(kinds.keys), texts=kind_names.dictionary_encode())
    plane_of_event = plane_of_line[line_of_event]

    start_nanos = np.clip(to_ints(lines.field("timestamp_ns")), 0, _LATEST_NANOS)
    with_events = start_nanos[np.diff(list_offsets(lines.field("events"))) > 0]
    first = int(with_events.min(initial=_LATEST_NANOS)) if len(with_events) else 0
    since = np.clip(start_nanos - first, 0, _FAR_PS // PS_PER_NANO) * PS_PER_NANO
    offset = np.clip(to_ints(pc.fill_null(events.field("offset_ps"), 0)), -_FAR_PS, _FAR_PS)
    count = pc.fill_null(events.field("num_occurrences"), 0)
    is_one = to_bools(pc.equal(count, 0))
    return Space(
        planes=_copied(as_text(planes.field("name"))),
        lines=pa.table(
            {
                "plane": plane_of_line,
                "number": _copied(lines.field("id")),
                "name": _copied(as_text(lines.field("name"))),
            }
        ),
        kinds=pa.table(
            {
                "plane": plane_of_kind,
                "name": _copied(kind_names),
                "display_name": _copied(as_text(pc.fill_null(kinds.items.field("display_name"), b""))),
            }
        ),
        events=pa.table(
            {
                "line": line_of_event,
                "kind": of_plane.rows(plane_of_event, to_ints(events.field("metadata_id"))),
                "start_ps": pa.array(since[line_of_event] + offset, mask=~is_one),
                "duration_ps": pa.array(np.clip(to_ints(events.field("duration_ps")), 0, _FAR_PS)),
                "count": pa.array(np.where(is_one, 1, np.clip(to_ints(count), 0, _MOST // max(len(count), 1)))),
            }
        ),
        of_events=_stats(events.field("stats"), plane_of_event, names),
        of_kinds=_stats(pc.fill_null(kinds.items.field("stats"), []), plane_of_kind, names),
        of_planes=_stats(planes.field("stats"), np.arange(len(planes)), names),
        first_nanos=first,
        hosts=_texts(batch, "hostnames"),
        errors=_texts(batch, "errors"),
        warnings=_texts(batch, "warnings"),
    )


def _copied(column: pa.Array) -> pa.Array:
    """Return a column of its own: one that is part of the message keeps all of that in memory, most of it events."""
    return column.take(pa.array(np.arange(len(column))))


def _stats(stats: pa.ListArray, plane: Ints, names: Names) -> Stats:
    owner = row_of_value(list_offsets(stats))
    return Stats(owner, plane, list_values(stats), names, len(stats))


def _texts(batch: pa.RecordBatch, name: str) -> tuple[str, ...]:
    return tuple(as_text(list_values(batch.column(name))).to_pylist())
