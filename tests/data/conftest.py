"""A program that says nothing but what a test wants."""

from __future__ import annotations

import pytest

from slp.ir.program import CheckedProgram


@pytest.fixture
def program():
    """Make a program with some declarations and no rules: `table_of` looks at nothing else."""

    def make(**declarations):
        return CheckedProgram("test", None, (), **declarations)

    return make
