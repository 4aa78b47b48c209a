"""E6xx, W6xx: trees, trees on a table, and predicates that are asked of trees."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

_NODE = 'a node is {{"feature": .., "threshold": .., "left": .., "right": ..}} or a leaf'
_SPLIT = "a split has `feature`, `left`, `right`, and one of `threshold`, `level` and `levels`"
_BESIDE = (
    "beside `threshold` go `order` or `unit`, and `missing`; beside `level` `other`, with it "
    "`absent`, and `missing`; beside `levels` `others` and `absent`"
)
_LEAF = 'a leaf is {{"counts": {{"a": 3}}}}, {{"n": 12, "mean": 3.4}} or {{}}'

E601 = Entry(
    "E601: a node of a tree is no object",
    cause="Data in JSON is read as a tree, and a node of it is a list, a number, a text or null.",
    remedy="Write each node as an object: a split or a leaf.",
    example="slp.Tree.from_dict([1, 2])",
)
NODE_IS_NO_OBJECT = E601.says(
    "not a tree: at {path}, there is {found} where an object is needed", _NODE
)

E602 = Entry(
    "E602: a node of a tree has the wrong keys",
    cause="A split lacks a key, has two tests or none, or a node has a key that means nothing.",
    remedy="Give each node the keys that the help line names.",
    example='slp.Tree.from_dict({"feature": "age", "threshold": 40, "left": {}})',
)
SPLIT_LACKS_KEY = E602.says("not a tree: at {path}, the split has no `{key}`", _SPLIT)
SPLIT_HAS_STRANGE_KEY = E602.says(
    "not a tree: at {path}, the split has {key}, which means nothing", _SPLIT
)
SPLIT_HAS_NO_TEST = E602.says(
    "not a tree: at {path}, the split has none of `threshold`, `level` and `levels`", _SPLIT
)
SPLIT_HAS_TWO_TESTS = E602.says(
    "not a tree: at {path}, the split has both `{one}` and `{other}`", _SPLIT
)
KEY_OF_ANOTHER_TEST = E602.says(
    "not a tree: at {path}, `{key}` means nothing beside {test}", _BESIDE
)
KEY_WITHOUT_ANOTHER = E602.says(
    "not a tree: at {path}, `{key}` means nothing without `{other}`", _BESIDE
)
ONE_LEVEL_TWICE = E602.says(
    "not a tree: at {path}, `level` and `other` are the same level",
    "`other` is the level that goes right where there are two; leave it out where there are more",
)
LEAF_HAS_STRANGE_KEY = E602.says(
    "not a tree: at {path}, the leaf has {key}, which means nothing", _LEAF
)

E603 = Entry(
    "E603: a feature or a level of a tree is no string",
    cause="The `feature` or the `level` of a split is a number, null or something else.",
    remedy="Write the name of the feature, or the level, in quotes.",
    example='slp.Tree.from_dict({"feature": 3, "threshold": 40, "left": {}, "right": {}})',
)
NOT_A_STRING = E603.says(
    "not a tree: at {path}, `{key}` is {found} where a string is needed", "write it in quotes"
)
NOT_A_LIST = E603.says(
    "not a tree: at {path}, `{key}` is {found} where a list of strings is needed",
    'write levels in quotes and brackets, such as ["a", "b"]',
)

E604 = Entry(
    "E604: a threshold of a tree is no number",
    cause="The `threshold` of a split is a text, NaN, or something else that is no number. A text "
    "is a level of an ordinal feature, and needs the list of all levels, `order`, beside it.",
    remedy="Give a floating-point number, or a level with `order`.",
    example='slp.Tree.from_dict({"feature": "age", "threshold": "40", "left": {}, "right": {}})',
)
NO_THRESHOLD_LEVEL = E604.says(
    "not a tree: at {path}, {level} is no threshold in its `order`",
    "write a level behind the first one of `order`, whose levels differ: lower levels go left",
)
NO_FORMULA = E603.says(
    "not a tree: at {path}, `defined` is no formula over columns",
    'write arithmetic over columns in quotes, such as "weight / (height/100)^2"; `undefined` is '
    '"error" or "missing"',
)
NO_THRESHOLD = E604.says(
    "not a tree: at {path}, `{key}` is {found} where a number is needed", AS_REMEDY
)

E605 = Entry(
    "E605: what a leaf says of its rows is malformed",
    cause="A key of a leaf, or `classes` of the root, is not what it must be.",
    remedy="Give numbers of rows from 0 up, a number as mean, and every class that occurs.",
    example='slp.Tree.from_dict({"counts": {"yes": -1}})',
)
NO_SUMMARY = E605.says(
    "not a tree: at {path}, `{key}` is {found} where a number is needed",
    "give a floating-point number",
)
LINE_MALFORMED = E605.says(
    "not a tree: at {path}, `line` has not the keys `intercept` and `slopes`, an object of numbers",
    'write "line": {{"intercept": 1.5, "slopes": {{"age": 0.1}}}}',
)
PIECES_MALFORMED = E605.says(
    "not a tree: at {path}, `pieces` is no list of objects with the keys `events` and `time`",
    'write "pieces": [{{"events": 2, "time": 7.5}}]',
)
NO_NUMBER_OF_ROWS = E605.says(
    "not a tree: at {path}, `{key}` is {found}, which is no number of rows", "give 0, 1, 2, ..."
)
CLASSES_MALFORMED = E605.says(
    "not a tree: at {path}, `classes` is no list of numbers, truth values or strings",
    'list the classes that occur, as in "classes": [1, 2]',
)
COUNTS_MALFORMED = E605.says(
    "not a tree: at {path}, `counts` is no object from classes to numbers of rows", _LEAF
)
SHARES_MALFORMED = E605.says(
    "not a tree: at {path}, `shares` is no object from classes to probabilities that sum to 1",
    'write "shares": {{"no": 0.8, "yes": 0.2}}',
)
CONCENTRATIONS_MALFORMED = E605.says(
    "not a tree: at {path}, `concentrations` is no object from classes to numbers above 0, with "
    "all classes of `counts`",
    'write "concentrations": {{"no": 2.5, "yes": 7.5}}',
)
CLASS_NOT_LISTED = E605.says(
    "not a tree: at {path}, `{key}` has {label}, `classes` has not",
    "name every class that occurs in a leaf",
)

E606 = Entry(
    "E606: a tree splits on a column that is not there",
    cause="A tree is applied to rows or to a table without a column that the tree asks for.",
    remedy="Rename the column, or take a tree that was made for these columns.",
    example="tree.predict(frame)   (the tree splits on `height`, and the frame has no such column)",
)
TREE_COLUMN_MISSING = E606.says(
    "the tree splits on {feature}, and there is no such column", "the columns are {columns}"
)

MISSING_IS_NO_LEVEL = E602.says(
    'at {path}, `missing` beside a level can only be "level", "left" or "right", and there is '
    "{found}",
    _SPLIT,
)
SIDES_WITHOUT_LEVELS = E602.says(
    "at {path}, `levels` and `others` are two lists of levels, none of them empty, and no level "
    "stands twice",
    _SPLIT,
)
CONCEPT_WITHOUT_LEVELS = E602.says(
    "`under` at {path} is no list of levels, each once", "list the levels of the concept"
)
NO_WAY_OF_ABSENT = E602.says(
    'at {path}, `absent` can only be "error", "larger" or "average", and there is {found}', _SPLIT
)
MISSING_IS_NO_SIDE = E602.says(
    'at {path}, `missing` beside a threshold can only be "left" or "right", and there is {found}',
    _SPLIT,
)

E607 = Entry(
    "E607: a tree cannot be asked of these rows",
    cause="A row has no value of a feature that the tree asks for, or no number where the tree has "
    "a threshold; or the rows are no two-dimensional array.",
    remedy="Correct the value, or leave the row out.",
    example="tree.predict([1.5, 2.0])",
)
ROWS_NOT_2D = E607.says(
    "the rows have shape {shape} where (n, d) is needed", "give a two-dimensional array"
)
TREE_VALUE_MISSING = E607.says(
    "row {row} has no value of {feature}",
    "the tree asks for {feature}: fill the value in or leave the row out",
)
TREE_LEVEL_ABSENT = E607.says(
    "row {row} has the level `{level}` of {feature}, of which `{test}` says no side",
    "leave the row out; a tree whose leaves know their rows predicts the average over both sides, "
    "unless `new(error)` was declared, and such a row has no leaf of its own",
)
TREE_VALUE_NO_NUMBER = E607.says(
    "{feature} holds something that is no number: {reason}",
    "the tree compares {feature} with thresholds; give numbers",
)

E608 = Entry(
    "E608: a test of a tree does not fit the kind of its feature",
    cause="A test has a threshold where the table has levels, or a level where it has numbers; or "
    "rows come to it that miss the value, and it does not say which side these take; or another "
    "formula makes its feature.",
    remedy="Take a tree made for this table, or declare the kind that the tree takes.",
    example='slp.Tree.from_dict({"feature": "colour", "threshold": 1, "left": {}, '
    '"right": {}}).with_summaries(table)\n'
    "(`colour` is categorical in the table)",
)
TEST_OF_ANOTHER_KIND = E608.says(
    "the tree tests {feature} against {given}, but it is {kind} in the table",
    "use a tree made for this table",
)

OTHER_FORMULA = E608.says(
    "the tree tests {feature} as {text}, but the table has another {feature}",
    "use a tree of the same definition",
)
NOT_DEFINED_SO = E608.says(
    "the tree tests {feature} as {text}, but the program does not define it so",
    "use a tree of the same definition",
)
TEST_WITHOUT_SIDE = E608.says(
    "the tree tests {feature} where rows of the table miss it, and does not say their side",
    'say it in the tree by `"missing": "left"` or `"right"` beside the test',
)

LEVEL_WITHOUT_SIDE = E608.says(
    "the tree parts levels of {feature}, and does not say the side of others that rows have there",
    "use a tree made for this table",
)

E609 = Entry(
    "E609: a threshold of a tree lies inside a bin",
    cause="A threshold of the tree lies inside a bin, whose values the table does not tell apart.",
    remedy="Use one of the declared cuts as threshold, or declare finer cuts.",
    example='slp.Tree.from_dict({"feature": "age", "threshold": 42, "left": {}, "right": '
    "{}}).with_summaries(binned)\n"
    "(the declared cuts of the table are 40 and 50)",
)
THRESHOLD_INSIDE_BIN = E609.says(
    "the tree cuts {feature} at {threshold}, inside a bin: the table does not tell the values in a "
    "bin apart",
    "the cuts of {feature} are {cuts}",
)

E614 = Entry(
    "E614: leaves that are lines are no leaves of scikit-learn",
    cause="`to_sklearn` was asked of a tree with lines in its leaves (`normal_linear`). A tree of "
    "scikit-learn has a number in each.",
    remedy="Keep the tree as JSON (tree.to_dict), or fit it with another leaf model.",
    example='slp.Tree.from_dict({"n": 2, "mean": 1.5, "line": {"intercept": 1, "slopes": '
    '{"age": 0.1}}}).to_sklearn()',
)
LINES_IN_LEAVES = E614.says(
    "the leaves of the tree are lines, and a tree of scikit-learn has a number in each",
    "keep the tree as JSON (tree.to_dict), or fit it with another leaf model",
)

E610 = Entry(
    "E610: a leaf has nothing to predict from",
    cause="A tree is to predict, and a leaf of it has neither counts nor a mean.",
    remedy="Fill the leaves from a table: tree.with_summaries(table).",
    example="slp.Tree.from_dict({}).predict(rows)",
)
NOTHING_TO_PREDICT_FROM = E610.says(
    "a leaf of the tree has no counts and no mean to predict from", AS_REMEDY
)

E611 = Entry(
    "E611: a response without a table",
    cause="A tree is checked with a response `y`, and the table `X` is missing.",
    remedy="Give the table too: tree.check(program, X, y).",
    example="tree.check(program, y=[0, 1])",
)
RESPONSE_WITHOUT_TABLE = E611.says("there is a response `y`, and no table `X`", AS_REMEDY)

E612 = Entry(
    "E612: a tree is not checked against a program",
    cause="`Tree.check` was given something that is no program.",
    remedy="Give what `slp.load` or `slp.parse` gives. For single constraints take `slp.check`.",
    example="tree.check('first(age)')",
)
NOT_A_PROGRAM = E612.says(
    "a tree is checked against a program, and {given!r} is none",
    "give what slp.load or slp.parse gives; for constraints by themselves there is slp.check",
)

E619 = Entry(
    "E619: the file of a tree cannot be read",
    cause="The file of a tree that `slp certify` was given does not exist, or is no JSON.",
    remedy="Give a JSON file of a tree, as `Tree.to_dict` gives it (docs/api.md).",
    example="slp certify missing.json prior.slp",
)
TREE_FILE_UNREAD = E619.says("the tree {path} cannot be read: {reason}", AS_REMEDY)

E613 = Entry(
    "E613: what is to be checked is no tree",
    cause="`slp.check` was given something that is no tree.",
    remedy="Give a tree. Of data in JSON make one by `slp.Tree.from_dict`. `slp.parse` and "
    "`slp.load` check a program.",
    example='slp.check({"counts": {}}, "first(age)")',
)
NOT_A_TREE = E613.says(
    "{given} is no tree",
    "of JSON data make one by slp.Tree.from_dict; slp.parse and slp.load check a program",
)

W630 = Entry(
    "W630: a node of the given tree becomes a leaf",
    cause="`edittree` has a tree with a split that this table cannot ask.",
    remedy="Correct the tree or the program, if that is not meant.",
    example="slp-sample edited.slp data.csv   (`edited.slp` is `:- use(edittree, [tree = "
    "'tree.json']).`,\n"
    '`tree.json` is `{"feature": "height", "threshold": 40, "left": {}, "right": '
    "{}}`)",
)
SPLIT_BECAME_LEAF = W630.says(
    "the given tree has a leaf instead of a split at {places}: {reason}",
    "what stands below is left out; correct the tree or the program",
)

W631 = Entry(
    "W631: a split of the given tree is left out",
    cause="A split of the tree leaves fewer than `min_leaf` rows on a side, or none.",
    remedy="Nothing, or take a smaller `min_leaf`.",
    example="slp-sample edited.slp data.csv   (`edited.slp` is `:- use(edittree, [tree = "
    "'tree.json']).`,\n"
    '`tree.json` is `{"feature": "age", "threshold": 0, "left": {}, "right": '
    "{}}`)",
)
SPLIT_LEFT_OUT = W631.says(
    "a split of the given tree is left out at {places}: {reason}",
    "its other side stands in its place",
)

W632 = Entry(
    "W632: thresholds of the given tree are moved",
    cause="`edittree` has a tree with thresholds that are no declared cuts of their features.",
    remedy="Nothing, or declare finer cuts.",
    example="slp-sample edited.slp data.csv\n"
    "(`edited.slp` is `:- feature(age, [cuts([40])]). :- use(edittree, [tree = "
    "'tree.json']).`,\n"
    '`tree.json` is `{"feature": "age", "threshold": 42, "left": {}, "right": '
    "{}}`)",
)
THRESHOLDS_MOVED = W632.says(
    "thresholds of the given tree are moved to declared cuts: {places}",
    "rows of one bin cannot be parted; declare finer cuts to keep them",
)

E640 = Entry(
    "E640: no fitted decision tree of scikit-learn",
    cause="The model is not fitted, is no single tree, or has several responses.",
    remedy="Fit a DecisionTreeClassifier or DecisionTreeRegressor, or take one of a forest.",
    example="slp.Tree.from_sklearn(DecisionTreeClassifier())",
)
NOT_A_FITTED_TREE = E640.says(
    "`{given}` is no fitted decision tree with one response",
    "fit a DecisionTreeClassifier or DecisionTreeRegressor first; of a forest take one tree",
)

E641 = Entry(
    "E641: names do not match the features of a fitted tree",
    cause="`Tree.from_sklearn` was given more or fewer names than the tree has features.",
    remedy="Give one name for each column, in order.",
    example="slp.Tree.from_sklearn(fitted, ['age'])   (fitted to two features)",
)
WRONG_NUMBER_OF_NAMES = E641.says(
    "{given} names are given, and the tree was fitted to {features} features", AS_REMEDY
)

E642 = Entry(
    "E642: the leaves of a tree do not know their rows",
    cause="A tree that was written by hand, or drawn from a prior, is to become an estimator of "
    "scikit-learn, which needs the counts of classes, or the number of rows and the mean, of each "
    "leaf.",
    remedy="Take a tree of a posterior, or `tree.with_summaries(posterior.table)`.",
    example="slp.Tree.from_dict({}).to_sklearn()",
)
LEAVES_WITHOUT_ROWS = E642.says(
    "the leaves have neither counts of classes nor means of their rows", AS_REMEDY
)

E643 = Entry(
    "E643: a column that a tree tests is not among the names",
    cause="`Tree.to_sklearn` was given the names of the columns, and a test needs another.",
    remedy="Name every column that the tree tests; the test `colour = red` needs the column "
    "`colour=red`.",
    example="tree.to_sklearn(feature_names=['age'])   (the tree tests `dose`)",
)
NAME_OF_TEST_MISSING = E643.says(
    "the tree tests the column `{name}`, which is not among the names", AS_REMEDY
)

E650 = Entry(
    "E650: code that a program names may not run",
    cause="A constraint is a predicate in Python or Prolog, and code was not allowed to run.",
    remedy="If you trust the program, allow it: `--allow-code`, or `allow_code=True` in Python.",
    example=':- use(growtree). :- constraint(python("shape:small")).',
)
CODE_REFUSED = E650.says(
    "{predicate} runs code, and is refused",
    "allow it with --allow-code (`allow_code=True`), if you trust this program",
)

E651 = Entry(
    "E651: a predicate cannot be imported",
    cause="The module of a function in Python cannot be imported, or has no such function.",
    remedy="Install the module, add its folder to PYTHONPATH, or put it beside the program.",
    example="slp-sample prior.slp data.csv --allow-code   (`prior.slp` has `:- "
    'constraint(python("nowhere:small")).`)',
)
PREDICATE_NOT_IMPORTED = E651.says(
    "{predicate} cannot be imported: {reason}",
    "its module must be installed, on the PYTHONPATH, or beside the program's file",
)
PREDICATE_IS_NO_FUNCTION = E651.says(
    "{predicate} is no function, but {found}", "name a function of a tree"
)

E653 = Entry(
    "E653: a predicate raised an exception",
    cause="A function that decides on a tree or a node raised an exception, or exited.",
    remedy="Correct the function: the help line shows what it was asked of.",
    example="program.require(lambda tree: 1 / 0).posterior(X, y)",
)
PREDICATE_RAISED = E653.says(
    "{predicate} raised {error}", "in call {call:,} it was asked of this {kind}:\n{subject}"
)

E654 = Entry(
    "E654: a predicate gave neither True nor False",
    cause="A function that decides on a tree or a node gave another value, such as None.",
    remedy="Let the function return True or False.",
    example="program.require(lambda tree: None).posterior(X, y)",
)
PREDICATE_GAVE_NO_ANSWER = E654.says(
    "{predicate} gave {answer}, which is neither True nor False",
    "in call {call:,} it was asked of this {kind}:\n{subject}",
)

E655 = Entry(
    "E655: a constraint from Python is no function",
    cause="`Program.require` was given something that cannot be called, or `slp.check` something "
    "that is neither a text nor a program nor a function.",
    remedy="Give a function of a tree, as in `require(small)`.",
    example="program.require(3)",
)
NOT_A_CONSTRAINT = E655.says(
    "`slp.check` takes texts, programs and functions, not {given}",
    'give each by itself: slp.check(tree, "first(age)", "once(age)"), or slp.check(tree, *several)',
)
NOT_A_FUNCTION = E655.says("`require` takes a function, not {given!r}", AS_REMEDY)
