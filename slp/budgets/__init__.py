"""Budgets of a run: `seconds` (deadlines and lengths of time), `memory` (bytes of the whole
process)."""
