"""Proofs: terms, unification, arithmetic and SLD resolution."""

from slp.proofs.arithmetic import evaluate, evaluate_arguments

__all__ = ["evaluate", "evaluate_arguments"]
