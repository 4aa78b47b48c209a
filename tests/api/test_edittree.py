"""Programs that use the prior `edittree`, from Python."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import slp
from slp.ir.constraints import Support
from slp.trees import Leaf, fit_tree
from tests.reference.mh.edits.brute_force import Definition, exact_prior

TREE = slp.Tree.from_dict({"feature": "age", "threshold": 30, "left": {}, "right": {}})
ROWS = pl.DataFrame({"age": [10, 20, 40, 70], "ill": ["no", "no", "yes", "yes"]})
USE = ":- use(edittree, [tree = 't0.json', p = 0.5]).\n"


def test_a_tree_is_named_by_the_program_or_given(tmp_path: Path) -> None:
    (tmp_path / "t0.json").write_text('{"feature": "x", "threshold": 1, "left": {}, "right": {}}')
    file = tmp_path / "prior.slp"
    file.write_text(USE)
    named, given = slp.load(file).ir.edits, slp.load(file, tree=TREE).ir.edits
    assert named is not None
    assert given is not None
    assert (named.file, named.tree.features, named.p) == ("t0.json", ("x",), 0.5)
    assert (given.file, given.tree) == (None, TREE)


def test_by_name_with_parameters() -> None:
    program = slp.load("edittree", tree=TREE, p=0.9)
    assert program.parameters == {"p": 0.9}
    other = program.with_parameters(p=0.7).ir.edits
    assert other is not None
    assert (other.p, other.tree) == (0.7, TREE)


def test_a_number_is_no_tree() -> None:
    with pytest.raises(slp.ProgramError) as caught:
        slp.load("edittree", tree=3.0)
    assert [d.code for d in caught.value.diagnostics] == ["E106", "E107"]


def test_a_tree_is_for_programs_that_edit_one() -> None:
    with pytest.raises(slp.ProgramError) as caught:
        slp.load("growtree", tree=TREE)
    assert str(caught.value) == (
        "error[E106]: the program has no parameter `tree`\n"
        "  help: a tree is for programs that use `edittree`"
    )


def test_words_and_expansion() -> None:
    program = slp.parse(":- param(k, 2).\n:- use(edittree).\n:- support(max_depth(k)).", tree=TREE)
    words = program.describe()
    assert words.startswith("Trees are edits of a given one, which has 2 leaves.\n")
    assert "With probability 0.8 it is edited once more" in words
    explained = program.explain()
    assert "Exact inference is not possible" in explained
    assert "sequences of edits that lead to it" in explained
    again = slp.parse(program.expand())
    assert again.ir.edits == program.ir.edits
    assert again.parameters == {"k": 2, "p": 0.8}


@pytest.mark.parametrize(
    "tree",
    [
        TREE,
        slp.Tree.from_dict(
            {"feature": 'it\'s \n \\ "a" \u00e9', "level": "}{", "left": {}, "right": {}}
        ),
        slp.Tree.from_dict({}),
    ],
)
def test_text_and_expansion_have_the_tree(tree: slp.Tree) -> None:
    program = slp.load("edittree", tree=tree, p=0.6)
    assert program.text == program.expand()
    for text in (program.text, slp.parse(program.text).text, slp.parse(program.text).expand()):
        again = slp.parse(text).ir.edits
        assert again is not None and (again.tree, again.p, again.file) == (tree, 0.6, None)


def test_an_expansion_has_the_tree_of_a_file_and_the_same_posterior(tmp_path: Path) -> None:
    (tmp_path / "t0.json").write_text(json.dumps(TREE.to_dict()))
    (tmp_path / "prior.slp").write_text(USE + ":- support(max_depth(2)).\n")
    program = slp.load(tmp_path / "prior.slp")
    chains: dict[str, Any] = {"seed": 3, "draws": 60, "warmup": 20, "thin": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)  # of few draws
        have = slp.parse(program.expand()).posterior(ROWS, **chains)
        want = program.posterior(ROWS, **chains)
    assert [d.tree for d in have.draws] == [d.tree for d in want.draws]


def test_what_does_not_fit_the_table_is_said() -> None:
    tree = slp.Tree.from_dict({"feature": "wt", "threshold": 3, "left": {}, "right": {}})
    model = slp.load("edittree", tree=tree).compile(ROWS)
    assert [w.code for w in model.warnings] == ["W630"]


def quietly(program: slp.Program, **options: Any) -> slp.Posterior:
    options = {"seed": 1, "draws": 400, "warmup": 100, "thin": 2, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        return program.posterior(ROWS, **options)


def test_exact_engines_refuse_it() -> None:
    with pytest.raises(slp.UnsupportedError) as caught:
        slp.load("edittree", tree=TREE).posterior(ROWS, engine="exact")
    (found,) = caught.value.diagnostics
    message = "`edittree` sums over all sequences of edits, of which there are infinitely many"
    assert (found.code, found.message) == ("E301", message)
    with pytest.raises(slp.UnsupportedError, match="E301"):
        slp.parse(":- use(edittree). :- feature_weight(age, 2).", tree=TREE).learn(ROWS)


def test_auto_draws_and_says_why() -> None:
    posterior = quietly(slp.load("edittree", tree=TREE))
    assert posterior.engine == "mh"
    assert posterior.reason.startswith("`edittree` sums over all sequences of edits")
    assert posterior.log_evidence is not None and posterior.tree_count() is None
    assert posterior.normalised and not posterior.derivations_are_trees
    assert posterior.predict(ROWS[:1]).tolist() == ["no"]
    assert set(posterior.diagnostics.convergence) == {
        "log_likelihood",
        "edits",
        "leaves",
        "depth",
        "predictions",
    }


def test_exact_subtrees_are_refused() -> None:
    with pytest.raises(slp.UsageError, match="E516"):
        quietly(slp.load("edittree", tree=TREE), proposal="q_exact")


def test_what_is_not_known_of_a_tree_is_none() -> None:
    program = slp.parse(":- use(edittree). :- constraint(max_leaves(2)).", tree=TREE)
    posterior = quietly(program)
    best, draw = posterior.map(), posterior.draws[0]
    assert (best.log_joint, best.log_posterior, best.certified) == (None, None, False)
    assert (draw.log_weight, draw.log_prior) == (None, None)
    assert draw.log_likelihood == pytest.approx(posterior.log_likelihood(draw.tree))
    assert posterior.log_prior(TREE) is None and posterior.log_posterior(TREE) is None
    far = slp.Tree.from_dict({"feature": "age", "threshold": 90, "left": {}, "right": {}})
    other = slp.Tree.from_dict(
        {
            "feature": "age",
            "threshold": 30,
            "left": {},
            "right": {**TREE.to_dict(), "threshold": 50},
        }
    )
    assert posterior.log_prior(far) == posterior.log_posterior(other) == -math.inf
    lp = posterior.to_arviz().sample_stats["lp"]
    assert bool(lp.isnull().all())


def test_best_trees_are_those_drawn_most_often() -> None:
    posterior = quietly(slp.load("edittree", tree=TREE))
    counts = Counter(draw.tree for draw in posterior.draws).most_common()
    best = posterior.k_best(3)
    assert [counts[i][1] for i in range(3)] == [
        sum(draw.tree == found.tree for draw in posterior.draws) for found in best
    ]


def test_edits_of_draws() -> None:
    """Against the draws themselves."""
    posterior = quietly(slp.load("edittree", tree=TREE))
    summary = posterior.edits
    assert summary is not None
    assert summary.given == TREE.with_summaries(posterior.table)
    found = [draw.tree.edits_from(TREE) for draw in posterior.draws]
    assert summary.expected == pytest.approx(sum(map(len, found)) / len(found))
    assert 0 < summary.expected_error < 0.5
    numbers = Counter(map(len, found))
    want = [numbers[k] / len(found) for k in range(len(summary.distribution))]
    assert summary.distribution.tolist() == pytest.approx(want)
    shares = {str(share.edit): share.probability for share in summary.shares}
    words = Counter(str(edit) for edits in found for edit in edits)
    assert shares == pytest.approx({edit: n / len(found) for edit, n in words.items()})
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert slp.load("growtree").posterior(ROWS).edits is None


def test_agreement_with_the_exact_prior_times_likelihood() -> None:
    """Mean number of leaves, of differences, and P(given tree) within 4.5 errors (each off by
    chance with probability 1e-5) of the sums over all 11 trees."""
    posterior = quietly(slp.load("edittree", tree=TREE, p=0.6), draws=4000)
    prior = exact_prior(Definition.of(posterior.table), bare(TREE, posterior), 0.6)
    weight = np.array([q * math.exp(posterior.log_likelihood(t)) for t, q in prior.items()])
    weight /= weight.sum()
    leaves = weight @ np.array([t.n_leaves for t in prior])
    assert abs(posterior.expected_leaves() - leaves) < 4.5 * posterior.expected_leaves_error() < 0.4
    summary = posterior.edits
    assert summary is not None
    edits = weight @ np.array([len(t.edits_from(bare(TREE, posterior))) for t in prior])
    assert abs(summary.expected - edits) < 4.5 * summary.expected_error < 0.4
    same = weight[list(prior).index(bare(TREE, posterior))]
    assert abs(summary.distribution[0] - same) < 0.06


def bare(tree: slp.Tree, posterior: slp.Posterior) -> slp.Tree:
    fitted = fit_tree(tree, posterior.table, Support())[0]
    return fitted.with_leaves([Leaf()] * fitted.n_leaves)


@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
def test_other_ways_to_a_tree() -> None:
    """The best tree of another program, and one of scikit-learn's."""
    best = slp.load("growtree").posterior(ROWS).map_tree()
    assert quietly(slp.load("edittree", tree=best)).edits is not None
    fitted = DecisionTreeClassifier(max_depth=1).fit([[10], [20], [40], [70]], [0, 0, 1, 1])
    given = slp.Tree.from_sklearn(fitted, ["age"])
    summary = quietly(slp.load("edittree", tree=given)).edits
    assert summary is not None and summary.given.to_dict()["threshold"] == 30


