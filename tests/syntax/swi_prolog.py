"""What SWI-Prolog reads: the terms of texts and files, as flat token lists that compare exactly.

A term is the list of its nodes in preorder: `atom <codes>`, `struct <codes> <arity>`,
`text <codes>`, `int <n>`, `float <x>`, `var <k>` (the k-th variable met), `nil` for the empty list.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from slp.terms import Atom, Number, Struct, Term, Text, Var

READER = r"""
:- op(1150, xfx, ::).

main :-
    current_prolog_flag(argv, [Mode | Args]),
    ( Mode == texts -> forall(text(Codes), read_text(Codes)) ; maplist(read_file, Args) ).

read_text(Codes) :-
    string_codes(String, Codes),
    open_string(String, Stream),
    catch(( read_term(Stream, Term, [module(user)]),
            read_term(Stream, Rest, [module(user)]),
            ( Rest == end_of_file -> show(Term) ; writeln(error) ) ),
          error(_, _), writeln(error)).

read_file(Path) :-
    open(Path, read, Stream, [encoding(utf8)]),
    repeat,
    read_term(Stream, Term, [module(user)]),
    ( Term == end_of_file -> !, close(Stream)
    ; ( Term = (:- op(P, T, N)) -> op(P, T, user:N) ; true ), show(Term), fail ).

show(Term) :-
    copy_term(Term, Copy),
    b_setval(next, 0),
    show_nodes([Copy]),
    nl.

show_nodes([]).
show_nodes([T | Ts]) :-
    ( var(T) -> b_getval(next, K), T = '$seen'(K), K1 is K + 1, b_setval(next, K1),
                format("var ~d|", [K]), show_nodes(Ts)
    ; T = '$seen'(K) -> format("var ~d|", [K]), show_nodes(Ts)
    ; T == [] -> format("nil|"), show_nodes(Ts)
    ; integer(T) -> format("int ~d|", [T]), show_nodes(Ts)
    ; float(T) -> format("float ~w|", [T]), show_nodes(Ts)
    ; string(T) -> string_codes(T, Codes), format("text ~w|", [Codes]), show_nodes(Ts)
    ; atom(T) -> atom_codes(T, Codes), format("atom ~w|", [Codes]), show_nodes(Ts)
    ; T =.. [Name | Args], atom_codes(Name, Codes), length(Args, Arity),
      format("struct ~w ~d|", [Codes, Arity]), append(Args, Ts, Rest), show_nodes(Rest)
    ).

:- initialization(main, main).
"""


def nodes(term: Term) -> list[str]:
    """A term of ours in the same form."""
    seen: dict[Var, int] = {}
    return list(_nodes(term, seen))


def _nodes(term: Term, seen: dict[Var, int]) -> Iterator[str]:
    stack = [term]
    while stack:
        match stack.pop():
            case Atom("[]"):
                yield "nil"
            case Atom(name):
                yield f"atom {_codes(name)}"
            case Var() as variable:
                yield f"var {seen.setdefault(variable, len(seen))}"
            case Number(int(value)):
                yield f"int {value}"
            case Number(value):
                yield f"float {value!r}"
            case Text(value):
                yield f"text {_codes(value)}"
            case Struct(name, args):
                yield f"struct {_codes(name)} {len(args)}"
                stack.extend(reversed(args))


def _codes(text: str) -> str:
    return "[" + ",".join(str(ord(c)) for c in text) + "]"


def _parsed(line: str) -> list[str] | None:
    if line == "error":
        return None
    return [_same_float(node) for node in line.removesuffix("|").split("|")]


def _same_float(node: str) -> str:
    kind, _, value = node.partition(" ")
    return (
        f"float {float(value.replace('1.0Inf', 'inf').replace('1.5NaN', 'nan'))!r}"
        if kind == "float"
        else node
    )


def read_texts(swipl: str, texts: Iterable[str], folder: Path) -> list[list[str] | None]:
    """What `read_term` makes of each text; None for a syntax error or more than one term."""
    facts = "".join(f"text({_codes(text)}).\n" for text in texts)
    return [_parsed(line) for line in _run(swipl, facts, ["texts"], folder)]


def read_file(swipl: str, path: Path, folder: Path) -> list[list[str] | None]:
    """All terms of a file, `op/3` directives obeyed."""
    return [_parsed(line) for line in _run(swipl, "", ["file", str(path)], folder)]


def _run(swipl: str, facts: str, arguments: list[str], folder: Path) -> list[str]:
    script = folder / "reader.pl"
    script.write_text(READER + facts, encoding="utf-8")
    run = subprocess.run(
        [swipl, str(script), "--", *arguments], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()
