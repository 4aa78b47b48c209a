"""Programs that try to break out, and the commands that they are put through.

Each escape is some text and a goal. From it are made a program of ordinary clauses and one of
tree rules. Both call the goal as a term that is only known when it is called; another pair calls
it as it stands, and another uses the first. None may make the file `canary` appear, nor change the
answers of the clauses around it.

`tests/security/test_escapes.py` runs a part of the matrix in one process,
`python -m tests.security.matrix` all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["COMMANDS", "ESCAPES", "PLACES", "Command", "Escape", "write"]


@dataclass(frozen=True)
class Escape:
    """Text of a program, with CANARY for the file that must not appear, SHELL for a goal that would
    make it, LIB for a Prolog file that would; and a goal."""

    name: str
    text: str = ""
    goal: str = "true"


SHELL = "shell('touch CANARY')"
CODE = f"native(':'(system, {SHELL}), return)"
OTHER_CODE = f"native(':'(slp_program_0, {SHELL}), return)"

#: What holds the engine's own facts, or did, by names that a program can write.
_FACTS = {
    "continuation of a logical predicate": f"'$slp go'(z, _, {CODE}).",
    "one of a stochastic predicate": f"'$slp r'(z, 0, 1.0, {CODE}).",
    "one of a tree rule": f"'$slp way'(_, _, z, _, {CODE}). '$slp grow'(_, _, z, _, {CODE}).",
    "part of a clause": f"'$slp part 0' :- true. '$slp part 1'(_). '$slp part 0'({CODE}).",
    "names that are made": "".join(
        f"f{i}(z, _, {CODE}). f{i}(z, 0, 1.0, {CODE}). n{i}(_). n{i}.\n" for i in range(1, 9)
    ),
    "records of the engine": f"kind(_, shell, 1, native). source(_, 0, none, go(z), {SHELL}).",
    "leave to run code": "option(_, allow_code). allowed(_, allow_code). allow_code.",
    "the allow-list": "built_in(shell, 1, system). built_in(shell, 1). native(_, shell, 1).",
    "the gate": "permitted(_, _). must_be_permitted(_, _). check_safe(_). safe_goal(_).",
    "names of predicates": "made(_, attack, 0, halt). facts(_, user). own_goal(_, _, halt).",
    "parameters": "parameter(_, shell, 1). set_parameter(_, _, _). constant(cputime).",
    "the interpreter": f"solve({CODE}, _, _, _, _, _). run(_). exit(_, _, {CODE}, _, _, _, _).",
    "goals put down": f"kept(0, 0, {CODE}). trie_of(_, _). start({CODE}, _).",
    "names of variables": "'$slp_variable'(1). '$VAR'(1). v('$slp_variable'(a), '$VAR'('X')).",
}

#: Hooks of SWI-Prolog's.
_HOOKS = (
    "term_expansion(_, _)",
    "goal_expansion(_, _)",
    "term_expansion(_, _, _, _)",
    "portray(_)",
    "exception(_, _, _)",
    "prolog_exception_hook(_, _, _, _, _)",
    "message_hook(_, _, _)",
    "prolog_load_file(_, _)",
    "attr_unify_hook(_, _)",
    "attribute_goals(_)",
    "initialization(_)",
    "main",
    "expand_query(_, _, _, _)",
    "sandbox_safe_primitive(_)",
    "'$set_source_module'(_)",
    "library_directory(_)",
    "file_search_path(_, _)",
    "eval_arith(_, _)",
)

#: Heads that could stand for something else than a predicate of the program.
_HEADS = (
    "':'(user, shell(_))",
    "':'(user, goal_expansion(_, halt))",
    "':'(system, foo(1))",
    "':'(slp_boundary, option(_, allow_code))",
    "':'(slp_boundary, built_in(shell, 1, system))",
    "':'(slp_engine, kind(_, shell, 1, native))",
    "':-'(go(z), shell('touch CANARY'))",
    "'-->'(go(z), shell)",
    "'[|]'(user, [])",
    "'[]'(_)",
    "'{}'(_)",
    "'|'(_, _)",
    "'::'(0.5, go(z))",
    "'$slp r'",
    "call(_)",
    "'@'(_, _)",
    "append(_, _, _)",
    "member(_, _)",
    "shell(_)",
    "prolog(_)",
    "halt",
)

#: Directives that SWI-Prolog would run, and those of slp that run code or read files.
_DIRECTIVES = (
    "initialization({shell})",
    "initialization({shell}, main)",
    "{shell}",
    "system:{shell}",
    "use_module(library(shell))",
    "dynamic(shell/1)",
    "multifile(user:portray/1)",
    "op(200, xfy, foo)",
    "set_prolog_flag(double_quotes, atom)",
    "module(user, [])",
    "include('LIB')",
    "ensure_loaded('LIB')",
    "consult('LIB')",
    "use('LIB')",
    "use('evil.pl')",
    "table(go/1)",
    'constraint(python("os:system"))',
    'constraint(python("evil:go"))',
    "constraint(prolog({shell}))",
    'constraint(prolog("evil.pl":go))',
    "param(a, {shell})",
    "start({shell})",
    "use(edittree, [tree = '/etc/passwd'])",
    "use(growtree, [alpha = {shell}])",
)

#: Goals, each of which would make the canary, or help another to.
_GOALS = (
    "{shell}",
    "system:{shell}",
    "user:{shell}",
    "lists:{shell}",
    "slp_engine:{shell}",
    "call(system:{shell})",
    "call(system:shell, 'touch CANARY')",
    "call(shell, 'touch CANARY')",
    "call(call, {shell})",
    "call(call(call), {shell})",
    "call([X]>>shell(X), 'touch CANARY')",
    "@({shell}, user)",
    "@(user:{shell}, system)",
    "M = system, call(M:{shell})",
    "G = (true, {shell}), G",
    "G = (true ; {shell}), call(G)",
    "G = (fail ; system:{shell}), findall(x, G, _)",
    "findall(x, {shell}, _)",
    "findall(x, {shell}, _, _)",
    "forall({shell}, true)",
    "forall(true, {shell})",
    "\\+ {shell}",
    "\\+ \\+ {shell}",
    "once({shell})",
    "ignore({shell})",
    "( {shell} -> true ; true )",
    "( {shell} *-> true ; true )",
    "S = shell, G =.. [S, 'touch CANARY'], call(G)",
    "G =.. [:, system, {shell}], call(G)",
    "functor(G, shell, 1), arg(1, G, 'touch CANARY'), G",
    "copy_term({shell}, G), G",
    "length(L, 1), L = ['touch CANARY'], G =.. [shell | L], once(G)",
    "not({shell})",
    "catch({shell}, _, true)",
    "call_cleanup(true, {shell})",
    "setup_call_cleanup({shell}, true, true)",
    "maplist(shell, ['touch CANARY'])",
    "foldl([X, Y, Y]>>shell(X), ['touch CANARY'], 0, _)",
    "apply(shell, ['touch CANARY'])",
    "aggregate_all(count, {shell}, _)",
    "freeze(X, {shell}), X = 1",
    "when(nonvar(X), {shell}), X = 1",
    "put_attr(X, user, {shell}), X = 1",
    "dif(a, b)",
    "assertz((go(z) :- {shell}))",
    "asserta(user:portray(_))",
    "retract(go(_))",
    "abolish(go/1)",
    "recordz(slp_found, proof({code}))",
    "recordz(slp_put_down, start({code}, x))",
    "nb_setval(x, {shell})",
    "b_setval(x, 1)",
    "flag(slp_module, _, 0)",
    "consult('LIB')",
    "['LIB']",
    "load_files('LIB', [])",
    "use_module('LIB')",
    "open('CANARY', write, _)",
    "tell('CANARY')",
    'format("~@", [{shell}])',
    "with_output_to(string(_), {shell})",
    "print_message(error, format('x', []))",
    "read_term(_, [])",
    "term_to_atom(G, 'shell(\\'touch CANARY\\')'), G",
    "term_string(G, \"shell('touch CANARY')\"), G",
    "G = \"shell('touch CANARY')\", G",
    "process_create(path(touch), ['CANARY'], [])",
    "py_call(os:system('touch CANARY'))",
    "janus:py_call(os:system('touch CANARY'))",
    "thread_create({shell})",
    "set_prolog_flag(occurs_check, false)",
    "op(700, xfx, foo)",
    "halt",
    "getenv('HOME', _)",
    "prolog({shell})",
    "prolog(system:{shell})",
    "G = prolog({shell}), G",
    "slp_boundary:run(user:{shell})",
    "slp_boundary:blamed(1, {shell})",
    "slp_boundary:forget_program(slp_program_0)",
    "slp_engine:slp_consult('LIB', _)",
    "slp_engine:solve({code}, [], 0, [], search, _)",
    "slp_arithmetic:set_parameter(_, _, _)",
    "native(system:{shell}, return)",
    "call({code})",
    "n1",
    "f1(_, _, _)",
    "blamed(1, {shell})",
    "X is {shell}",
    "X is cputime + random(5) + random_float",
    "E = {shell}, X is E + 1",
    "E = cputime, X is E",
    "sum_list([{shell}, cputime], X)",
    "{shell} < 1",
    "X is 2 ** (2 ** 60)",
    "go({shell})",
    "member(X, [{shell}]), X",
    "nth0(0, [{shell}], X), call(X)",
    "G = 'system:shell'('touch CANARY'), G",
    "':'(system, {shell})",
    "','(true, {shell})",
    "','({shell}, true)",
    "G = {{{shell}}}, G",
    "G = [{shell}], call(G)",
    "G = '$slp go'(X, _, _), G",
)


def _made() -> Iterator[Escape]:
    for name, text in _FACTS.items():
        yield Escape(name, text)
    for head in _HOOKS:
        yield Escape(f"hook {head}", f"{head} :- attack.\n{head}.")
    for head in _HEADS:
        yield Escape(f"head {head}", f"{head}.", head.replace("_", "x"))
    for directive in _DIRECTIVES:
        text = directive.format(shell=SHELL)
        yield Escape(f"directive {directive}", f":- {text}.")
    for goal in _GOALS:
        yield Escape(f"goal {goal}", goal=goal.format(shell=SHELL, code=CODE))
    yield Escape("label", f"{SHELL} :: r(c).")
    yield Escape("label that is a goal", f"call({SHELL}) :: r(c).")
    yield Escape("arithmetic in a label", "cputime :: r(c).")
    yield Escape("clause of the expansion", "grown(_, _, x). way(_, _, _). pick(_, _). prior(x).")
    yield Escape("continuation as data", f"data({CODE}). data({OTHER_CODE}).", "data(K), call(K)")


ESCAPES = tuple(_made())

#: Clauses around the text; what they mean must not change.
_CLAUSES = """\
0.5 :: r(a). 0.5 :: r(b).
go(X) :- r(X).
1 :: certain.
"""
_ATTACKS = """\
attack :- HiddenGoal = ({goal}), call(HiddenGoal).
attack(later) :- HiddenGoal = ({goal}), call(HiddenGoal).
attack(drawn) :- certain, HiddenGoal = ({goal}), HiddenGoal.
attack(deep) :- certain, HiddenGoal = ({goal}), findall(x, HiddenGoal, _).
"""
_DIRECT_ATTACKS = """\
attack :- {goal}.
attack(drawn) :- certain, {goal}.
"""
_RULES = """\
:- start(t(0)).
:- param(share, 0.5).
:- support(max_depth(1)).
share :: t(D) --> { attempt(D) }, split(_, _), t(D+1), t(D+1).
1 - share :: t(_) --> leaf.
attempt(_).
attempt(_) :- attack.
attempt(D) :- D > 0, HiddenGoal = ({goal}), call(HiddenGoal).
"""

TABLE = "age,dose,y\n1,5,a\n2,5,a\n3,6,b\n4,7,b\n5,5,a\n6,7,b\n"


@dataclass(frozen=True)
class Command:
    """Words of a command, with CLAUSES and RULES for the programs, DATA and GOALS for tables."""

    words: str

    def arguments(self, folder: Path, place: str) -> list[str]:
        """What a shell would pass for the programs of `write` in a folder."""
        names = {"CLAUSES": f"clauses{place}.slp", "RULES": f"rules{place}.slp"}
        names |= {"DATA": "table.csv", "GOALS": "goals.slp"}
        words = self.words.split(" ")
        return [str(folder / names[w]) if w in names else w.replace("~", " ") for w in words]


_ALL = "go(X)~;~attack,~X~=~z~;~attack(X)"
_PROLOG = "--engine prolog"
COMMANDS = tuple(
    map(
        Command,
        (
            "check CLAUSES",
            "check RULES DATA",
            f"query CLAUSES {_ALL} {_PROLOG}",
            "query CLAUSES go(X)",
            f"query CLAUSES go(X) {_PROLOG}",
            f"query CLAUSES {_ALL}",
            f"query CLAUSES {_ALL} --draws 2 --failure backtracking --seed 1 {_PROLOG}",
            f"query CLAUSES attack(X) --proposal q_uc --draws 4 --warmup 2 --seed 1 {_PROLOG}",
            f"query CLAUSES go(X) --log-likelihood attack,~LogLikelihood~=~0 --draws 4 {_PROLOG}",
            f"slp-sample RULES DATA -n 4 --warmup 2 --chains 1 --seed 1 {_PROLOG}",
            "slp-sample RULES DATA -n 4 --seed 1",
            f"prior RULES DATA -n 4 --warmup 2 --chains 1 --seed 1 {_PROLOG}",
            "map RULES DATA",
            f"map RULES DATA --warmup 2 --chains 1 {_PROLOG}",
            f"predict RULES DATA DATA --warmup 2 --chains 1 {_PROLOG}",
            "learn CLAUSES GOALS",
            "learn RULES DATA --iterations 1",
            "expand CLAUSES",
            "expand RULES DATA",
            "explain CLAUSES",
            "explain RULES DATA",
            "fmt CLAUSES",
            "fmt RULES",
        ),
    )
)

#: Where the escape stands: in the program, in a file that the program uses, in the program with its
#: goal as it is, which the checker mostly refuses.
PLACES = ("", "_using", "_direct")


def write(escape: Escape, folder: Path) -> Path:
    """Write the programs of an escape, a table and the traps; returns the path of the canary."""
    canary = folder / "canary"

    def filled(text: str) -> str:
        said = text.replace("{goal}", escape.goal)
        return said.replace("CANARY", str(canary)).replace("LIB", str(folder / "evil.pl"))

    attack, direct = _ATTACKS, _DIRECT_ATTACKS
    files = {
        "clauses.slp": f"{escape.text}\n{_CLAUSES}{attack}",
        "clauses_using.slp": ":- use('clauses.slp').\n",
        "clauses_direct.slp": f"{escape.text}\n{_CLAUSES}{direct}",
        "rules.slp": f"{escape.text}\n{_RULES}{attack.partition('attack(')[0]}",
        "rules_using.slp": ":- use('rules.slp').\n",
        "rules_direct.slp": f"{escape.text}\n{_RULES}{direct.partition('attack(')[0]}",
        "goals.slp": "go(a).\ngo(b).\n",
        "table.csv": TABLE,
        "evil.pl": f":- initialization({SHELL}).\ngo(_) :- {SHELL}.\n",
        "evil.py": "import pathlib\npathlib.Path('CANARY').touch()\ngo = bool\n",
    }
    for name, text in files.items():
        (folder / name).write_text(filled(text))
    return canary
