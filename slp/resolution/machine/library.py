"""Library predicates that are clauses: append/3, member/2, memberchk/2, select/3, last/2, and
maplist/2 to maplist/7, foldl/4 to foldl/6.

A program may redefine them, as in SWI-Prolog. None calls another, so that a program that redefines
one changes no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine.clauses import PreparedPredicate
from slp.terms import NIL, Atom, Struct, Term, Var

_G, _L, _T, _U, _V, _W, _X, _Y = (Var(name) for name in "GLTUVWXY")

_MOST_MAPPED = 6  # lists of a maplist

_MOST_FOLDED = 3  # lists of a foldl


def _cons(head: Term, tail: Term) -> Term:
    return Struct("[|]", (head, tail))


def _clause(name: str, *args: Term, body: Term | None = None) -> ir.LogicClause:
    return ir.LogicClause(Struct(name, args), body, None)


@cache
def library() -> Mapping[tuple[str, int], PreparedPredicate]:
    """The predicates, prepared once."""
    predicates = {
        "append": [  # append([], L, L).  append([X|T], L, [X|U]) :- append(T, L, U).
            _clause("append", NIL, _L, _L),
            _clause(
                "append", _cons(_X, _T), _L, _cons(_X, _U), body=Struct("append", (_T, _L, _U))
            ),
        ],
        "member": [  # member(X, [X|_]).  member(X, [_|T]) :- member(X, T).
            _clause("member", _X, _cons(_X, _T)),
            _clause("member", _X, _cons(_Y, _T), body=Struct("member", (_X, _T))),
        ],
        "memberchk": [  # memberchk(X, [X|_]) :- !.  memberchk(X, [_|T]) :- memberchk(X, T).
            _clause("memberchk", _X, _cons(_X, _T), body=Atom("!")),
            _clause("memberchk", _X, _cons(_Y, _T), body=Struct("memberchk", (_X, _T))),
        ],
        "select": [  # select(X, [X|T], T).  select(X, [Y|T], [Y|U]) :- select(X, T, U).
            _clause("select", _X, _cons(_X, _T), _T),
            _clause(
                "select", _X, _cons(_Y, _T), _cons(_Y, _U), body=Struct("select", (_X, _T, _U))
            ),
        ],
        "last": [  # last([X], X).  last([_|T], X) :- last(T, X).
            _clause("last", _cons(_X, NIL), _X),
            _clause("last", _cons(_Y, _T), _X, body=Struct("last", (_T, _X))),
        ],
    }
    made = [PreparedPredicate(n, len(_args(cs[0])), cs) for n, cs in predicates.items()]
    made += [_maplist(lists) for lists in range(1, _MOST_MAPPED + 1)]
    made += [_foldl(lists) for lists in range(1, _MOST_FOLDED + 1)]
    return {(p.name, p.arity): p for p in made}


def _maplist(count: int) -> PreparedPredicate:
    """maplist(_, []).  maplist(G, [X|L]) :- call(G, X), maplist(G, L).  And for more lists."""
    firsts, rests = _variables("X", count), _variables("L", count)
    lists = map(_cons, firsts, rests)
    call, rest = Struct("call", (_G, *firsts)), Struct("maplist", (_G, *rests))
    clauses = [
        _clause("maplist", _G, *[NIL] * count),
        _clause("maplist", _G, *lists, body=Struct(",", (call, rest))),
    ]
    return PreparedPredicate("maplist", count + 1, clauses, indexed=1)


def _foldl(count: int) -> PreparedPredicate:
    """foldl(_, [], V, V).  foldl(G, [X|L], V, W) :- call(G, X, V, U), foldl(G, L, U, W)."""
    firsts, rests = _variables("X", count), _variables("L", count)
    lists = map(_cons, firsts, rests)
    call, rest = Struct("call", (_G, *firsts, _V, _U)), Struct("foldl", (_G, *rests, _U, _W))
    clauses = [
        _clause("foldl", _G, *[NIL] * count, _V, _V),
        _clause("foldl", _G, *lists, _V, _W, body=Struct(",", (call, rest))),
    ]
    return PreparedPredicate("foldl", count + 3, clauses, indexed=1)


def _variables(name: str, count: int) -> list[Var]:
    return [Var(f"{name}{i}") for i in range(count)]


def _args(clause: ir.LogicClause) -> tuple[Term, ...]:
    head = clause.head
    assert isinstance(head, Struct)
    return head.args
