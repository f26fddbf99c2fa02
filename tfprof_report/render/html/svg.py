"""Static pictures as SVG. Shapes have presentation attributes only: a content security policy may block styles.

Text takes the colour of the page. Fills have a medium brightness: they stand out from white and from black, and black
text on them is readable. Names are escaped here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from tfprof_report.formatting import shorten
from tfprof_report.record import record
from tfprof_report.render.tables.cells import visible

BLUE, ORANGE, GREY = "#5b9bd9", "#e08a1e", "#9aa3af"
"""Distinguishable for colour-blind readers too, on light and on dark pages."""
INK = "#101418"
"""Colour of text on a fill."""

TEXT_SIZE = 12
_TRIANGLES = "\N{BLACK UP-POINTING TRIANGLE}\N{BLACK DOWN-POINTING TRIANGLE}"
_WIDTHS = {
    **dict.fromkeys(" fijlrt.,:;'|!()[]/-", 4.5),
    "_": 6.0,
    **dict.fromkeys(f"{_TRIANGLES}\N{HORIZONTAL ELLIPSIS}", 9.0),
    **dict.fromkeys("mwMW@%", 11.5),
}
_LOWER, _UPPER, _OTHER = 7.2, 8.5, 12.0
"""Widths in pixels of characters that are not in `_WIDTHS`: ASCII in lower and upper case, and other scripts.

All widths are those of `TEXT_SIZE` in the widest of the usual fonts.
"""
_FEWEST = 5
"""Minimum characters of a shortened name that are worth showing."""
_TITLE_LIMIT = 200


@record
class Picture:
    """A picture for a page: its anchor, a heading, a caption of a sentence or two, and the drawing."""

    anchor: str
    title: str
    text: str
    svg: Markup
    is_wide: bool = False


def picture(
    shapes: Iterable[Markup], *, anchor: str, title: str, text: str, width: int, height: float, is_wide: bool = False
) -> Picture:
    """Return a picture of the given size in pixels; screen readers announce its title and text."""
    size = Markup('viewBox="0 0 {width} {height}" width="{width}"').format(width=width, height=_short(height))
    svg = _drawing(shapes, anchor=anchor, title=title, text=text, size=size, height=height, role="img")
    return Picture(anchor=anchor, title=title, text=text, svg=svg, is_wide=is_wide)


def fluid_picture(shapes: Iterable[Markup], *, anchor: str, title: str, text: str, height: float) -> Picture:
    """Return a picture as wide as its place, also without styles: shapes say in percent how far right they are.

    Text keeps its size on a phone. Shapes may be links, so it is a group for screen readers.
    """
    size = Markup('width="100%"')
    svg = _drawing(shapes, anchor=anchor, title=title, text=text, size=size, height=height, role="group")
    return Picture(anchor=anchor, title=title, text=text, svg=svg, is_wide=True)


def _drawing(
    shapes: Iterable[Markup], *, anchor: str, title: str, text: str, size: Markup, height: float, role: str
) -> Markup:
    inner = Markup("").join(shapes)
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" {size} height="{height}"'
        ' role="{role}" aria-labelledby="{anchor}-title {anchor}-text" font-size="{text_size}" fill="currentColor"'
        ' font-family="system-ui,sans-serif"><title id="{anchor}-title">{title}</title>'
        '<desc id="{anchor}-text">{text}</desc>{inner}</svg>'
    ).format(
        size=size,
        height=_short(height),
        role=role,
        anchor=anchor,
        text_size=TEXT_SIZE,
        title=visible(title),
        text=text,
        inner=inner,
    )


def group(inner: Iterable[Markup], tag: str, **attributes: float | str) -> Markup:
    """Return an element around others."""
    return _element(tag, Markup("").join(inner), attributes)


def shape(tag: str, title: str = "", **attributes: float | str) -> Markup:
    """Return an element with a title, which browsers show on hover; ``_`` in names of attributes becomes ``-``."""
    inner = Markup("<title>{}</title>").format(shorten(visible(title), _TITLE_LIMIT)) if title else Markup()
    return _element(tag, inner, attributes)


def label(x: float | str, y: float, text: str, **attributes: float | str) -> Markup:
    """Return text whose baseline starts at a point."""
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
    """Return a name shortened to at most `width` pixels, by an ellipsis for its middle; empty if too little is left."""
    text = visible(name)
    if width_of(text) <= width:
        return text
    count = min(len(text), int(width / min(_WIDTHS.values())))
    while count >= _FEWEST and width_of(shorten(text, count)) > width:
        count -= 1
    return shorten(text, count) if count >= _FEWEST else ""


def width_of(text: str) -> float:
    """Return the estimated width of a text in pixels; it errs on the wide side."""
    return sum(
        _WIDTHS.get(each) or (_OTHER if not each.isascii() else _UPPER if each.isupper() else _LOWER) for each in text
    )


def _short(number: float) -> str:
    """Return a coordinate, rounded to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")
