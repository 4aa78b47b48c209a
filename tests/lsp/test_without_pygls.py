"""What `slp lsp` says without pygls."""

from __future__ import annotations

import subprocess
import sys


def test_without_pygls_a_message_says_what_to_install() -> None:
    program = """
import sys
sys.modules["pygls"] = sys.modules["pygls.lsp.server"] = None
import slp_commands
slp_commands.main()
"""
    command = [sys.executable, "-P", "-c", program, "lsp"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "error[E740]: the language server needs pygls, which is not installed\n"
        "  help: install it: `pip install pygls`\n",
    )
