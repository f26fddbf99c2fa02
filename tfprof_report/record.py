"""Records: immutable dataclasses with slots, whose fields are named when one is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar, cast, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(cls: Class) -> Class:
    """Return a class like that of ``dataclass(frozen=True, slots=True, kw_only=True)``, made in a quarter of the time.

    Of the six methods that `dataclass` writes and compiles for each class, which took a sixth of a small report, here
    all classes share those for `==`, `hash` and `repr`. That nobody assigns to a field is left to the type checker.
    """
    made: Any = dataclass(repr=False, eq=False, slots=True, kw_only=True)(cls)
    for name, method in _SHARED.items():
        if name not in cls.__dict__:
            setattr(made, name, method)
    return cast("Class", made)


def _values(each: Any) -> tuple[Any, ...]:
    return tuple(getattr(each, name) for name in each.__dataclass_fields__)


def _shown(self: Any) -> str:
    named = zip(self.__dataclass_fields__, _values(self), strict=True)
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in named)})"


def _is_equal(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hashed(self: Any) -> int:
    return hash(_values(self))


_SHARED = {"__repr__": _shown, "__eq__": _is_equal, "__hash__": _hashed}
