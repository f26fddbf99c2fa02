"""Shapes of placeholders that the user names: ``x=1,224,224,3``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tfprof_report.errors import OptionError

_LARGEST = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class InputShape:
    """The shape of a placeholder's output.

    sizes : empty for a scalar
    option : how the command line called it, for errors
    """

    name: str
    sizes: tuple[int, ...]
    option: str = "--input-shape"

    def __str__(self) -> str:
        return f"{self.name}={','.join(map(str, self.sizes))}"


def parse_input_shape(text: str, side: str = "") -> InputShape:
    """Return the shape that ``NAME=SIZE,...`` says; nothing after the equals sign is a scalar.

    Raises
    ------
    OptionError
        There is no name, or a size is no whole number.
    """
    option = f"--{side}input-shape"
    name, equals, written = text.rpartition("=")
    words = [word.strip() for word in written.split(",")] if written.strip() else []
    is_well_formed = equals and name and all(re.fullmatch("[0-9]{1,13}", word) for word in words)
    if not is_well_formed or any(int(word) > _LARGEST for word in words):
        raise OptionError(f'"{text}" is no shape', option=option, advice="write NAME=1,224,224,3")
    return InputShape(name=name.removesuffix(":0"), sizes=tuple(int(word) for word in words), option=option)
