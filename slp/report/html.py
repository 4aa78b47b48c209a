"""Elements of HTML. Every text is escaped here, in one place; only `Html` is markup already."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from slp.source import visible, visible_lines


class Html(str):
    """Text that is markup."""


#: What an element may contain: markup, or text that will be escaped.
Content: TypeAlias = Html | str

_EMPTY = {"meta", "br", "col"}


def text(content: Content) -> Html:
    """Text with the signs of markup escaped and control characters visible; markup as it is."""
    return content if isinstance(content, Html) else Html(html.escape(visible(content)))


def tag(name: str, /, *contents: Content, **attributes: str | bool) -> Html:
    """An element. Of a name such as `class_` or `aria_label` the last underscore goes and others
    become hyphens; an attribute that is True has no value, and one that is False is left out."""
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{html.escape(visible(str(value)))}"')
        for key, value in attributes.items()
        if value is not False
    )
    if name in _EMPTY:
        return Html(f"<{name}{told}>")
    return Html(f"<{name}{told}>{''.join(map(text, contents))}</{name}>")


def joined(parts: Iterable[Content]) -> Html:
    """One after the other."""
    return Html("".join(map(text, parts)))


def listing(items: Iterable[Content]) -> Html:
    """An unordered list."""
    return tag("ul", *(tag("li", item) for item in items))


def facts(pairs: Iterable[tuple[Content, Content]]) -> Html:
    """A list of names, each with what it is."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", told)) for name, told in pairs))


def preformatted(content: str, label: str) -> Html:
    """Text of several lines as it is. It can be scrolled by keys, so it is in the tab order."""
    escaped = Html(html.escape(visible_lines(content)))
    return tag("pre", escaped, tabindex="0", role="region", aria_label=label)


def table(caption: str, heads: Sequence[Content], rows: Iterable[Sequence[Content]]) -> Html:
    """A table whose first column names its rows. On a narrow screen it scrolls by itself."""
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:]))
        for row in rows
    ]
    whole = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body))
    return tag("div", whole, class_="wide", tabindex="0", role="region", aria_label=caption)


def details(summary: str, *contents: Content) -> Html:
    """Contents that the reader opens."""
    return tag("details", tag("summary", summary), *contents)
