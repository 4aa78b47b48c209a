"""`slp compare PRIOR... DATA`: programs on one table, by evidence and by held-out predictions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import click

import slp
from slp.budgets import Deadline
from slp.cli.common import progress_line, say
from slp.cli.file_arguments import file_argument
from slp.cli.json_text import write_json
from slp.cli.options import (
    NamedProgram,
    comparison_options,
    data_argument,
    draws_option,
    folds_option,
    json_option,
    programs_options,
    read_table,
    response_option,
    until_deadline,
)
from slp.cli.score_text import (
    in_columns,
    number_text,
    score_or_doubt,
    score_text,
    survival_texts,
    survival_words,
)
from slp.cli.summary import words_lines
from slp.messages.names import plural
from slp.results import LARGEST_K, ComparedProgram, PairedDifference
from slp.source import visible


@click.command(name="compare")
@file_argument("priors", metavar="PRIOR...", nargs=-1, required=True)
@data_argument
@response_option
@folds_option(0, 5, "Folds of cross-validation; 0 for none. Each is one more run of each program.")
@click.option(
    "--loo",
    is_flag=True,
    help="Leave each row out too, by the run on the whole table.",
)
@click.option(
    "--against",
    type=click.Choice(["best", "first"]),
    default="best",
    show_default=True,
    help="The program that Bayes factors and differences are against.",
)
@draws_option("Number of draws of each run of a sampler.")
@comparison_options
@json_option
@programs_options
def compare_command(
    priors: Mapping[str, NamedProgram],
    data: str,
    response: str | None,
    folds: int,
    loo: bool,
    against: str,
    draws: int,
    as_json: bool,
    inference: dict[str, Any],
) -> None:
    """Compare programs on one table.

    For each PRIOR: the log evidence given DATA, the log Bayes factor against the best program, the
    expected number of leaves, and how well it predicts held-out rows, by cross-validation; with
    --loo also how well it predicts each row from all others.
    """
    inference = until_deadline(inference)
    programs = {name: prior.load() for name, prior in priors.items()}
    frame = read_table(data, inference)
    with progress_line() as progress:
        found = slp.compare(
            programs,
            frame,
            response,
            folds=folds,
            loo=loo,
            against=against,  # type: ignore[arg-type]  # click has checked it
            draws=draws,
            progress=progress,
            **inference,
        )
    say_compared(found, inference["time"], as_json, comparison_lines(found, data))


def comparison_lines(found: slp.Comparison, data: str) -> Iterator[str]:
    """The page: a table, what its columns are, and what must be said of programs."""
    yield f"data      {data}: {found.n_rows} rows, response {found.response}"
    yield ""
    yield from _table(found)
    yield ""
    for sentence in _columns_in_words(found):
        yield from words_lines(sentence)
    for program in found.programs:
        for text in (
            *_factor_in_words(program, found),
            *_loo_in_words(program),
            *program.notes,
        ):
            yield from words_lines(f"{visible(program.name)}: {text}")


def _table(found: slp.Comparison) -> Iterator[str]:
    heads = ["program", "log evidence", "log Bayes factor", "leaves"]
    if _asks_loo(found):
        heads += ["LOO", "difference"]
    first = found.programs[0].held_out
    if first is not None:
        heads += ["held-out log predictive", "difference"]
        heads += ["accuracy"] if first.accuracy is not None else []
        heads += ["RMSE"] if first.rmse is not None else []
        heads += ["concordance", "Brier"] if _of_durations(found) else []
    lines = [heads]
    for program in found.programs:
        own = [
            visible(program.name),
            number_text(program.log_evidence, program.converged),
            number_text(program.log_bayes_factor, _both_converged(program, found)),
            number_text(program.expected_leaves, program.converged),
        ]
        if program.name == found.reference:
            own[2] = "0, reference"
        lines.append([*own, *_loo_cells(program, found), *_held_out_cells(program, found)])
    return in_columns(lines)


def _asks_loo(found: slp.Comparison) -> bool:
    return any(p.loo is not None or p.no_loo is not None for p in found.programs)


def _loo_cells(program: ComparedProgram, found: slp.Comparison) -> Iterator[str]:
    if not _asks_loo(found):
        return
    loo, apart = program.loo, program.loo_difference
    if loo is None or apart is None:
        yield from ("-", "-")
        return
    yield score_or_doubt(loo.elpd, loo.standard_error, loo.usable)
    other = found[apart.against].loo
    yield _difference(program, apart, loo.usable and other is not None and other.usable)


def _held_out_cells(program: ComparedProgram, found: slp.Comparison) -> Iterator[str]:
    score, apart = program.held_out, program.held_out_difference
    if score is None or apart is None:
        return
    yield score_text(score.log_predictive, score.log_predictive_error, score)
    other = found[apart.against].held_out
    yield _difference(program, apart, score.converged and other is not None and other.converged)
    if score.accuracy is not None:
        yield score_text(score.accuracy, score.accuracy_error, score)
    if score.rmse is not None:
        yield score_text(score.rmse, score.rmse_error, score)
    if _of_durations(found):
        yield from survival_texts(score)


def _of_durations(found: slp.Comparison) -> bool:
    return any(p.held_out is not None and p.held_out.survival is not None for p in found.programs)


def _difference(program: ComparedProgram, apart: PairedDifference, usable: bool) -> str:
    if program.name == apart.against:
        return "0, reference"
    return score_or_doubt(apart.value, apart.standard_error, usable)


def say_compared(
    found: slp.Comparison | slp.Tuning | slp.CrossValidation | slp.Prices | slp.Sensitivity,
    time: Deadline,
    as_json: bool,
    lines: Iterator[str],
) -> None:
    """What a command of several runs found, as JSON or in lines."""
    if as_json:
        write_json({**found.to_dict(), "version": slp.__version__, "seconds": time.spent()})
    else:
        say(*lines)


def _both_converged(program: ComparedProgram, found: slp.Comparison) -> bool:
    reference = None if found.reference is None else found[found.reference]
    return program.converged and (reference is None or reference.converged)


def doubtful(program: ComparedProgram) -> bool:
    """Whether some number has a question mark."""
    scores = (program.held_out, program.loo)
    return not program.converged or any(s is not None and not s.converged for s in scores)


def _columns_in_words(found: slp.Comparison) -> Iterator[str]:
    response = visible(found.response)
    yield f"log evidence: log P({response} | features), the natural logarithm (nats)."
    if found.reference is None:
        yield "log Bayes factor: none, as no program could be the reference."
    else:
        yield (
            f"log Bayes factor: log evidence less that of {visible(found.reference)} (nats); the "
            "table is exp of it times as probable."
        )
    if any(program.log_evidence_kind == "estimate" for program in found.programs):
        yield "+-: one Monte Carlo standard error, on the scale of the number."
    if any(doubtful(program) for program in found.programs):
        yield "?: of a run that has not converged, or of which that is not known; do not use it."
    if any(program.expected_leaves.kind == "found" for program in found.programs):
        yield "found: of the trees found by a greedy or a search engine, not over the posterior."
    if any(program.loo is not None for program in found.programs):
        yield (
            "LOO: the sum over rows of log P(the row's response | all others) (nats); +-: standard "
            "error over rows."
        )
    if found.folds:
        yield (
            f"held-out: of rows that were not given, mean of each row's log probability (nats), by "
            f"{found.folds} folds of seed {found.seed}; +-: standard error over folds."
        )
    for program in found.programs:
        if program.held_out is not None and program.held_out.survival is not None:
            yield from survival_words(program.held_out.survival)
            break
    if len(found.programs) > 1 and (found.folds or _asks_loo(found)):
        yield (
            "difference: from the program that predicts best, or the first one under --against "
            "first; +-: standard error over rows of the paired difference."
        )


def _factor_in_words(program: ComparedProgram, found: slp.Comparison) -> Iterator[str]:
    """What the log Bayes factor means, or why there is none."""
    if program.no_bayes_factor is not None:
        yield f"no Bayes factor: {program.no_bayes_factor}"
    factor = program.log_bayes_factor
    reference = found.reference
    if factor is None or reference is None or program.name == reference:
        return
    if not _both_converged(program, found):
        yield "do not use its Bayes factor: a run has not converged, or that is not known"
        return
    less = "less" if factor.value <= 0 else "more"
    size = abs(factor.value)
    text = f"the table is {_times(size)} times {less} probable than under {visible(reference)}"
    if factor.kind == "estimate" and math.isfinite(factor.error):
        low, high = size - 2 * factor.error, size + 2 * factor.error
        text += f" ({_times(low)} to {_times(high)} within two standard errors)"
    yield text


def _loo_in_words(program: ComparedProgram) -> Iterator[str]:
    """What must be said of leaving rows out."""
    if program.no_loo is not None:
        yield f"no row can be left out: {program.no_loo}; compare by folds"
    loo = program.loo
    if loo is None:
        return
    if loo.kind == "estimate":
        yield f"LOO: by draws, with a Monte Carlo error of {loo.monte_carlo_error:.2g}"
    if loo.bad_k:
        yield (
            f"LOO: {plural(loo.bad_k, 'row')} with a Pareto k above {LARGEST_K}; do not use it, "
            "compare by folds or with more draws"
        )
    yield from (f"LOO: {note}" for note in loo.notes)


def _times(log_factor: float) -> str:
    """A factor by its logarithm, also beyond the largest float."""
    if abs(log_factor) < 10:
        return f"{math.exp(log_factor):.3g}"
    return f"10^{log_factor / math.log(10):.1f}"
