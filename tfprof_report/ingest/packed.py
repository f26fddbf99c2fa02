"""Packed (gzip) files, with a limit: a small one can unpack to what takes all memory, or hours."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping

from tfprof_report.errors import InputError, OptionError
from tfprof_report.record import record

MAX_MESSAGE_BYTES = 2**31 - 1
"""Size of the largest serialized message that protobuf allows."""

OPTION = "max-unpacked"
_UNITS: dict[str, int] = {"": 1, "B": 1} | {
    f"{prefix}{suffix}": base**power
    for power, prefix in enumerate("KMG", 1)
    for suffix, base in (("B", 1000), ("iB", 1024))
}

_SMALL = 2**20
_BYTES_OF_SMALL, _TIMES = 2**25, 64
_ELEMENTS_OF_SMALL, _ELEMENTS_PER_BYTE = 1_000_000, 4
"""Files of up to `_SMALL` bytes may have these numbers of bytes and elements, larger ones these multiples.

Profiler files shrink to between a half and a fortieth, and have up to 2 elements per byte then.
"""

_NODES = ("node", "node_def", "nodes", "node_stats")
_NODES_OF_SMALL, _NODES_PER_BYTE = 100_000, 1
"""The same for nodes and records of nodes, the fields of these names, which cost more than other elements.

Graphs have up to 0.09 nodes per byte, run metadata of loops up to 0.6 records.
"""

_CHUNK = 2**14
_ZEROS = re.compile(rb"\0*")


@record
class Packed:
    """A packed file, and how much it may hold.

    size : bytes of the packed file
    most : the user's limit of unpacked bytes, for which elements are not counted; None for the limits above
    file, option : for errors
    """

    size: int
    most: int | None
    file: str
    option: str

    @property
    def most_bytes(self) -> int:
        """The most bytes that it may unpack to."""
        default = _BYTES_OF_SMALL if self.size <= _SMALL else _TIMES * self.size
        return min(default if self.most is None else self.most, MAX_MESSAGE_BYTES)

    @property
    def most_elements(self) -> int:
        """The most elements that the message in it may have."""
        return _ELEMENTS_OF_SMALL if self.size <= _SMALL else _ELEMENTS_PER_BYTE * self.size

    @property
    def most_nodes(self) -> int:
        """The most nodes or records that the message in it may have, nodes of functions included."""
        return _NODES_OF_SMALL if self.size <= _SMALL else _NODES_PER_BYTE * self.size

    def check_text(self, data: bytes, *, skips: bool = False) -> None:
        """Raise InputError if a text message has too many fields, strings or lines to be parsed in reasonable time.

        With `skips` unknown fields are skipped, which takes up to four times the time.
        """
        most = self.most_elements // (4 if skips else 1)
        fields = sum(map(data.count, (b":", b"{", b"<", b",")))
        strings = sum(map(data.count, (b'"', b"'"))) // 2  # any number of them in a row is one value
        if self.most is None and max(fields, strings, data.count(b"\n")) > most:
            raise self._too_large(f"{most:,} fields" + ", some of which this version does not know" * skips)

    def check_records(self, has_more: Callable[[int], bool]) -> None:
        """Raise InputError if an event file has more events than a message may have records."""
        if self.most is None and has_more(self.most_nodes):
            raise self._too_large(f"{self.most_nodes:,} events")

    def check_message(self, count_elements: Callable[[], Mapping[str, int]]) -> None:
        """Raise InputError if a binary message has too many nodes, records or elements; counts are by field name."""
        if self.most is not None:
            return
        counts = count_elements()
        if sum(counts[name] for name in _NODES if name in counts) > self.most_nodes:
            raise self._too_large(f"{self.most_nodes:,} nodes or records")
        if sum(counts.values()) > self.most_elements:
            raise self._too_large(f"{self.most_elements:,} nodes, attributes and other elements")

    def _too_large(self, what: str) -> InputError:
        side = next((side for side in ("base-", "head-") if self.option.startswith(f"--{side}")), "")
        way_out = f", or add --{side}{OPTION} SIZE" if self.option.startswith("--") else ""
        return InputError(
            f"has {self.size:,} bytes that unpack to more than {what}",
            file=self.file,
            option=self.option,
            advice=f"if it is meant to, unpack it{way_out}",
        )

    def unpack(self, data: bytes) -> bytes:
        """Return the content of the gzip data of the file, which may have several members.

        Raises
        ------
        InputError
            It is damaged, or unpacks to too many bytes.
        """
        parts: list[bytes] = []
        at, left, problem, details = 0, self.most_bytes + 1, None, None
        while at < len(data) and left > 0 and not problem:
            member = zlib.decompressobj(wbits=31)
            while at < len(data) and left > 0 and not member.eof:
                chunk = data[at : at + _CHUNK]  # small ones: the rest after each of many members is copied
                try:
                    parts.append(member.decompress(chunk, left))
                except zlib.error as error:
                    problem, details = "the gzip data is damaged", str(error)
                    break
                at += len(chunk) - len(member.unused_data) - len(member.unconsumed_tail)
                left -= len(parts[-1])
            if not problem and left > 0 and not member.eof:
                problem = "the gzip data is cut short"
            at = _end_of_zeros(data, at)
        if left <= 0:
            raise self._too_large(f"{self.most_bytes:,} bytes")
        if problem:
            raise InputError(
                problem, file=self.file, option=self.option, advice="write the file again", details=details
            )
        return b"".join(parts)


def _end_of_zeros(data: bytes, at: int) -> int:
    found = _ZEROS.match(data, at)
    return found.end() if found else at


def parse_max_unpacked(text: str, side: str = "") -> int:
    """Parse the value of ``--max-unpacked``: a number of bytes; OptionError if it is not one."""
    return parse_size(text, option=f"--{side}{OPTION}")


def parse_size(text: str, *, option: str) -> int:
    """Parse a number of bytes, such as ``500MiB``.

    Raises
    ------
    OptionError
        It is not one.
    """
    found = re.fullmatch(r"([0-9]{1,15})\s*([A-Za-z]*)", text.strip(), re.ASCII)
    if not found or found[2] not in _UNITS:
        raise OptionError(f'"{text}" is not a size', option=option, advice="write bytes such as 500MiB")
    factor: int = _UNITS[found[2]]
    return int(found[1]) * factor
