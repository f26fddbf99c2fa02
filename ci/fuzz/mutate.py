"""Break bytes, text, protobuf messages and JSON, each at random places."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from fuzz.values import ATTRIBUTES, BYTES, ENUMS, FLOATS, INTS, JSON_VALUES, NAMES, OPS

_LARGEST = 4 << 20
_COPIED = 200_000
_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[A-Za-z_0-9.+-]+|\s+|.', re.DOTALL)
_NARROW = {getattr(FieldDescriptor, f"TYPE_{name}") for name in ("INT32", "UINT32", "SINT32", "FIXED32", "SFIXED32")}
_UNSIGNED = {getattr(FieldDescriptor, f"TYPE_{name}") for name in ("UINT32", "UINT64", "FIXED32", "FIXED64")}


# Bytes and text -------------------------------------------------------------------------------------------------------


def break_bytes(random: Random, data: bytes) -> bytes:
    """Return `data` with one or a few changes: bits, cuts, copies, insertions, overlong varints."""
    broken = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 4, 16])):
        if len(broken) <= _LARGEST:
            _break_place(random, broken, random.randrange(len(broken) + 1))
    return bytes(broken)


def _break_place(random: Random, data: bytearray, at: int) -> None:
    end = at + random.choice([1, 2, 8, 100, 1000])
    other = random.randrange(len(data) + 1)
    match random.randrange(9):
        case 0 | 1 if at < len(data):
            data[at] ^= random.choice([1, 2, 4, 8, 16, 32, 64, 128, 255])
        case 2:
            del data[at:]
        case 3:
            del data[at:end]
        case 4:
            data[at:at] = random.randbytes(random.choice([1, 2, 8, 64]))
        case 5:
            data[at:at] = data[other : other + random.choice([1, 4, 64, 1000])]
        case 6:
            odd = [b"\xff" * 10, b"\x80" * 11, b"\x00" * 9, b"\x0a\xff\xff\xff\xff\x0f", b"\x7f"]
            data[at:at] = random.choice(odd)
        case 7:
            size = random.choice([1, 2, 4, 8])
            data[at : at + size] = random.choice([b"\x00", b"\xff", b"\x7f", b"\x80"]) * size
        case _:
            data += data[: random.choice([1, 10, 1000])]


def break_text(random: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Return text with tokens deleted, copied, swapped, or replaced by one of `words`."""
    tokens = _TOKEN.findall(data)
    for _ in range(random.choice([1, 1, 2, 3, 8])):
        if not tokens:
            break
        at, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        match random.randrange(7):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[other])
            case 2:
                tokens[at] = random.choice(words)
            case 3:
                tokens.insert(at, random.choice(words))
            case 4:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 5:
                tokens[at:at] = tokens[at : at + random.choice([1, 5, 40])] * random.choice([1, 2, 20])
            case _:
                tokens[at] = break_bytes(random, tokens[at])
    return b"".join(tokens)


def break_json(random: Random, value: Any) -> Any:
    """Return a value of JSON with one value in it replaced or deleted."""
    if isinstance(value, dict) and value and random.random() < 0.95:
        key = random.choice(list(value))
        if random.random() < 0.15:
            del value[key]
        else:
            value[key] = break_json(random, value[key])
        return value
    if isinstance(value, list) and value and random.random() < 0.9:
        at = random.randrange(len(value))
        value[at] = break_json(random, value[at])
        return value
    return random.choice(JSON_VALUES)


# Messages -------------------------------------------------------------------------------------------------------------


def node_names(message: Any) -> list[str]:
    """Return some names of nodes and functions of a GraphDef, which references to them may take; else nothing."""
    names = [node.name for node in getattr(message, "node", ())][:300]
    for function in getattr(getattr(message, "library", None), "function", ())[:40]:
        names += [function.signature.name, *(node.name for node in function.node_def[:40])]
    return names


def odd_name(random: Random, names: Sequence[str]) -> str:
    """Return a name: one of `names`, perhaps with an output or a control mark, or an odd one, or an op type."""
    kind = random.random()
    if kind < 0.35 and names:
        return random.choice(["", "", "", "^"]) + random.choice(names) + random.choice(["", "", ":0", ":1", ":out:0"])
    return random.choice(NAMES if kind < 0.8 else OPS)


def break_message(random: Random, message: Any, times: int) -> None:
    """Change a message at `times` places: fields cleared, set to odd values, copied from elsewhere in the message."""
    names = node_names(message)
    for _ in range(times):
        # A drawn value may not fit its field, such as text that is no UTF-8.
        with contextlib.suppress(ValueError, TypeError, OverflowError, KeyError):
            _break_field(random, message, names)


def _break_field(random: Random, root: Any, names: Sequence[str]) -> None:
    found = _messages_in(random, root)
    message = random.choice(found)
    fields = list(message.DESCRIPTOR.fields)
    if not fields:
        return
    present = [field for field, _ in message.ListFields()]
    field = random.choice(present if present and random.random() < 0.75 else fields)
    if is_map(field):
        _break_map(random, message, field, names)
    elif is_repeated(field):
        _break_repeated(random, getattr(message, field.name), field, names, found)
    elif field.message_type is not None:
        _break_single(random, message, field, found)
    elif random.random() < 0.15:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, _odd_scalar(random, field, names))


