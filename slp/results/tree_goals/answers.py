"""Answers of a goal about trees: each with its probability under the posterior and the prior."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from slp.resolution import Bound
from slp.results.estimate import Kind, with_error


class Probability(float):
    """A probability: a number that knows its error.

    Attributes
    ----------
    error : its Monte Carlo standard error, NaN where the draws do not tell it: where all of them
        agree, and of trees that were found. Of sums a bound on what was lost in them.
    kind : `"exact"`, `"estimate"` of draws, or `"found"`, of the trees found alone.
    """

    error: float
    kind: Kind

    def __new__(cls, value: float, error: float, kind: Kind) -> Probability:
        """A probability with its error."""
        out = super().__new__(cls, value)
        out.error, out.kind = error, kind
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickles and copies."""
        return Probability, (float(self), self.error, self.kind)


@dataclass(frozen=True)
class Source:
    """What the numbers of one distribution are from.

    Attributes
    ----------
    kind : what they are.
    words : how they were found, or why they are not known.
    sound : whether they may be used: False of draws that have not converged.
    """

    kind: Kind | None
    words: str
    sound: bool = True

    def shown(self, probability: Probability) -> str:
        """A number as text, with its error or a mark where it is not to be used."""
        if not self.sound:
            return f"{probability:.4f}?"
        return with_error(probability, probability.error, drawn=probability.kind == "estimate")


@dataclass(frozen=True)
class TreeAnswer(Bound):
    """An answer: a mapping from the goal's named variables, but for trees, to their values.

    Attributes
    ----------
    probability : that of the trees that give the answer.
    prior_probability : the same under the prior, None where that is not known.
    """

    probability: Probability
    prior_probability: Probability | None


@dataclass(frozen=True)
class TreeAnswers:
    """The answers of a goal about trees. They are no partition, as a tree may give several: their
    probabilities do not sum to 1.

    Attributes
    ----------
    answers : the most probable first; of a goal without variables one.
    holds : the probability that a tree gives an answer at all.
    prior_holds : the same under the prior, None where that is not known.
    source, prior_source : what the numbers are from, in `words`, and whether they are `sound`.
    """

    answers: tuple[TreeAnswer, ...]
    holds: Probability
    prior_holds: Probability | None
    source: Source
    prior_source: Source

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, most: int | None = None) -> str:
        """Lines for a person, with `most` answers at most."""
        return "\n".join(self._lines(most))

    def _lines(self, most: int | None) -> Iterator[str]:
        for answer in self.answers[:most]:
            bound = ", ".join(f"{name} = {value}" for name, value in answer.items())
            yield f"{self._both(answer.probability, answer.prior_probability)}  {bound or 'true'}"
        if most is not None and len(self.answers) > most:
            yield f"... and {len(self.answers) - most} more answers (--json has all)"
        if not self.answers or self.answers[0].bindings:
            yield f"{self._both(self.holds, self.prior_holds)}  any answer"
        yield self.source.words
        yield f"prior: {self.prior_source.words}"

    def _both(self, probability: Probability, prior: Probability | None) -> str:
        beside = "" if prior is None else f"  (prior {self.prior_source.shown(prior)})"
        return f"{self.source.shown(probability)}{beside}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON; an error that is not known is None."""
        return {
            "answers": [
                {**a.bindings, **_both_to_dict(a.probability, a.prior_probability)}
                for a in self.answers
            ],
            "holds": _both_to_dict(self.holds, self.prior_holds),
            "source": self.source.words,
            "sound": self.source.sound,
            "prior_source": self.prior_source.words,
            "prior_sound": self.prior_source.sound,
        }


def _both_to_dict(probability: Probability, prior: Probability | None) -> dict[str, Any]:
    beside = dict.fromkeys(("probability", "error", "kind")) if prior is None else _to_dict(prior)
    return {**_to_dict(probability), **{f"prior_{name}": x for name, x in beside.items()}}


def _to_dict(probability: Probability) -> Mapping[str, Any]:
    error = probability.error if math.isfinite(probability.error) else None
    return {"probability": float(probability), "error": error, "kind": probability.kind}
