"""E1xx: the prior `edittree`, `slp expand`, and files that a program names."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E160 = Entry(
    "E160: the file of a tree cannot be read",
    cause="The file that `edittree` names is not there, or is no JSON.",
    remedy="Correct its name or its text.",
    example=":- use(edittree, [tree = 'no_such_file.json']).",
)
_FOLDER = "the name is taken from the folder of {program}"
TREE_NOT_READ = E160.says("{file} cannot be read: {reason}", _FOLDER)
TREE_NO_JSON = E160.says("{file} is no JSON: {reason} in line {line}, column {column}", _FOLDER)
TREE_TEXT_NO_JSON = E160.says(
    "the tree that begins with `{{` is no JSON: {reason} in line {line}, column {column}",
    "write it as json.dumps(tree.to_dict()) does, or name a file",
)
TREE_NOT_UTF_8 = E160.says("{file} is no text in UTF-8", _FOLDER)
TREE_TOO_NESTED = E160.says("{file} is too deeply nested", _FOLDER)

E161 = Entry(
    "E161: edits take no such measure",
    cause="Edits are drawn one by one, and the split probabilities of the measure do not sum to 1.",
    remedy="Use `feature_then_cut`, `all` or `gap`.",
    example=":- use(edittree, [tree = 'tree.json', measure = each]).",
)
MEASURE_NOT_FOR_EDITS = E161.says(
    "edits are drawn one by one, and the split probabilities of `{measure}` do not sum to 1",
    AS_REMEDY,
)

E162 = Entry(
    "E162: a rule or directive has no meaning beside `edittree`",
    cause="A prior is of edits of a tree or of tree rules, not of both.",
    remedy="A prior is one or the other: take the rules or `edittree` out.",
    example=":- use(edittree, [tree = 'tree.json']).\n:- start(tree(0)).",
)
RULE_BESIDE_EDITS = E162.says("a tree rule has no meaning beside `edittree`", AS_REMEDY)
DIRECTIVE_BESIDE_EDITS = E162.says(
    "`{name}` has no meaning beside `edittree`",
    "take it out: edits begin with the given tree, and constraints hold for the last tree",
)

E163 = Entry(
    "E163: a program has no expansion on a table",
    cause="Constraints, priors of boxes and `edittree` have no expansion, nor have guards on "
    "thresholds that the measure `range` draws. The engine `prolog` needs one.",
    remedy="Take another engine, such as `exact` or `mh`.",
    example="slp expand prior.slp data.csv   (`prior.slp` has `:- constraint(first(age)).`)",
)
NO_EXPANSION_ON_TABLE = E163.says(
    "constraints, priors of boxes and `edittree` have no expansion on a table",
    "engines other than `prolog` run the whole program, as `slp-sample` does by itself",
)
NO_EXPANSION_OF_BACKTRACKING = E163.says(
    "`failure(backtrack)` has no expansion on a table",
    "take it out, and draw from the expansion with `slp query --failure backtracking`",
)
NO_GUARD_IN_RANGE = E163.says(
    "a guard on a threshold that the measure `range` draws has no expansion on a table",
    "engines other than `prolog` run the whole program, as `slp-sample` does by itself",
)

LEVELS_NOT_EXPANDED = E163.says(
    "`{level}`, a level of an ordinal feature, has no expansion on a table",
    "engines other than `prolog` know the order of levels",
)

SUBSETS_NOT_EXPANDED = E163.says(
    "splits by subsets of levels, as those of `{name}` are, have no expansion on a table",
    "take the engine `exact` or `mh`, which know them",
)
SIDES_NOT_EXPANDED = E163.says(
    "missing values that take a side, as those of `{name}` do, have no expansion on a table",
    "engines other than `prolog` know the side of missing values",
)

E164 = Entry(
    "E164: a predicate has a name that the expansion takes",
    cause="The program defines a predicate that its expansion on a table defines too.",
    remedy="Give the program's predicate another name.",
    example="slp expand prior.slp data.csv   (`prior.slp` has `item(_, _).`)",
)
NAME_OF_EXPANSION = E164.says(
    "the expansion on a table has a predicate `{name}/{arity}` of its own", AS_REMEDY
)

E165 = Entry(
    "E165: a label depends on the rows of the box",
    cause="A program is expanded without a table, and a label depends on the rows of the box.",
    remedy="Expand it on a table: `slp expand FILE DATA`.",
    example="slp expand rows.slp   (`rows.slp` is `:- start(t). 1/N :: t --> { rows(N) }, leaf.\n"
    "1 - 1/N :: t --> { rows(N) }, split(_, _), t, t.`)",
)
LABEL_NEEDS_ROWS = E165.says(
    "this label depends on the rows of the box, and the label of a clause can depend on its head "
    "alone",
    AS_REMEDY,
)

E166 = Entry(
    "E166: a file may not be read",
    cause="`use` or `edittree` names a file that is not in the folder of the program.",
    remedy="Move the file, or name its folder by `--include` (`include=` in Python).",
    example=":- use('../elsewhere/boxes.slp').",
)
NULL_IN_NAME = E166.says(
    "`{name}` is not read: no file has a null character in its name", "take it out"
)
WRONG_ENDING = E166.says(
    "`{name}` is not read: its name does not end in `{ending}`",
    "programs are used from files `.slp`, trees from files `.json`, or `.tree` as text",
)
NO_FOLDER_OF_TEXT = E166.says(
    "`{name}` is not read: a program that is no file has no folder",
    "load the program from a file, or give folders by `include`",
)
OUTSIDE_FOLDER = E166.says(
    "`{name}` is not read: it lies outside the folder of the program",
    "move it there, or name its folder by --include (`include` in Python)",
)
