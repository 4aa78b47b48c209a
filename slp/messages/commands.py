"""E7xx: commands and queries, their options and files."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E701 = Entry(
    "E701: a file cannot be written",
    cause="The file that `--output` names cannot be written.",
    remedy="Name a file in a folder that exists and that you may write to.",
    example="slp-sample growtree data.csv --output /no/such/folder/run.json",
)
FILE_NOT_WRITTEN = E701.says(
    "cannot write {path}: {reason}", "choose a file in a folder that exists"
)

E702 = Entry(
    "E702: a file is there already",
    cause="`slp new` would write over a file.",
    remedy="Name another file, or add `--force` if the old one may be lost.",
    example="slp new data.csv -o prior.slp",
)
FILE_IS_THERE = E702.says("{path} is there already, and is kept", AS_REMEDY)

E703 = Entry(
    "E703: the line of the cell magic is not one",
    cause="Behind `%%slp` stands something other than a name and values of parameters.",
    remedy="Write a name for the program, then parameters: `%%slp prior alpha=0.9`.",
    example="%%slp my prior alpha   (in a notebook)",
)
WRONG_MAGIC = E703.says("`%%slp {line}` is no name with parameters", AS_REMEDY)

E720 = Entry(
    "E720: a number is not one that a query takes",
    cause="An option of a query takes numbers from 0 up, some of them whole numbers only.",
    remedy="Give a number in the range that the help line names.",
    example="coin.query('coin(X)', best=-1)",
)
NO_NUMBER_FROM_0 = E720.says("`{option}` cannot be {value!r}", "give a number from 0 up")
NOT_A_WHOLE_NUMBER = E720.says("`{option}` cannot be {value!r}", "give a whole number from 0 up")

E721 = Entry(
    "E721: there is no such way to treat failed draws",
    cause="`failure` of a query names no way to treat draws that fail.",
    remedy="Take one of the ways that the help line lists.",
    example="coin.draw('coin(X)', failure='retry')",
)
NO_FAILURE_OF_DRAWS = E721.says(
    "there is no way `{failure}` to treat failed draws", "there are {known}"
)

E722 = Entry(
    "E722: there is no such engine for queries",
    cause="`engine` names no engine that answers queries.",
    remedy="Take one of the engines that the help line lists.",
    example="coin.query('coin(X)', engine='mh')",
)
NO_ENGINE_FOR_QUERIES = E722.says("there is no engine `{engine}` for queries", "there are {known}")

E723 = Entry(
    "E723: an option has no meaning for this way to answer",
    cause="A query is answered by search, draws or chains, and the option belongs to another.",
    remedy="Leave it out, or ask in the way that the help line names.",
    example="slp query coin.slp 'coin(X)' --chains 4",
)
_NOT_TAKEN = "{way} does not take --{name}"
OPTION_OF_SEARCH = E723.says(_NOT_TAKEN, "leave it out")
OPTION_OF_DRAWS = E723.says(_NOT_TAKEN, "leave it out, or ask for draws, as with --draws 100")
OPTION_OF_CHAINS = E723.says(
    _NOT_TAKEN, "leave it out, or sample by Metropolis-Hastings, as with --proposal q_uc"
)
OPTION_OF_TREES = E723.says(_NOT_TAKEN, "leave it out, or ask trees of a table, with --data")
OPTION_OF_PROOFS = E723.says(
    _NOT_TAKEN, "leave it out: conditions are written into the goal, and Python has all options"
)
FAILURE_IN_CHAIN = E723.says(
    _NOT_TAKEN, "leave it out: where a proposal fails, the chain stays where it is"
)

E724 = Entry(
    "E724: code would run",
    cause="An option names a Python function, and code does not run unless you allow it.",
    remedy="Add `--allow-code`, if you trust the function.",
    example="slp query coin.slp 'coin(X)' --proposal q_uc --log-likelihood scores:score",
)
FUNCTION_REFUSED = E724.says(
    "{function} runs code, and is refused", "allow it with --allow-code, if you trust it"
)

E725 = Entry(
    "E725: there is no such folder",
    cause="`--include` (`include` in Python) names something that is no folder.",
    remedy="Name a folder that programs and trees are taken from.",
    example="slp.load('prior.slp', include='no_such_folder')",
)
NO_FOLDER = E725.says("`{folder}` is no folder", AS_REMEDY)

E726 = Entry(
    "E726: a goal is no text",
    cause="A goal of a query is Prolog text, and something else was given.",
    remedy="Give one text; join several goals by commas.",
    example="coin.query('coin(X)', given=['X = h', 'X = t'])",
)
GOAL_IS_NO_TEXT = E726.says(
    "`{option}` cannot be {value}: it is Prolog text",
    "give one text; join several goals by commas, as in 'X = h, Y = t'",
)

E740 = Entry(
    "E740: the language server needs pygls",
    cause="`slp lsp` talks with editors by pygls, which is not installed with the toolkit.",
    remedy="Install it: `pip install pygls`, or the toolkit with its extra `lsp`.",
    example="slp lsp   (without pygls)",
)
NO_PYGLS = E740.says(
    "the language server needs pygls, which is not installed", "install it: `pip install pygls`"
)
