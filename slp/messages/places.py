"""What a message says of the place of a fault besides the source text: a state, a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from slp.errors import Diagnostic

if TYPE_CHECKING:
    from slp.source import SourceSpan


def in_state(fault: Diagnostic, state: str) -> Diagnostic:
    """A fault of a guard, a label or an argument that one state of the program has."""
    return replace(fault, message=f"{fault.message}, for {state}")


def of_line(fault: Diagnostic, file: str, span: SourceSpan) -> Diagnostic:
    """A fault in a line of the text of a tree (E615, E616), at the place that names the file, whose
    content is not shown."""
    assert fault.span is not None
    line, column = fault.span.file.line_column(fault.span.start)
    message = f"{file}, line {line}, column {column}: {fault.message}"
    return replace(fault, message=message, span=span)


def of_file(fault: Diagnostic, file: str, span: SourceSpan) -> Diagnostic:
    """A fault of the tree in a file (E601 to E605), at the place that names the file."""
    return replace(fault, message=f"{file} is {fault.message}", span=span)
