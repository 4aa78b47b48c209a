/*  Sizes of terms that SWI-Prolog copies out of its stacks.

A term shares its equal parts: by n bindings a small program makes a term of 2^n parts. Copies outside the
stacks (stored goals, results, solutions of findall/3) share nothing, so no limit of the stacks holds for
them. fits/1 refuses a copy before it is made. Shared parts are counted once and weighed, so a count takes
time proportional to the term's memory.
*/

:- module(slp_sizes, [ allow_copies/2, copied/1, fits/1 ]).

%!  allow_copies(+Largest, +Most) is det.
%
%   From now on, a copy may have at most Largest parts, and all together at most Most.

allow_copies(Largest, Most) :-
    nb_setval(slp_copies, copies(Largest, Most, 0)).

%!  copied(-Parts) is det.
%
%   Parts copied since allow_copies/2.

copied(Parts) :-
    nb_getval(slp_copies, copies(_, _, Parts)).

%!  fits(@Term) is det.
%
%   Count a copy of Term. Throws slp_large(Largest) or slp_copies at a limit.

fits(Term) :-
    parts(Term, Parts),
    nb_getval(slp_copies, Copies),
    Copies = copies(Largest, Most, Before),
    Now is Before+Parts,
    (   Parts > Largest
    ->  throw(slp_large(Largest))
    ;   Now > Most
    ->  throw(slp_copies)
    ;   nb_setval(slp_copies, copies(Largest, Most, Now))
    ).

%   The number of parts, at most about 10^9. A term without shared parts is only measured in cells: a part
%   takes one and a half on average. '$factorize_term'/3 changes the term until it is backtracked over.

parts(Term, Parts) :-
    (   compound(Term)
    ->  findall(N, weight(Term, N), [Parts])
    ;   Parts = 1
    ).

weight(Term, Parts) :-
    '$factorize_term'(Term, Skeleton, Shared),
    (   Shared == []
    ->  term_size(Skeleton, Cells),
        Parts is Cells*2//3
    ;   weighed(Shared),
        count(Skeleton, 0, Parts)
    ).

weighed([]).
weighed([V=Term|Shared]) :-
    V = 'slp shared part'(_, Term),
    weighed(Shared).

count(Term, N0, N) :-
    (   \+ compound(Term)
    ->  N is N0+1
    ;   Term = 'slp shared part'(Weight, Part)
    ->  (   var(Weight)
        ->  count(Part, 0, Weight0),
            Weight is min(Weight0, 1_000_000_000)
        ;   true
        ),
        N is N0+Weight
    ;   functor(Term, _, Arity),
        N1 is N0+1,
        count_arguments(Arity, Term, N1, N)
    ).

count_arguments(I, Term, N0, N) :-
    (   I > 1
    ->  arg(I, Term, Part),
        count(Part, N0, N1),
        I1 is I-1,
        count_arguments(I1, Term, N1, N)
    ;   I =:= 1
    ->  arg(1, Term, Part),
        count(Part, N0, N)
    ;   N = N0
    ).
