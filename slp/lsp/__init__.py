"""The language server, `slp lsp`: it helps an editor with programs while they are written. It needs
pygls, which is optional (the extra `lsp`).

Entry point: `serve`.

`server` answers the editor. `documents` holds the texts that are open, and has each change checked
by `worker`, a process of its own that runs `checks`; `findings` shows what was found. `tables` is
the table of a program. `names` finds what a name stands for, and where; `hover`, `completion` and
`outline` answer from that. `positions` counts as editors do.
"""

from __future__ import annotations

from slp.lsp.server import serve

__all__ = ["serve"]
