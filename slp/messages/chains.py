"""E5xx, W5xx: chains: checkpoints, proposals, starts."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E511 = Entry(
    "E511: a checkpoint cannot be written",
    cause="The file that `--checkpoint` names cannot be written.",
    remedy="Name a file in a folder that exists and that you may write to.",
    example="slp-sample growtree data.csv --engine mh --checkpoint /no/such/folder/run.json",
)
CHECKPOINT_NOT_WRITTEN = E511.says("the checkpoint {path} cannot be written: {reason}", AS_REMEDY)

E512 = Entry(
    "E512: a checkpoint exists already",
    cause="The file that `--checkpoint` names exists, and the run was not asked to go on from it.",
    remedy="Add `--resume` to go on from it. To begin a new run, remove it or name another file.",
    example="slp-sample growtree data.csv --engine mh --checkpoint run.json   (`run.json` is `a "
    "file`)",
)
CHECKPOINT_EXISTS = E512.says(
    "the checkpoint {path} exists already", "resume it, or remove it, or name another file"
)

E513 = Entry(
    "E513: there is no checkpoint to resume",
    cause="`--resume` was given without `--checkpoint`, or the file does not exist.",
    remedy="Name the file that the run is kept in, or leave out `--resume` to begin a new run.",
    example="slp-sample growtree data.csv --engine mh --resume",
)
NO_CHECKPOINT_NAMED = E513.says(
    "a run is to be resumed, and no checkpoint is named", "name the file that it is kept in"
)
NO_CHECKPOINT_THERE = E513.says(
    "there is no checkpoint {path} to resume", "leave out resume to begin a new run"
)

E514 = Entry(
    "E514: a file is no checkpoint",
    cause="The file is no checkpoint, was written by another version, or is damaged.",
    remedy="Begin a new run in another file.",
    example="slp-sample growtree data.csv --engine mh --checkpoint data.csv --resume",
)
NO_CHECKPOINT = E514.says("{path} is not a checkpoint of this version, or it is damaged", AS_REMEDY)

E515 = Entry(
    "E515: a checkpoint belongs to another run",
    cause="The run in the file was begun with another program, table, seed or schedule.",
    remedy="Resume with what the run was begun with, or begin a new one in another file.",
    example="slp-sample growtree data.csv --engine mh --checkpoint run.json --resume --seed 2",
)
ANOTHER_RUN = E515.says("the checkpoint {path} was made with another {what}", AS_REMEDY)

E516 = Entry(
    "E516: there is no such proposal",
    cause="`--proposal` names no proposal that this prior and engine have, or no weight of one.",
    remedy="Write q_uc, q_ind, q_n(20), q_seq, q_exact, q_pg, cgm, wu, rotate, perturb, informed, "
    "twig, or several with weights.",
    example="slp-sample growtree data.csv --engine mh --proposal q_all",
)
_PROPOSALS = (
    "write q_uc, q_ind, q_n(20), q_seq, q_exact, q_pg, cgm, wu, rotate, perturb, informed, "
    "twig, or several with weights, as in q_uc:0.8,cgm:0.2"
)
_WEIGHTS = "weights are numbers above 0, as in q_uc:0.8,q_ind:0.2"
_POINTS = "write {name}(20) to cut at the first 20 in turn"
_CUTS = "take q_uc, q_ind or q_n(20)"
NOT_A_PROPOSAL = E516.says("`{text}` is not a proposal", _PROPOSALS)
NO_PROPOSAL = E516.says("there is no proposal {name}", _PROPOSALS)
NO_CHOICE_POINTS = E516.says(
    "{name} needs the number of choice points that it goes through", _POINTS
)
TOO_MANY_CHOICE_POINTS = E516.says("{text} goes through more than {most:,} choice points", _POINTS)
PROPOSAL_WITHOUT_NUMBER = E516.says("{name} takes no number", "write {name}")
NOT_A_FILTER = E516.says(
    "{text} names no filter of q_pg",
    "write q_pg, or in parentheses a number of particles ({least} to {most:,}) and settings, as in "
    "q_pg(20 optimal): a proposal ({proposals}), an order ({orders}), a resampling scheme "
    "({schemes})",
)
NOT_A_WEIGHT = E516.says("{text} is not the weight of a proposal", _WEIGHTS)
INFINITE_WEIGHTS = E516.says("the weights of the proposals sum to infinity", _WEIGHTS)
EXACT_SUBTREES_OF_PREDICATES = E516.says(
    "q_exact sums over trees, which cannot be done under predicates on nodes", _CUTS
)
EXACT_SUBTREES_OF_EDITS = E516.says(
    "{name} draws trees by a tree grammar, and edits of a tree have none", _CUTS
)
UNWEIGHED_PREFERENCES = E516.says("{name} does not weigh a preference about finished trees", _CUTS)
MOVES_OF_EDITS = E516.says(
    "{name} goes from tree to tree, and under `edittree` chains go from one sequence of edits to "
    "another",
    _CUTS,
)
MOVES_OF_PROOFS = E516.says(
    "{name} goes from tree to tree, and these are proofs of a goal",
    "write q_uc, q_ind, q_n(20), or several with weights, as in q_uc:0.8,q_ind:0.2",
)
EXACT_SUBTREES_OF_PROOFS = E516.says(
    "{name} needs trees on a table, and these are proofs of a goal",
    "write q_uc, q_ind, q_n(20), or several with weights, as in q_uc:0.8,q_ind:0.2",
)
IN_SEQUENCE = E516.says(
    "q_seq cuts the sequence of a tree's choices, and these derivations are sequences, which every "
    "cut cuts",
    "take q_uc in place of q_seq, and q_n(20) in place of q_seq(20)",
)
EXACT_SUBTREES_IN_PROLOG = E516.says(
    "q_exact sums over subtrees, which are drawn one by one in SWI-Prolog",
    f"{_CUTS}, or another engine",
)

E517 = Entry(
    "E517: no tree to start from was found",
    cause="A chain starts from a draw that satisfies the constraints, and none of many did.",
    remedy="Loosen what the message names. Of a predicate that refuses all it shows a tree.",
    example="program.require(lambda tree: False).posterior(X, y, engine='mh')",
)
_NO_START = "no tree to start from was found among {tries:,} drawn from the program: "
ALL_DRAWS_REFUSED = E517.says(
    f"{_NO_START}{{derived:,}} of them break a constraint on the finished tree, the others fail"
    "{refusals}",
    "loosen the constraints on the finished tree, or have fewer cuts (bins){refused}",
)
ALL_DRAWS_FAIL = E517.says(
    f"{_NO_START}every one came to a box where no rule applies{{refusals}}",
    "loosen the constraints or the support; `slp explain` shows what each state allows{refused}",
)
BACKTRACKING_ENDS = E517.says(
    "backtracking has tried all choices, and none leads to a tree that satisfies the program",
    "loosen the constraints or the support; `slp explain` shows what each state allows",
)

E519 = Entry(
    "E519: no edits of the given tree satisfy the constraints",
    cause="A search found no edits that lead to a tree which satisfies the constraints.",
    remedy="Loosen the constraints, or give a tree that satisfies them or is near one that does.",
    example="edited.require(lambda tree: False).posterior(X, y)   (`edited` is a program with "
    "`edittree`)",
)
NO_EDITS = E519.says(
    "no edits of the given tree were found that lead to a tree which satisfies the constraints"
    "{refusals}",
    "loosen the constraints, or give a tree that satisfies them or is near one that does{refused}",
)

E547 = Entry(
    "E547: a draw by backtracking does not end",
    cause="Under `failure(backtrack)` a draw that fails goes back to its last choice. If the cause "
    "lies in an early choice, it may try nearly everything that follows.",
    remedy="Move the cause to a local constraint or a guard, or take `failure(restrict)`.",
    example="slp-sample prior.slp data.csv   (`prior.slp` has `:- constraint(max_leaves(2)). :- "
    "failure(backtrack).`)",
)
TOO_MUCH_BACKTRACKING = E547.says(
    "a draw went back to an earlier choice {most:,} times without an end",
    "move the cause to a local constraint or a guard, or take `failure(restrict)`",
)

E549 = Entry(
    "E549: chains cannot begin at this tree",
    cause="`start` is a tree, or a JSON file of one, whose prior probability on this table is "
    "above 0. Under `edittree` chains are over edits, and begin by themselves.",
    remedy="Give a tree that the program derives on this table, or leave `start` out.",
    example="slp-sample prior.slp data.csv --engine mh --start tree.json   (`prior.slp` has `:- "
    'constraint(max_leaves(1)). :- constraint(max_features(1)).`, `tree.json` is `{"feature": '
    '"age", "threshold": 30, "left": {}, "right": {}}`)',
)
NOT_A_START = E549.says("`start` is of type {kind}, no tree", "give an slp.Tree or a JSON file")
NO_FILE_OF_START = E549.says("the tree {path} cannot be read: {reason}", AS_REMEDY)
START_OFF_SUPPORT = E549.says(
    "the tree that chains are to begin at has no prior probability on this table",
    "give a tree that the program derives on this table, or leave `start` out",
)
START_OF_EDITS = E549.says(
    "chains over edits do not begin at a tree", "leave `start` out: `edittree` names the tree"
)

W546 = Entry(
    "W546: chains are not known to draw from the posterior",
    cause="Under `failure(backtrack)` the proposals q_n and q_uc prove a part of the tree again, "
    "and are accepted as published. Where finished trees are tested they need not leave the "
    "posterior invariant, because backtracking then ties the parts of a tree together.",
    remedy="Take q_ind, q_seq or the engine forward, except to compare with what was published.",
    example="slp-sample prior.slp data.csv --engine mh --proposal q_uc   (`prior.slp` has `:- "
    "support(min_leaf(8)). :- constraint(max_leaves(2)). :- failure(backtrack).`)",
)
NOT_KNOWN_INVARIANT = W546.says(
    "under `failure(backtrack)` {names} {is_are} not known to leave the posterior invariant",
    "take q_ind, q_seq or the engine forward, except to compare with what was published",
)

# How far a search for a start came, when the time was over.
NO_TREE_YET = "no tree to start from was found that satisfies the program{refusals}"
NO_PROOF_YET = "no proof to start from was found"
