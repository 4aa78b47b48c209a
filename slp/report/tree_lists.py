"""A tree as nested lists: it can be read aloud, printed, and needs no picture."""

from __future__ import annotations

from collections.abc import Sequence

from slp.leaves import Label, label_text
from slp.report.html import Html, tag, text
from slp.trees import Leaf, Node, Split, Tree, condition_text, count_text, leaf_text

#: The style has a colour for so many classes; the next ones begin again.
_COLOURS = 7


def tree_list(tree: Tree, classes: Sequence[Label] = ()) -> Html:
    """The tree, `yes` before `no`. `classes` are those of the response, in the order of colours."""
    # A deep tree is wider than the page: then its box scrolls, also by keys.
    pieces: list[str] = [
        '<div class="deep" tabindex="0" role="group" aria-label="tree"><ul class="tree">'
    ]
    # A node with the answer that leads to it, or markup that closes a list.
    todo: list[tuple[Node, str] | str] = ["</ul></div>", (tree.root, "")]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        node, answer = item
        said = tag("span", f"{answer}: ", class_="answer") if answer else Html("")
        if isinstance(node, Leaf):
            pieces.append(tag("li", said, leaf_html(node, classes)))
            continue
        assert isinstance(node, Split)
        pieces.append(f"<li>{said}{tag('span', condition_text(node) + '?', class_='test')}<ul>")
        todo += ["</ul></li>", (node.right, "no"), (node.left, "yes")]
    return Html("".join(pieces))


def leaf_html(leaf: Leaf, classes: Sequence[Label]) -> Html:
    """What a leaf says, and, of classes, a bar with the share of each."""
    counts = leaf.summary.get("counts")
    told = leaf_text(leaf)
    if counts and not isinstance(next(iter(counts)), str):  # else a reader takes it for a number
        told = f"class {told.replace(' ', ': ', 1)}"
    said = tag("span", told, class_="leaf")
    if not counts or not sum(counts.values()):
        return said
    return Html(said + shares_bar(counts, classes or tuple(counts)))


def shares_bar(counts: dict[Label, int], classes: Sequence[Label]) -> Html:
    """A bar of the shares of classes, each with its rows as a tooltip. The text beside it says what
    the leaf predicts, so a screen reader leaves the bar out."""
    total = sum(counts.values())
    parts = []
    for i, label in enumerate(classes):
        n = counts.get(label, 0)
        if n:
            words = f"{label_text(label)}: {count_text(n, 'row')} of {total}"
            style = f"width:{100 * n / total:.4g}%"
            parts.append(tag("span", class_=f"c{i % _COLOURS}", style=style, title=words))
    return tag("span", *parts, class_="shares", aria_hidden="true")


def legend(classes: Sequence[Label]) -> Html:
    """The colours of classes."""
    parts = [
        tag("li", tag("span", class_=f"key c{i % _COLOURS}", aria_hidden="true"), label_text(label))
        for i, label in enumerate(classes)
    ]
    return tag("ul", *parts, class_="legend") if parts else text("")
