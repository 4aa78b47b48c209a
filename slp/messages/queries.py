"""E24x, E25x: queries, and the proofs that chains draw."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.proofs import NEEDS_GUARD

# --- queries -----------------------------------------------------------------------------------

E240 = Entry(
    "E240: a stochastic goal stands inside a condition",
    cause="A predicate with labelled clauses is called inside `->`, `\\+`, `findall` or `forall`.",
    remedy="Call it before, and test what was drawn.",
    example="slp query lost.slp lost\n"
    "(`lost.slp` is `0.5 :: coin(heads). 0.5 :: coin(tails). lost :- \\+ coin(heads).`)",
)
ENCLOSED_CHOICE = E240.says(
    "{predicate} has labelled clauses and is called inside a condition",
    "call it before: conditions, `\\+`, `findall` and `forall` test what has been drawn already; "
    "`slp check` shows conditions that lead to labels",
)

E241 = Entry(
    "E241: a cut crosses a stochastic goal",
    cause="A cut behind a stochastic goal takes away alternatives that stand before it.",
    remedy="Cut before the stochastic goal is called, or write clauses that exclude each other.",
    example="slp query cut.slp 'p(X)'\n"
    "(`cut.slp` is `0.5 :: coin(heads). 0.5 :: coin(tails). p(X) :- coin(X), !. p(none).`)",
)
CROSSING_CUT = E241.says(
    "a cut takes away alternatives that stand before a stochastic goal", AS_REMEDY
)

E242 = Entry(
    "E242: labels that match sum to more than 1",
    cause="The labels of the clauses whose heads match a goal sum to more than 1.",
    remedy="Bind an argument by a goal to the left, or declare that labels are weights.",
    example="slp query sum.slp 'p(X, Y)'\n"
    "(`sum.slp` is `0.7 :: p(1, a). 0.3 :: p(1, b). 0.7 :: p(2, a). 0.3 :: p(2, b).`)",
)
LARGE_SUM = E242.says(
    "the labels of {predicate} that match here sum to {total:.6g}, above 1",
    "bind an argument by a goal to the left, or declare `:- weights.`",
)

E243 = Entry(
    "E243: a nonterminal is asked as a goal",
    cause="A query asks for a nonterminal of tree rules. Without a table there are no splits.",
    remedy="Ask trees on a table, `slp query FILE 'tree(T), uses(T, age)' --data DATA`, or query "
    "what `slp expand FILE DATA` prints.",
    example="slp query growtree 'tree(0)'",
)
TREE_AS_GOAL = E243.says(
    "{nonterminal} is defined by tree rules, which mean nothing without a table", AS_REMEDY
)

E244 = Entry(
    "E244: a draw holds several proofs",
    cause="Goals without labels have several proofs, so it is not known how much one draw counts.",
    remedy="Ask for the answers' probabilities, or draw with weights: `--failure filter`.",
    example="slp query words.slp 'word(L), member(_, [1, 2])' -n 10\n"
    "(`words.slp` is `0.5 :: word([]). 0.5 :: word([a|L]) :- word(L).`)",
)
SEVERAL_PROOFS = E244.says(
    "goals without labels have several proofs here, so it is not known how much a draw counts",
    AS_REMEDY,
)

E245 = Entry(
    "E245: there is nothing to draw",
    cause="The goal has no proof.",
    remedy="`slp query` without draws says where it fails.",
    example="slp query coin.slp 'coin(edge)' -n 10 --failure backtracking",
)
NOTHING_TO_DRAW = E245.says("the goal has no proof, so there is nothing to draw", AS_REMEDY)

E246 = Entry(
    "E246: rejection where labels are weights",
    cause="A program declares `:- weights.`, so rejection has no probability to accept by, and "
    "tables, which have, do not end.",
    remedy="Draw with weights, `--failure filter`, or by backtracking.",
    example="slp query weights.slp 'p(X)' -n 10\n"
    "(`weights.slp` is `:- weights. 2 :: p(0). 1 :: p(s(X)) :- p(X).`)",
)
REJECTION_OF_WEIGHTS = E246.says(
    "labels are weights here, so rejection cannot tell how often to accept a draw", AS_REMEDY
)

E247 = Entry(
    "E247: no weighted draw has a proof",
    cause="Draws by `weighting` or `filter` all came to a dead end, so nothing is known.",
    remedy="Draw more, or bind in the goal what its condition asks for: `slp query` without draws "
    "says whether the goal has a proof.",
    example="slp query coin.slp 'coin(X), X = edge' -n 10 --failure weighting",
)
NO_WEIGHTED_PROOF = E247.says("none of {draws} has a proof", AS_REMEDY)

W240 = Entry(
    "W240: a goal failed",
    cause="A query has no proof. This is the goal that its derivations came to and that failed.",
    remedy="Change the clauses of the goal, or the query, if that is not meant.",
    example="slp query coin.slp 'coin(edge)'",
)
GOAL_FAILED = W240.says("`{goal}` failed", AS_REMEDY)

W241 = Entry(
    "W241: a search gave up before it found a proof",
    cause="A limit was reached, and nothing was proved until then.",
    remedy="Bound the recursion by a guard, or allow more inferences.",
    example="slp query coin.slp 'length(L, 100000000)'",
)
NOTHING_PROVED = W241.says("{reason}", NEEDS_GUARD)
NOTHING_PROVED_IN_BUDGET = W241.says("{reason}", "{help}")

W242 = Entry(
    "W242: a search was interrupted",
    cause="Ctrl-C ended a search for proofs. What was found is told, with its bounds.",
    remedy="Read the bounds, or run again and let the search end.",
    example="slp query coin.slp 'member(Z, [a|Z])'   (and Ctrl-C)",
)
SEARCH_INTERRUPTED = W242.says("interrupted", AS_REMEDY)

W243 = Entry(
    "W243: fewer draws than asked for",
    cause="The time or the memory was used up, or Ctrl-C ended the drawing. The draws made so far "
    "are kept.",
    remedy="Give more `--time` or `--memory`, or draw fewer.",
    example="slp query coin.slp 'coin(X)' -n 100000000 --time 3s",
)
DRAWS_CUT_SHORT = W243.says("{reason}: {kept} of {wanted} draws are kept", AS_REMEDY)

# --- proofs that chains draw -------------------------------------------------------------------

E250 = Entry(
    "E250: no proof to start from was found",
    cause="A chain over proofs needs one to start from. The goal has none, a limit was reached, or "
    "the log-likelihood of every proof that was tried is -inf.",
    remedy="See by `slp query` where the goal fails, or loosen the log-likelihood.",
    example="coin.sample_proofs('coin(edge)')",
)
NO_PROOF_TO_START = E250.says(
    "no proof to start from was found", "`slp query` without draws says where the goal fails"
)
NO_PROOF_WITHIN_LIMITS = E250.says(
    "no proof to start from was found: {reason}",
    "`slp query` shows what is proved within the limits",
)
ALL_PROOFS_IMPOSSIBLE = E250.says(
    "the log-likelihood of all {found} proofs that were tried is -inf",
    "loosen it, or write into the goal what it demands",
)

E251 = Entry(
    "E251: a log-likelihood is no number",
    cause="The log-likelihood of an answer is NaN, infinity or no number at all.",
    remedy="Give a number. -inf says that an answer is impossible.",
    example="coin.sample_proofs('coin(X)', log_likelihood=lambda answer: None)",
)
NO_LOG_LIKELIHOOD = E251.says(
    "the log-likelihood is {value} of {answer}",
    "it must be a number; -inf says that an answer is impossible",
)

E252 = Entry(
    "E252: a log-likelihood function failed",
    cause="The function raised an exception. The exception is the error's cause.",
    remedy="Correct the function: the message shows the answer that it was asked of.",
    example="coin.sample_proofs('coin(X)', log_likelihood=lambda answer: 1 / 0)",
)
LOG_LIKELIHOOD_FAILED = E252.says(
    "the log-likelihood function failed on {answer}: {error}", AS_REMEDY
)

E253 = Entry(
    "E253: the goal of a log-likelihood gives no value",
    cause="The goal does not hold the variable `LogLikelihood`, which it must bind.",
    remedy="Write it as in `score(X, LogLikelihood)`.",
    example="coin.sample_proofs('coin(X)', log_likelihood='score(X, S)')",
)
NO_RESULT_VARIABLE = E253.says(
    "the goal of the log-likelihood does not hold the variable {variable}",
    "write it as in `score(X, {variable})`",
)

E254 = Entry(
    "E254: there is no such log-likelihood",
    cause="It is no function and no goal, or `module:function` cannot be imported.",
    remedy="See that Python finds the module, or give a function or a goal.",
    example="coin.sample_proofs('coin(X)', log_likelihood=3)",
)
NOT_A_LOG_LIKELIHOOD = E254.says(
    "the log-likelihood is {given!r}, no function and no text of a goal",
    "give a function of an answer, or a goal that binds LogLikelihood",
)
LOG_LIKELIHOOD_NOT_IMPORTED = E254.says(
    "{name} cannot be imported: {error}",
    "its module must be installed, on the PYTHONPATH, here, or beside the program's file",
)
LOG_LIKELIHOOD_IS_NO_FUNCTION = E254.says("{name} is no function", "name a function of an answer")

W250 = Entry(
    "W250: proofs are left out",
    cause="Derivations reached a limit, and the draws are from the proofs within it.",
    remedy="Bound the recursion by a guard, or allow more inferences.",
    example="numbers.sample_proofs('n(X)', limits=slp.resolution.Limits(inferences=30))\n"
    "(of `0.5 :: n(X) :- n(Y), X is Y + 1. 0.5 :: n(0).`)",
)
PROOFS_LEFT_OUT = W250.says("proofs beyond the limits are left out: {reason}", AS_REMEDY)
