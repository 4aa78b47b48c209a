# What the stub slp/_core.pyi says in place of what nanobind finds.
_core.CONSTANTS:
    CONSTANTS: dict[str, float]
