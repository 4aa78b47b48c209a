"""Draws docs/pictures/which-engine.svg, the picture of docs/engines.md.

    python docs/book/which_engine.py

Questions stand on the left, one below the other; the answer "yes" leads to the right. The ground is
white, on dark pages too.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "pictures" / "which-engine.svg"

#: Each question, its answer "yes", and what that gives.
STEPS = [
    (["Is the question a goal,", "not a tree?"], "slp query, slp learn", ["proofs and their sums"]),
    (
        ["One tree alone,", "the best?"],
        "search",
        ["with a bound from above;", "modal: at once, greedily"],
    ),
    (["Soft trees?", "(measure range)"], "rjhmc", ["draws of soft trees"]),
    (["Do exact sums fit?", "slp explain says so"], "exact", ["every number exactly"]),
    (
        ["Do the chains agree?", "The run says so"],
        "mh",
        ["estimates with errors,", "evidence by tempering"],
    ),
    (["Are predictions enough?", "400 rows or more"], "stacked", ["no posterior, no errors"]),
]
LAST = ("smc", ["weighted draws, its own evidence:", "run it beside mh, or run mh longer"])

_STYLE = """
  text { font: 15px system-ui, sans-serif; fill: #1a1a1a; }
  .name { font: bold 15px ui-monospace, monospace; }
  .say { font-size: 13px; }
  rect { fill: #fff; stroke: #555; stroke-width: 1.2; }
  .answer { fill: #e8f0fe; stroke: #1a56b0; }
  path { stroke: #555; stroke-width: 1.4; fill: none; marker-end: url(#head); }
  marker path { fill: #555; stroke: none; marker-end: none; }
  .ground { fill: #fff; stroke: none; }
"""
_LEFT, _WIDTH, _RIGHT, _HIGH, _STEP = 12, 214, 300, 62, 94


def picture() -> str:
    """The text of the SVG file."""
    parts = []
    for i, (question, name, gives) in enumerate(STEPS):
        top = 12 + i * _STEP
        middle = top + _HIGH / 2
        parts.append(_box(_LEFT, top, _WIDTH, question))
        parts.append(_box(_RIGHT, top, 248, gives, name))
        parts.append(f'<path d="M{_LEFT + _WIDTH} {middle} H{_RIGHT - 6}"/>')
        parts.append(_text(_LEFT + _WIDTH + 30, middle - 7, "yes", "say"))
        x = _LEFT + _WIDTH / 2
        parts.append(f'<path d="M{x} {top + _HIGH} V{top + _STEP - 6}"/>')
        parts.append(_text(x + 10, top + _HIGH + 21, "no", "say"))
    top = 12 + len(STEPS) * _STEP
    parts.append(_box(_LEFT, top, _WIDTH + 74, LAST[1], LAST[0]))
    height = top + _HIGH + 14
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 {height}" role="img" '
        'aria-labelledby="title">\n'
        f'<title id="title">{escape(_in_words())}</title>\n<style>{_STYLE}</style>\n'
        '<defs><marker id="head" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>\n'
        f'<rect class="ground" width="560" height="{height}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _box(x: float, y: float, width: float, lines: list[str], name: str = "") -> str:
    kind = "answer" if name else "question"
    out = [f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{_HIGH}" rx="7"/>']
    if name:
        out.append(_text(x + 12, y + 20, name, "name"))
        start, step = (y + 36, 16) if len(lines) > 1 else (y + 42, 16)
    else:
        start, step = y + 25, 20
    for i, line in enumerate(lines):
        out.append(_text(x + 12, start + i * step, line, "say" if name else ""))
    return "\n".join(out)


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(words)}</text>'


def _in_words() -> str:
    steps = [f"{' '.join(question)} Yes: {name}." for question, name, _ in STEPS]
    return f"Which engine? {' '.join(steps)} Else: {LAST[0]}."


if __name__ == "__main__":
    FILE.write_text(picture(), "utf-8")
