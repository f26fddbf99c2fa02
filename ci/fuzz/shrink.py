"""Make a case small: as few options, files and fields as show its fault."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from fuzz.cases import Command, make_case
from fuzz.judge import judge
from fuzz.mutate import is_map, is_repeated, submessages
from fuzz.run import remove, run_case, run_command
from fuzz.seeds import Seeds
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.sniff import FULL_NAMES

Item = TypeVar("Item")


def shrink(key: str, seeds: Seeds, work: Path, keep: Path) -> int:
    """Write the smallest case found to the folder `keep`, with its command; return 1 if the case shows a fault."""
    folder = work / "case"
    _, steps = make_case(key, seeds, folder)
    files = _read(folder)
    for result in run_case(steps, folder):
        if found := judge(result, folder):
            break
        files = _read(folder)
    else:
        print(f"{key} shows no fault")
        return 0

    def shows(files: dict[str, bytes], arguments: Sequence[str]) -> bool:
        remove(folder)
        _write(folder, files)
        return found[0] in judge(run_command(Command(tuple(arguments), result.command.stdin), folder), folder)

    arguments = _smaller(list(result.command.arguments), lambda less: shows(files, less), keep_first=1)
    names = _smaller(list(files), lambda less: shows({name: files[name] for name in less}, arguments))
    files = {name: files[name] for name in names}

    def shows_with(name: str, data: bytes) -> bool:
        return shows({**files, name: data}, arguments)

    for name in sorted(files, key=lambda name: -len(files[name])):
        files[name] = _smaller_message(files[name], partial(shows_with, name))
    remove(keep)
    _write(keep, files)
    command = f"tfprof-report {shlex.join(arguments)}"
    (keep / "COMMAND").write_text(f"{command}\n", "utf-8", "surrogateescape")
    print(f"{found[0]}\n{command}\n{ {name: len(data) for name, data in files.items()} }")
    return 1


def _read(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _smaller(items: list[Item], shows: Callable[[list[Item]], bool], keep_first: int = 0) -> list[Item]:
    """Return `items` without those that are not needed: halves, quarters ... are left out, then single ones."""
    size = max(len(items) // 2, 1)
    while size:
        at = keep_first
        while at < len(items):
            less = items[:at] + items[at + size :]
            if shows(less):
                items = less
            else:
                at += size
        size //= 2
    return items


def _smaller_message(data: bytes, shows: Callable[[bytes], bool]) -> bytes:
    """Return a serialized message without what is not needed, or other bytes as they are."""
    for name in FULL_NAMES.values():
        message = message_class(name)()
        with contextlib.suppress(DecodeError):
            message.ParseFromString(data)
            if message.ListFields() and shows(message.SerializeToString(deterministic=True)):
                _strip(message, message, shows)
                stripped: bytes = message.SerializeToString(deterministic=True)
                return stripped
    return data


def _strip(root: Message, message: Message, shows: Callable[[bytes], bool]) -> None:
    """Clear the fields of `message` that are not needed, then those of the messages in it."""
    waiting = [message]
    while waiting:
        each = waiting.pop(0)
        for field, value in each.ListFields():
            kept = each.SerializeToString(deterministic=True)
            each.ClearField(field.name)
            if shows(root.SerializeToString(deterministic=True)):
                continue
            each.ParseFromString(kept)
            if is_repeated(field) and not is_map(field):
                _strip_repeated(root, each, field.name, len(value), shows)
        waiting += submessages(each)


def _strip_repeated(root: Message, message: Message, name: str, count: int, shows: Callable[[bytes], bool]) -> None:
    def without(places: list[int]) -> bytes:
        items = getattr(message, name)
        kept = [items[place] for place in range(count) if place in set(places)]
        changed = type(message)()
        changed.CopyFrom(message)
        changed.ClearField(name)
        getattr(changed, name).extend(kept)
        whole = message.SerializeToString(deterministic=True)
        message.CopyFrom(changed)
        data: bytes = root.SerializeToString(deterministic=True)
        message.ParseFromString(whole)
        return data

    places = _smaller(list(range(count)), lambda less: shows(without(less)))
    items = getattr(message, name)
    for place in reversed(range(count)):
        if place not in set(places):
            del items[place]
