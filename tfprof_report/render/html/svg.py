"""Static pictures as SVG: a few shapes with presentation attributes alone, so that no policy of a page can blank them.

Text takes the colour of the page. Fills are of middle brightness: they stand out from white and from black, and black
text on them can be read. Names are escaped here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from tfprof_report.formatting import shorten
from tfprof_report.render.tables.cells import visible

BLUE, ORANGE, GREY = "#5b9bd9", "#e08a1e", "#9aa3af"
"""Told apart by the colour-blind too, in light and dark."""
INK = "#101418"
"""Text on a fill."""

TEXT_SIZE = 12
_TRIANGLES = "\N{BLACK UP-POINTING TRIANGLE}\N{BLACK DOWN-POINTING TRIANGLE}"
_WIDTHS = {
    **dict.fromkeys(" fijlrt.,:;'|!()[]/-", 4.5),
    "_": 6.0,
    **dict.fromkeys(f"{_TRIANGLES}\N{HORIZONTAL ELLIPSIS}", 9.0),
    **dict.fromkeys("mwMW@%", 11.5),
}
_LOWER, _UPPER, _OTHER = 7.2, 8.5, 12.0
"""Widths of characters of that size, in the widest of usual fonts: those named, of ASCII, and of other scripts."""
_FEWEST = 5
"""Characters of a name that are worth showing."""
_TITLE_LIMIT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture for a page: its name in links, a heading, what one sees in a sentence or two, and the drawing."""

    anchor: str
    title: str
    text: str
    svg: Markup
    is_wide: bool = False


def picture(
    shapes: Iterable[Markup], *, anchor: str, title: str, text: str, width: int, height: float, is_wide: bool = False
) -> Picture:
    """Return a picture of a natural size, which a screen reader announces by title and text."""
    inner = Markup("").join(shapes)
    svg = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img" aria-labelledby="{anchor}-title {anchor}-text" font-size="{size}" fill="currentColor"'
        ' font-family="system-ui,sans-serif"><title id="{anchor}-title">{title}</title>'
        '<desc id="{anchor}-text">{text}</desc>{inner}</svg>'
    ).format(
        width=width, height=_short(height), anchor=anchor, size=TEXT_SIZE, title=visible(title), text=text, inner=inner
    )
    return Picture(anchor=anchor, title=title, text=text, svg=svg, is_wide=is_wide)


def shape(tag: str, title: str = "", **attributes: float | str) -> Markup:
    """Return an element with a title, which browsers show on hover; ``_`` in attributes stands for ``-``."""
    inner = Markup("<title>{}</title>").format(shorten(visible(title), _TITLE_LIMIT)) if title else Markup()
    return _element(tag, inner, attributes)


def label(x: float, y: float, text: str, **attributes: float | str) -> Markup:
    """Return text whose base line begins at a point."""
    return _element("text", Markup("{}").format(visible(text)), {"x": x, "y": y, **attributes})


def _element(tag: str, inner: Markup, attributes: dict[str, float | str]) -> Markup:
    written = Markup("").join(
        Markup(' {}="{}"').format(name.replace("_", "-"), value if isinstance(value, str) else _short(value))
        for name, value in attributes.items()
    )
    if not inner:
        return Markup("<{}{}/>").format(tag, written)
    return Markup("<{}{}>{}</{}>").format(tag, written, inner, tag)


def fit(name: str, width: float) -> str:
    """Return as much of a name as takes at most `width`, an ellipsis for its middle; empty if that says nothing."""
    text = visible(name)
    if width_of(text) <= width:
        return text
    count = min(len(text), int(width / min(_WIDTHS.values())))
    while count >= _FEWEST and width_of(shorten(text, count)) > width:
        count -= 1
    return shorten(text, count) if count >= _FEWEST else ""


def width_of(text: str) -> float:
    """Return about how wide a text is, rather too much than too little."""
    return sum(
        _WIDTHS.get(each) or (_OTHER if not each.isascii() else _UPPER if each.isupper() else _LOWER) for each in text
    )


def _short(number: float) -> str:
    """Return a coordinate to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")
