"""Proposals by name."""

from __future__ import annotations

from typing import Any

import pytest

from slp.errors import UsageError
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.mh.mixtures import mixture_of
from tests.engines.cases import growtree, make_table, numeric

HELP = (
    "write q_uc, q_ind, q_n(20), q_seq, q_exact, q_pg, cgm, wu, rotate, perturb, informed, "
    "twig, or several with weights, as in q_uc:0.8,cgm:0.2"
)

FILTER = (
    "write q_pg, or in parentheses a number of particles (2 to 10,000) and settings, as in "
    "q_pg(20 optimal): a proposal (prior, empirical or optimal), an order (breadth, likelihood or "
    "layer), a resampling scheme (systematic, multinomial, residual or stratified)"
)


def process(n: int = 3) -> LocalProcess:
    table = make_table([numeric("x", n)], [[i] for i in range(n)], [i % 2 for i in range(n)])
    grammar = growtree(table, 0.9, 0.5, n - 1)
    return LocalProcess(grammar, Geometry(grammar, table))


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("q_uc", [("q_uc", 1.0)]),
        ("q_n(20)", [("q_n(20)", 1.0)]),
        ("q_seq,q_seq(7)", [("q_seq", 1.0), ("q_seq(7)", 1.0)]),
        ("q_uc:0.8,q_ind:0.2", [("q_uc", 0.8), ("q_ind", 0.2)]),
        (" q_uc : 3 , q_n( 2 ) : 1e0", [("q_uc", 3.0), ("q_n(2)", 1.0)]),
        ("q_exact:2", [("q_exact", 2.0)]),
        ("q_pg:2,q_pg( 20  optimal )", [("q_pg", 2.0), ("q_pg(20 optimal)", 1.0)]),
        ("q_pg(layer residual)", [("q_pg(layer residual)", 1.0)]),
        ("cgm:0.6,wu,rotate:2", [("cgm", 0.6), ("wu", 1.0), ("rotate", 2.0)]),
    ],
)
def test_mixtures(text: str, want: list[tuple[str, float]]) -> None:
    mixture = mixture_of(text, process(), 2**30)
    assert [p.name for p in mixture.proposals] == [name for name, _ in want]
    assert mixture.weights == tuple(weight for _, weight in want)


def test_q_exact_is_joined_by_q_uc_unless_the_root_fits() -> None:
    mixture = mixture_of("q_exact:2", process(40), 819.0)
    assert [p.name for p in mixture.proposals] == ["q_exact", "q_uc"]
    assert mixture.weights == (2.0, 2.0)


def test_weights_by_the_power_of_the_likelihood() -> None:
    mixture = mixture_of("q_uc:2,cgm:3,informed:4,q_n(2)", process(), 2**30)
    assert mixture.cumulative(1.0) == (2.0, 5.0, 9.0, 10.0)
    assert mixture.cumulative(0.5) == (6.0, 9.0, 10.0, 13.0)
    assert mixture.cumulative(0.0) == pytest.approx((10.0, 13.0, 13.04, 18.04))


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("", "`` is not a proposal", HELP),
        ("q_uc;q_ind", "`q_uc;q_ind` is not a proposal", HELP),
        ("q_uc,", "`` is not a proposal", HELP),
        ("q_uk", "there is no proposal q_uk", "did you mean `q_uc`?"),
        ("gibbs", "there is no proposal gibbs", HELP),
        (
            "q_n",
            "q_n needs the number of choice points that it goes through",
            "write q_n(20) to cut at the first 20 in turn",
        ),
        (
            "q_n(0)",
            "q_n needs the number of choice points that it goes through",
            "write q_n(20) to cut at the first 20 in turn",
        ),
        (
            "q_seq(0)",
            "q_seq needs the number of choice points that it goes through",
            "write q_seq(20) to cut at the first 20 in turn",
        ),
        (
            "q_n(4294967296)",
            "q_n(4294967296) goes through more than 2,147,483,647 choice points",
            "write q_n(20) to cut at the first 20 in turn",
        ),
        (
            "q_uc:1e308,q_ind:1e308",
            "the weights of the proposals sum to infinity",
            "weights are numbers above 0, as in q_uc:0.8,q_ind:0.2",
        ),
        ("q_uc(3)", "q_uc takes no number", "write q_uc"),
        ("cgm(3)", "cgm takes no number", "write cgm"),
        ("q_uc(best)", "`q_uc(best)` is not a proposal", HELP),
        ("q_n()", "`q_n()` is not a proposal", HELP),
        *(
            (f"q_pg({inside})", f"q_pg({inside}) names no filter of q_pg", FILTER)
            for inside in ("1", "10001", "20 best", "optimal prior", "prior prior")
        ),
        (None, "there is no proposal None", HELP),
        *(
            (
                f"q_uc:{weight}",
                f"{weight} is not the weight of a proposal",
                "weights are numbers above 0, as in q_uc:0.8,q_ind:0.2",
            )
            for weight in ("0", "-1", "nan", "inf", "much")
        ),
    ],
)
def test_what_is_no_proposal(text: Any, message: str, help: str) -> None:
    with pytest.raises(UsageError) as caught:
        mixture_of(text, process(), 2**30)
    assert str(caught.value) == f"error[E516]: {message}\n  help: {help}"
