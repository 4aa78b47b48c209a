"""Library predicates that are clauses: append/3, member/2, memberchk/2, select/3, last/2.

A program may redefine them, as in SWI-Prolog. None calls another, so that a program that redefines
one changes no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine.clauses import PreparedPredicate
from slp.terms import NIL, Atom, Struct, Term, Var

_X, _Y, _L, _S, _T, _U = (Var(name) for name in "XYLSTU")


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
    return {(p.name, p.arity): p for p in made}


def _args(clause: ir.LogicClause) -> tuple[Term, ...]:
    head = clause.head
    assert isinstance(head, Struct)
    return head.args
