"""The closed forms and the draws of the Python engine's tests, once more under SWI-Prolog."""

from __future__ import annotations

from functools import partialmethod

import pytest

import slp
from tests.resolution.answers.test_queries import (  # noqa: F401
    test_a_condition_is_a_goal_that_shares_variables,
    test_an_endless_failure_driven_loop_does_not_keep_others_waiting,
    test_answers_that_differ_in_names_of_free_variables_are_one,
    test_best_proofs_are_all_looked_at_under_weights,
    test_best_proofs_come_best_first_with_their_clauses,
    test_best_proofs_of_endless_programs,
    test_bounds_hold_the_truth,
    test_constraints_in_impure_programs,
    test_doubles_of_two_coins,
    test_every_proof_counts,
    test_grammar_has_its_inside_probabilities,
    test_hidden_markov_model_agrees_with_the_forward_algorithm,
    test_hidden_states_given_what_is_seen,
    test_labels_that_do_not_match_fail,
    test_logical_alternatives_before_a_choice,
    test_no_upper_bound_for_weights,
    test_no_upper_bound_where_logical_goals_have_several_proofs,
    test_recursion_ends_by_the_open_mass,
    test_uniform_member_of_a_list,
    test_values_are_numbers_or_prolog_text,
    test_weights_are_normalised_over_proofs,
)
from tests.resolution.proofs.test_draws import (  # noqa: F401
    test_a_cut_keeps_what_can_be_drawn,
    test_a_seed_is_taken_and_told,
    test_coin,
    test_conditioning_and_backtracking_differ_two_coins,
    test_conditioning_and_backtracking_differ_two_dice,
    test_deep_recursion,
    test_frequencies,
    test_logical_alternatives_that_fail_do_not_matter,
    test_the_goal_and_its_condition_are_drawn_together,
    test_the_same_seed_gives_the_same_draws,
)


@pytest.fixture(autouse=True)
def _under_prolog(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries and draws go to SWI-Prolog."""
    for name in ("query", "draw"):
        method = partialmethod(getattr(slp.Program, name), engine="prolog")
        monkeypatch.setattr(slp.Program, name, method)


def test_the_engine_is_used() -> None:
    """The Python engine has no `upcase_atom/2`."""
    found = slp.parse("p(a).").query("p(X), prolog(upcase_atom(X, Y))", allow_code=True)
    assert found.answers[0]["Y"] == "'A'"
