/*  Clauses of the built-in predicates that call goals: maplist/2 to maplist/7, foldl/4 to foldl/6.

They are interpreted, because the goals can be stochastic. A program may define these predicates itself.
slp/resolution/machine/library.py has the same clauses.
*/

:- module(slp_calling, [ calling_clause/2 ]).
:- use_module(library(lists)).

%!  calling_clause(-Head, -Body) is nondet.

calling_clause(Head, Body) :-
    between(1, 6, N),
    arguments(N, Nils, Firsts, Lists, Rests),
    (   Head =.. [maplist, _|Nils],
        Body = true
    ;   Head =.. [maplist, G|Lists],
        Body = (Call, Rest),
        Call =.. [call, G|Firsts],
        Rest =.. [maplist, G|Rests]
    ).
calling_clause(Head, Body) :-
    between(1, 3, N),
    arguments(N, Nils, Firsts, Lists, Rests),
    (   with_last([foldl, _|Nils], [V, V], Head),
        Body = true
    ;   with_last([foldl, G|Lists], [V, W], Head),
        Body = (Call, Rest),
        with_last([call, G|Firsts], [V, U], Call),
        with_last([foldl, G|Rests], [U, W], Rest)
    ).

with_last(Parts, Last, Goal) :- append(Parts, Last, All), Goal =.. All.

%   N lists, their first items, and the lists behind these.

arguments(0, [], [], [], []) :- !.
arguments(N, [[]|Nils], [X|Xs], [[X|L]|Ls], [L|Rs]) :-
    N1 is N-1,
    arguments(N1, Nils, Xs, Ls, Rs).
