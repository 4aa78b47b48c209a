"""Templates of tree rules whose guards and labels ask for the rows of the box."""

from __future__ import annotations

from collections.abc import Callable

from tests.spec.program_text import COMPARISONS, ProgramText

#: Probabilities that depend on N, for N from 1 on.
_CHANCES = (
    "1/N",
    "1 - 1/N",
    "N/(N + 2)",
    "exp(-N/4)",
    "min(1, N/5)",
    "max(0, 1 - 2/N)",
    "1/(1 + N mod 3)",
    "(N // 2)/N",
    "2**(-N)",
    "1 - N^(-0.5)",
    "0.9 - 0.1*log(N)",
    "sqrt(N/(N + 1))",
    "abs(N - 3)/(N + 3)",
)

#: Weights that depend on N.
_WEIGHTS = ("N", "N^2", "sqrt(N)", "1/N", "exp(N/3)", "max(0, N - 2)", "N*(N - 1)/2", "(N + 1)//2")


def _chance(text: ProgramText) -> str:
    return text.rng.choice(_CHANCES)


def _label(text: ProgramText) -> None:
    """The chance to split depends on the number of rows."""
    text.weigh_freely()
    text.add(":- start(t).")
    text.split_or_leaf("t", _chance(text), "t, t", before="rows(N)")


def _guard(text: ProgramText) -> None:
    """Only boxes of some sizes split; labels sum to 1 over the rules whose tests hold."""
    text.weigh_freely()
    test, k, p = text.rng.choice(tuple(COMPARISONS)), text.rng.randint(1, 5), text.probability()
    other = text.rng.choice((f"N {COMPARISONS[test]} {k}", f"\\+ N {test} {k}"))
    text.add(":- start(t).")
    text.split_or_leaf("t", p, "t, t", before=f"rows(N), N {test} {k}")
    text.add(f"1 :: t --> {{ rows(N), {other} }}, leaf.")


def _guard_over_heads(text: ProgramText) -> None:
    """Labels sum to 1 over all rules; where a test fails the others share."""
    text.weigh_freely()
    k, p = text.rng.randint(1, 5), f"({_chance(text)}) / (1 + D)"
    text.add(
        ":- start(t(0)).",
        f"{p} :: t(D) --> {{ rows(N), N >= {k} }}, {text.split()}, t(D+1), t(D+1).",
        f"1 - {p} :: t(D) --> {{ rows(N) }}, leaf.",
    )


def _computed(text: ProgramText) -> None:
    """What is tested is computed from the number of rows, and the head knows a number too."""
    p, k = text.probability(), text.rng.randint(1, 3)
    text.weights = True
    text.add(
        ":- weights.",
        f":- start(t({k})).",
        f"{p}/M :: t(K) --> {{ rows(N), M is (N + 1) // 2, M >= K }}, {text.split()}, t(1), t(K).",
        "N/(N + K) :: t(K) --> { rows(N) }, leaf.",
        f"{1 - p} :: t(K) --> {{ rows(K) }}, leaf.",
    )


def _instances(text: ProgramText) -> None:
    """A goal before the tests has several answers; each is an instance of the rule."""
    text.weights = True
    text.add(
        ":- weights.",
        ":- start(t).",
        "size(1). size(2). size(4).",
        f"K/N :: t --> {{ size(K), rows(N), N > K }}, {text.split()}, t, t.",
        "1 :: t --> { member(K, [1, 2]), rows(N), N mod 2 =:= K - 1 }, leaf.",
    )


def _mixture(text: ProgramText) -> None:
    """Small boxes and large ones go on as different states; one of two splits is named."""
    text.weigh_freely()
    p, q = _chance(text), text.probability()
    text.add(
        ":- start(t).",
        f"{p} :: t --> {{ rows(N) }}, u(1).",
        f"1 - ({p}) :: t --> {{ rows(N) }}, u(2).",
    )
    text.split_or_leaf("u(1)", q, "t, u(1)")
    text.add(
        f"1 - 1/N :: u(2) --> {{ rows(N) }}, {text.split()}, t, leaf.",
        "1/N :: u(2) --> { rows(N) }, leaf.",
    )


def _weighed(text: ProgramText) -> None:
    """Weights over whole trees depend on the number of rows."""
    text.weights = True
    w, v = text.rng.choice(_WEIGHTS), text.rng.choice(_WEIGHTS)
    text.add(
        ":- weights.",
        ":- start(t).",
        f"{w} :: t --> {{ rows(N), N > 1 }}, {text.split()}, t, t.",
        f"{v} + 0.5 :: t --> {{ rows(N) }}, leaf.",
    )


def _classes(text: ProgramText) -> None:
    """The chance to split depends on how many rows one class has."""
    first = _class(text)
    if first is None:
        _label(text)
        return
    text.weigh_freely()
    p = text.probability()
    text.add(
        ":- start(t(0)).",
        f"{p} * A/N :: t(D) --> {{ rows(N), rows({first}, A) }}, {text.split()}, t(D+1), t(0).",
        f"1 - {p} * A/N :: t(D) --> {{ rows(N), rows({first}, A), D < 9 }}, leaf.",
        f"1 - {p} * A/N :: t(D) --> {{ rows(N), rows({first}, A), D >= 9 }}, leaf.",
    )


def _class_tests(text: ProgramText) -> None:
    """Leaves and splits are tested by the rows of a class."""
    first = _class(text)
    if first is None:
        _guard(text)
        return
    text.weigh_freely()
    test, k, p = text.rng.choice(tuple(COMPARISONS)), text.rng.randint(0, 3), text.probability()
    text.add(
        ":- start(t).",
        f"{p} :: t --> {{ rows({first}, A), A {test} {k} }}, {text.split()}, t, t.",
        f"{1 - p} :: t --> leaf.",
    )


def _class(text: ProgramText) -> str | None:
    """A class of the table, as a program writes it; None where the response is numeric."""
    y = text.table.columns["y"]
    if any(isinstance(v, float) for v in y) or not getattr(text.table.leaf, "classes", ()):
        return None
    return str(text.rng.choice(sorted(set(y))))


ROW_RULES: tuple[Callable[[ProgramText], None], ...] = (
    _label,
    _label,
    _guard,
    _guard_over_heads,
    _computed,
    _instances,
    _mixture,
    _weighed,
    _classes,
    _class_tests,
)