# --- trees as text -------------------------------------------------------------------------------

TEXT = "age < 30\n├─ yes: 2 rows\n└─ no: 2 rows\n"


def test_a_file_may_have_the_tree_as_text(tmp_path: Path) -> None:
    (tmp_path / "t0.tree").write_text(TEXT, "utf-8")
    file = tmp_path / "prior.slp"
    file.write_text(USE.replace("t0.json", "t0.tree"))
    program = slp.load(file)
    assert "(t0.tree), which has 2 leaves" in program.describe()
    chains: dict[str, Any] = {"draws": 20, "seed": 1, "chains": 1, "warmup": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of draws that are few
        have = program.posterior(ROWS, **chains)
        want = slp.load("edittree", tree=TREE, p=0.5).posterior(ROWS, **chains)
        again = slp.parse(program.expand()).posterior(ROWS, **chains)
        other = program.with_parameters(p=0.4).posterior(ROWS, **chains)
    assert [d.tree for d in have.draws] == [d.tree for d in want.draws]
    assert [d.tree for d in have.draws] == [d.tree for d in again.draws]
    assert have.edits is not None and other.edits is not None
    assert have.edits.given.features == other.edits.given.features == ("age",)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [("age < 30\nsecret", "E615", "line 2, column 1"), ("secret", "E615", "line 1, column 1")]
    + [("secret < 3\n├─ yes: a\n└─ no: b", "E616", "line 1, column 1")]
    + [("age < secret\n├─ yes: a\n└─ no: b", "E616", "line 1, column 7")],
)
def test_faults_of_the_text_are_told_without_it(
    text: str, code: str, place: str, tmp_path: Path
) -> None:
    (tmp_path / "t0.tree").write_text(text, "utf-8")
    file = tmp_path / "prior.slp"
    file.write_text(USE.replace("t0.json", "t0.tree"))
    with pytest.raises(slp.SlpError) as caught:
        slp.load(file).posterior(ROWS, draws=4)
    (found,) = caught.value.diagnostics
    assert found.code == code and found.message.startswith(f"t0.tree, {place}: ")
    assert "secret" not in str(caught.value) and found.span is not None
    assert found.span.file.name.endswith("prior.slp")


def test_a_text_in_the_program_is_a_tree() -> None:
    quoted = TEXT.replace("\n", "\\n")
    program = slp.parse(f":- use(edittree, [tree = '{quoted}', p = 0.5]).")
    assert program.compile(ROWS).program.edits.given.features == ("age",)  # type: ignore[union-attr]
