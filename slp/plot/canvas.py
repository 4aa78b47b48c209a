"""What all pictures share: axes, colours, text that is never read as mathematics, bytes of files.

Names come from tables and programs. matplotlib reads text between two `$` as mathematics, so every
text of a name is written with `PLAIN`, and `plain` makes its control characters visible.
"""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, Literal, TypeAlias

from slp.errors import UnsupportedError, UsageError
from slp.late import late_import
from slp.messages.names import nearest
from slp.messages.plots import NO_MATPLOTLIB, NO_SUCH_PICTURE, UNKNOWN_NAME
from slp.source import visible

try:
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as e:
    raise UnsupportedError(NO_MATPLOTLIB()) from e

#: Formats of files.
Format: TypeAlias = Literal["svg", "png", "pdf"]

#: Colours that people with any colour vision tell apart (Okabe & Ito 2008).
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
SKY, VERMILION, YELLOW = "#56B4E9", "#D55E00", "#F0E442"
GREY, DARK = "#8C8C8C", "#333333"
_CLASSES = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW)

#: For texts with names from tables: they are text, whatever characters they have.
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}

#: The longest side of a PNG, in pixels: the renderer takes fewer than 65,536.
_LONGEST_SIDE = 60_000
_DPI = 150

#: Settings of files: text stays text, and equal pictures are equal bytes.
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "slp",
    "pdf.fonttype": 42,
    "text.usetex": False,
    "font.family": ["sans-serif"],
    "font.size": 9,
}

#: The identifier of an artist with a tooltip begins with it; the tooltip follows, in hexadecimal
#: digits: no sign of it can end the identifier.
_TIP = "tip-"

#: Whether a new figure is one of a window or notebook (pyplot's), or of a file alone.
_SHOWN: ContextVar[bool] = ContextVar("shown", default=True)


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """`ax`, or the axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    size = (width, height)
    if _SHOWN.get():
        made: Axes = late_import("matplotlib.pyplot").subplots(figsize=size, layout="constrained")[
            1
        ]
        return made
    return Figure(figsize=size, layout="constrained").subplots()


def picture_bytes(draw: Callable[[], Axes], format: Format = "svg") -> bytes:
    """The file of a picture: `draw` makes it, with a new figure that no window or notebook shows.

    The same picture gives the same bytes. Text in SVG and PDF stays text; SVG has tooltips.
    """
    shown = _SHOWN.set(False)
    try:
        with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
            if format == "svg":  # its text is drawn with the viewer's fonts
                warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
            figure = draw().get_figure(root=True)
            assert figure is not None
            dpi = min(_DPI, _LONGEST_SIDE / max(figure.get_size_inches()))
            dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
            stream = io.BytesIO()
            figure.savefig(stream, format=format, dpi=dpi, metadata=dates[format])
            made = stream.getvalue()
            return _with_titles(made) if format == "svg" else made
    finally:
        _SHOWN.reset(shown)


def tip(text: str) -> str:
    """The identifier (`gid`) of an artist that shows `text` in an SVG when the mouse is over it."""
    return _TIP + visible(text).encode().hex()


def tip_dots(ax: Axes, x: Iterable[Any], y: Iterable[Any], texts: Iterable[str]) -> None:
    """Tooltips at points, by dots that are not seen."""
    for one, other, text in zip(x, y, texts, strict=True):
        ax.scatter(
            [one], [other], 60, color="white", alpha=0, linewidths=0, zorder=9, gid=tip(text)
        )


def _with_titles(svg: bytes) -> bytes:
    """Tooltips as titles of their elements."""

    def titled(found: re.Match[bytes]) -> bytes:
        text = html.escape(bytes.fromhex(found[1].decode()).decode())
        return b"<g" + found[2] + b"<title>" + text.encode() + b"</title>"

    return re.sub(rf'<g id="{_TIP}([0-9a-f]*)"([^>]*>)'.encode(), titled, svg)


def plain(text: object, most: int = 40) -> str:
    """A name as it is written: control characters are visible, and a long one is cut in its middle:
    names often differ at their ends."""
    shown = visible(str(text))
    if len(shown) <= most:
        return shown
    end = (most - 1) // 3
    return f"{shown[: most - 1 - end]}\N{HORIZONTAL ELLIPSIS}{shown[-end:]}"


def titled(ax: Axes, title: str = "", x: str = "", y: str = "") -> Axes:
    """Write the title and the names of both directions, and take away the frame's upper and right
    side."""
    ax.set_title(title, loc="left", fontsize="medium", **PLAIN)
    ax.set_xlabel(x, **PLAIN)
    ax.set_ylabel(y, **PLAIN)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def legend_of(ax: Axes, *handles: Any, **where: Any) -> None:
    """A legend of artists that have labels: `handles`, or all of the axes."""
    given = {"handles": handles} if handles else {}
    made = ax.legend(frameon=False, fontsize="small", **given, **where)
    for text in made.get_texts():
        text.set(**PLAIN)


def class_colours(n: int) -> Sequence[Any]:
    """A colour for each of `n` classes."""
    if n <= len(_CLASSES):
        return _CLASSES[:n]
    viridis = matplotlib.colormaps["viridis"]
    return [viridis(i / (n - 1)) for i in range(n)]


def nothing(reason: str, instead: str) -> UnsupportedError:
    """The error of a picture that has nothing to show."""
    return UnsupportedError(NO_SUCH_PICTURE(reason=reason, instead=instead))


def place_of(name: object, names: Sequence[str], kind: str) -> int:
    """The place of a name among those that there are.

    Raises
    ------
    UsageError
        E572: it is not there.
    """
    if str(name) not in names:
        listed = ", ".join(f"`{plain(n)}`" for n in names[:20]) + ", ..." * (len(names) > 20)
        near = nearest(str(name), names)
        raise UsageError(UNKNOWN_NAME(kind=kind, name=name, names=listed, nearest=near))
    return names.index(str(name))