def is_repeated(field: Any) -> bool:
    """Return whether a field has many values; protobuf before 6.30 has only the label for that."""
    return bool(field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED)


def is_map(field: Any) -> bool:
    """Return whether a field is a map, whose entries Python shows as a dict."""
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def submessages(message: Any) -> list[Any]:
    """Return the messages directly in a message, of all fields; of a long field, the first 400."""
    found: list[Any] = []
    for field, value in message.ListFields():
        if is_map(field):
            if field.message_type.fields_by_name["value"].message_type is not None:
                found += [value[key] for key in sorted(value)[:200]]
        elif field.message_type is not None:
            found += list(value)[:400] if is_repeated(field) else [value]
    return found


def _messages_in(random: Random, root: Any, most: int = 4000) -> list[Any]:
    """Return the messages in a message, itself included; of more than `most`, random ones."""
    found: list[Any] = []
    waiting = [root]
    while waiting and len(found) < most:
        found.append(waiting.pop(random.randrange(len(waiting))))
        waiting += submessages(found[-1])
    return found


def _copy_of(random: Random, field: Any, found: Sequence[Any]) -> bytes:
    """Return a message of the type of `field`, from elsewhere in the same file, or an empty one."""
    same = [each for each in found if each.DESCRIPTOR.full_name == field.message_type.full_name]
    data: bytes = random.choice(same).SerializeToString(deterministic=True) if same else b""
    return data if len(data) < _COPIED else b""


def _break_single(random: Random, message: Any, field: Any, found: Sequence[Any]) -> None:
    kind = random.random()
    if kind < 0.3:
        message.ClearField(field.name)
    elif kind < 0.5:
        getattr(message, field.name).SetInParent()
    else:
        getattr(message, field.name).ParseFromString(_copy_of(random, field, found))


def _break_map(random: Random, message: Any, field: Any, names: Sequence[str]) -> None:
    entries = getattr(message, field.name)
    key_field, value_field = (field.message_type.fields_by_name[part] for part in ("key", "value"))
    keys, kind = sorted(entries), random.random()
    is_text = key_field.type == FieldDescriptor.TYPE_STRING
    if keys and kind < 0.3:
        del entries[random.choice(keys)]
        return
    key = random.choice(ATTRIBUTES) if is_text and random.random() < 0.6 else _odd_scalar(random, key_field, names)
    if value_field.message_type is None:
        entries[random.choice(keys) if keys and kind < 0.6 else key] = _odd_scalar(random, value_field, names)
    elif keys:
        entries[key].CopyFrom(entries[random.choice(keys)])
    else:
        entries[key].SetInParent()


def _break_repeated(random: Random, items: Any, field: Any, names: Sequence[str], found: Sequence[Any]) -> None:
    kind, count = random.random(), len(items)
    if count and kind < 0.25:
        start = random.randrange(count) if kind < 0.2 else 0
        del items[start : start + 1 if kind < 0.2 else count]
    elif field.message_type is None:
        if count and kind < 0.7:
            items[random.randrange(count)] = _odd_scalar(random, field, names)
        else:
            items.extend(_odd_scalar(random, field, names) for _ in range(random.choice([1, 1, 2, 9, 300])))
    elif count and kind < 0.55:
        copy = items[random.randrange(count)].SerializeToString(deterministic=True)
        for _ in range(random.choice([1, 1, 2, 20]) if len(copy) < _COPIED // 2 else 0):
            items.add().ParseFromString(copy)
    elif count > 1 and kind < 0.8:
        one, two = items[random.randrange(count)], items[random.randrange(count)]
        first, second = (each.SerializeToString(deterministic=True) for each in (one, two))
        one.ParseFromString(second)
        two.ParseFromString(first)
    else:
        items.add().ParseFromString(_copy_of(random, field, found) if random.random() < 0.7 else b"")


def _odd_scalar(random: Random, field: Any, names: Sequence[str]) -> str | bytes | bool | float:
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return odd_name(random, names)
        case FieldDescriptor.TYPE_BYTES:
            return random.choice([random.choice(BYTES), odd_name(random, names).encode(), random.randbytes(24)])
        case FieldDescriptor.TYPE_BOOL:
            return random.random() < 0.5
        case FieldDescriptor.TYPE_FLOAT | FieldDescriptor.TYPE_DOUBLE:
            return random.choice(FLOATS)
        case FieldDescriptor.TYPE_ENUM:
            return random.choice(ENUMS)
    bits = 32 if field.type in _NARROW else 64
    drawn = random.choice(INTS) if random.random() < 0.8 else random.randrange(-(2**63), 2**63)
    number = drawn % (1 << bits)
    return number if field.type in _UNSIGNED or number < 1 << (bits - 1) else number - (1 << bits)
