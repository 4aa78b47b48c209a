"""E4xx, W4xx: leaf models and responses."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E430 = Entry(
    "E430: a leaf model does not suit the response",
    cause="The leaf model is one of classes and the response holds numbers, or the reverse.",
    remedy="Declare a leaf model that suits the response, or none.",
    example=":- use(growtree). :- leaf(gamma_poisson(1, 1)).",
)
_FOR_CLASSES = "for classes write :- leaf(dirichlet(1))."
MODEL_NEEDS_CLASSES = E430.says(
    "`dirichlet` needs classes, but the response holds numbers",
    "for numbers leave the directive out, or declare normal_inverse_gamma",
)
MODEL_NEEDS_CLASSES_NOT = E430.says(
    "`dirichlet` needs classes, but the response `{name}` holds the number {cell} in row {row}",
    "for numbers leave the leaf directive out, or declare normal_inverse_gamma",
)
MODEL_NEEDS_NUMBERS = E430.says(
    "`{model}` needs numbers, but the response holds classes", _FOR_CLASSES
)
MODEL_NEEDS_NUMBERS_NOT_TRUTHS = E430.says(
    "{model} needs numbers, but the response `{name}` holds truth values", _FOR_CLASSES
)
MODEL_NEEDS_NUMBERS_NOT = E430.says(
    "{model} needs numbers, but the response `{name}` holds `{cell}` in row {row}", _FOR_CLASSES
)

NOT_FOR_NUMBERS = E430.says(
    "`{model}` is a leaf model of classes, and {estimator} predicts numbers",
    "take SLPTreeClassifier, or another leaf model",
)
TEXT_FOR_REGRESSOR = E430.says(
    "{estimator} predicts numbers, and the response holds `{cell}` in row {row}",
    "take SLPTreeClassifier",
)
NOT_FOR_CLASSES = E430.says(
    "`{model}` is a leaf model of numbers, and {estimator} predicts classes",
    "take SLPTreeRegressor, or :- leaf(dirichlet(1)).",
)

E431 = Entry(
    "E431: a list of `dirichlet` has another length than the classes",
    cause="`dirichlet([...])` has more or fewer numbers than the response has classes.",
    remedy="Give one number for each class, in the order that the message shows, or one for all.",
    example=":- use(growtree). :- leaf(dirichlet([1, 2, 3])).",
)
WRONG_NUMBER_OF_CLASSES = E431.says(
    "`dirichlet` has {numbers} numbers, but the response has {classes} classes: {some}",
    "give one number for each class, in this order",
)

E432 = Entry(
    "E432: a leaf model cannot take a value of the response",
    cause="`gamma_poisson` takes counts; `gamma_exponential` and `piecewise_exponential` take "
    "numbers from 0 up.",
    remedy="Correct the cell, or declare another leaf model.",
    example=":- use(growtree). :- leaf(gamma_poisson(1, 1)). :- response(dose).",
)
NOT_A_NUMBER_OF_EVENTS = E432.says(
    "`gamma_poisson` needs counts (whole numbers from 0 to 1e12), but the response `{name}` is "
    "{value} in row {row}",
    "correct the cell, or declare normal_inverse_gamma",
)
NOT_A_DURATION = E432.says(
    "`{model}` needs durations from 0 up, but the response `{name}` is {value} in row {row}",
    "correct the cell, or leave the row out",
)

E433 = Entry(
    "E433: a response is too large",
    cause="A numeric response is infinite, or beyond 1e150, so sums of squares are not finite.",
    remedy="Correct it, or change the unit.",
    example="x,y\n1,2\n2,inf",
)
RESPONSE_TOO_LARGE = E433.says(
    "the response `{name}` is {value} in row {row}",
    "responses must be finite and at most 1e150 in size: correct it or change the unit",
)

E435 = Entry(
    "E435: a response has too many classes",
    cause="The response is taken for classes, and rows times classes are more than 2^27.",
    remedy="Name another response, or declare the column numeric, if it holds numbers as text.",
    example="slp-sample growtree people.csv   (the last column is a name, in 100,000 rows)",
)
TOO_MANY_CLASSES = E435.says(
    "the response `{name}` has {classes} classes in {rows} rows",
    "is it a name or a number stored as text? Name the response: :- response(Column).",
)

E434 = Entry(
    "E434: a column is no regressor",
    cause="`normal_linear([x1, ...])` names a column that holds no numbers, lacks one, or is no "
    "feature; or rows times the squared number of columns are more than 2^28.",
    remedy="Name numeric features. A feature that no split may use is declared so by a "
    "constraint: :- constraint(forbid(x1)).",
    example="slp check prior.slp data.csv -y dose   (`prior.slp` has "
    "`:- leaf(normal_linear([colour])).`)",
)
REGRESSOR_IGNORED = E434.says(
    "`normal_linear` needs the column `{name}`, which is no feature: the table lacks it, or it is "
    "ignored, the response, the event or the weight",
    "if it is ignored, take that out; :- constraint(forbid({atom})). keeps it out of splits",
)
REGRESSOR_DEFINED = E434.says(
    "`normal_linear` takes columns of the table, and `{name}` is a defined feature",
    "compute the column beforehand, and take the definition out",
)
REGRESSOR_NO_NUMBERS = E434.says(
    "`normal_linear` needs numbers, but the column `{name}` holds levels",
    "take it out of the list, or give the column as numbers",
)
REGRESSOR_CELL = E434.says(
    "`normal_linear` needs a number in every row, but the column `{name}` has none, or one above "
    "1e150, in row {row}",
    "correct the cell, leave the row out, or take the column out of the list",
)
TOO_MANY_REGRESSORS = E434.says(
    "`normal_linear` with {columns} columns is too large for {rows} rows",
    "name fewer columns, or give fewer rows",
)

E443 = Entry(
    "E443: a leaf model of one's own does not keep its promises",
    cause="A model of `slp.register_leaf_model` raises an error, lacks a method, gives numbers of "
    "another shape or none that are finite, gives a row statistics that depend on other rows, "
    "gives an empty leaf another probability than 1, or has a `log_table` that differs from its "
    "`log_marginal`.",
    remedy="Correct the model: docs/data.md has what each method gives.",
    example="slp.register_leaf_model('wrong', lambda: 0) or "
    "slp.parse(':- use(growtree). :- leaf(wrong).').posterior([[1.0], [2.0]], [0.5, 1.5])",
)
OWN_FAILS = E443.says(
    "the leaf model `{name}` fails in {method}: {reason}", "correct the model, or its numbers"
)
NO_METHOD = E443.says(
    "the leaf model `{name}` has no method `{method}`",
    "give it statistics(y), log_marginal(S) and mean(S)",
)
NO_CDF = E443.says(
    "the leaf model `{name}` has no method `cdf`, which intervals need",
    "give it cdf(S, y), the probability of a further response up to y",
)
NO_DRAWS_OF_OWN = E443.says(
    "the leaf model `{name}` does not draw its parameters, which draws of what is predicted need",
    "give it draw_parameters(S, rng), mean_of(P) and draw_outcomes(P, rng)",
)
OWN_SHAPE = E443.says(
    "`{method}` of the leaf model `{name}` does not give {want}",
    "let it give one row, or one number, for each row that it is given",
)
OWN_NOT_FINITE = E443.says(
    "`{method}` of the leaf model `{name}` gives numbers that are not finite",
    "does the model allow these responses?",
)
OWN_NOT_ADDITIVE = E443.says(
    "`statistics` of the leaf model `{name}` gives row {row} other numbers alone than with others",
    "let the statistics of a row depend on its response alone, as they are added up over rows",
)
OWN_TABLE_AXES = E443.says(
    "`log_table` of the leaf model `{name}` does not take numbers by place, from 1 to {most}",
    "let it take the largest sum of each statistic that the table is over: log_table(self, n, s)",
)
OWN_TABLE_DIFFERS = E443.says(
    "`log_table` of the leaf model `{name}` comes to {have:.10g} where `log_marginal` gives "
    "{want:.10g}, of a leaf with the statistics {of}",
    "give the table without the statistics behind those that it is over, which are added to it",
)

E444 = Entry(
    "E444: a leaf model cannot be registered, or is not",
    cause="The name is no lower-case name or that of a built-in model, what is to make the model "
    "cannot be called with numbers by place, or a saved run has a model that is not registered.",
    remedy="Give another name, and a class or function with plain parameters; register a model "
    "before its run is read.",
    example="slp.register_leaf_model('dirichlet', object)",
)
NAME_OF_OWN_MODEL = E444.says(
    "the leaf model `{name}` cannot be had: it {why}",
    "register it by slp.register_leaf_model under a lower-case name of its own",
)
BAD_OWN_MODEL = E444.says(
    "what is to make the leaf model `{name}` cannot be called with numbers by place",
    "give a class or function with plain parameters",
)

E436 = Entry(
    "E436: the declared order of classes lacks a class",
    cause="`ordinal([...])` gives the order of the classes, and the response has one more.",
    remedy="Add the class in its place.",
    example=":- use(growtree). :- response(colour, [ordinal([red, green])]).",
)
CLASS_NOT_IN_ORDER = E436.says(
    "the response `{name}` has the class `{label}`, which the declared order lacks",
    "the order is {order}: add the class in its place",
)

W410 = Entry(
    "W410: a cut of a leaf model parts no durations",
    cause="All durations of the table lie on one side of a cut of `piecewise_exponential`. In a "
    "piece behind them all the rate is as under the prior, in one before them no event can be.",
    remedy="Check the unit of the cuts, or leave such cuts out.",
    example="slp check prior.slp data.csv -y dose   (`prior.slp` has "
    "`:- leaf(piecewise_exponential(1, 1, [10, 100])).`)",
)
CUTS_PART_NOTHING = W410.says(
    "all durations lie on one side of the {cuts} of `piecewise_exponential`: they are from {least} "
    "to {most}",
    AS_REMEDY,
)
