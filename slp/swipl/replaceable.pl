/*  Built-in predicates on integers and texts that a program may define itself, with the bounds and errors of
slp/resolution/machine/replaceable.py.

The limits of a query hold for inferences and stacks. Atoms are stored elsewhere, so each character of a new
atom costs a part of an inference here.
*/

:- module(slp_replaceable, []).
:- use_module(library(error)).

:- redefine_system_predicate(succ(_, _)).
:- redefine_system_predicate(plus(_, _, _)).
:- redefine_system_predicate(atom_codes(_, _)).
:- redefine_system_predicate(number_codes(_, _)).
:- redefine_system_predicate(sub_atom(_, _, _, _, _)).

numlist(Low, High, Numbers) :- lists:numlist(Low, High, Numbers).

succ(X, Y) :- system:succ(X, Y), bounded(Y).

plus(X, Y, Z) :- system:plus(X, Y, Z), bounded(X), bounded(Y), bounded(Z).

bounded(0) :- !.
bounded(X) :- msb(abs(X)) < 8192, !.
bounded(_) :- throw(error(slp(integer_overflow), _)).

atom_codes(Atom, Codes) :-
    var(Atom),
    !,
    characters(Codes, 65536),
    system:atom_codes(Atom, Codes).
atom_codes(Atom, Codes) :-
    text(Atom, Text),
    system:atom_codes(Text, Codes).

number_codes(Number, Codes) :-
    var(Number),
    !,
    characters(Codes, 1000),
    system:number_codes(Value, Codes),
    (   ( integer(Value) ; float(Value), Value =:= Value )
    ->  Number = Value
    ;   throw(error(syntax_error(illegal_number), _))
    ).
number_codes(Number, Codes) :-
    must_be(number, Number),
    text(Number, Text),
    system:atom_codes(Text, Codes).

%   The text of an atom, a string or a number. Exponents have no `+` and no zeros before them.

text(Number, Text) :-
    float(Number),
    format(atom(Written), '~w', [Number]),
    atomic_list_concat([Fraction, Exponent0], e, Written),
    !,
    atom_number(Exponent0, Exponent),
    atomic_list_concat([Fraction, e, Exponent], Text).
text(Atom, Atom).

characters(Codes, Longest) :-
    must_be(list, Codes),
    length(Codes, N),
    ( N =< Longest -> true ; domain_error(at_most(Longest), N) ),
    all_characters(Codes).

all_characters([]).
all_characters([C|Cs]) :-
    must_be(nonvar, C),
    ( character(C) -> true ; type_error(character_code, C) ),
    all_characters(Cs).

character(C) :- integer(C), !, C > 0, C =< 0x10FFFF, \+ between(0xD800, 0xDFFF, C).
character(C) :- atom(C), atom_length(C, 1).

sub_atom(Atom, Before, Length, After, Part) :-
    nonvar(Part),
    !,
    text(Atom, Text),
    text(Part, PartText),
    system:sub_atom(Text, Before, Length, After, PartText).
sub_atom(Atom, Before, Length, After, Part) :-
    text(Atom, Text),
    system:sub_atom(Text, Before, Length, After, Part),
    atom_length(Part, N),
    pay(N).

%   Take an inference for each eight characters.

pay(N) :- N < 8, !.
pay(N) :- N1 is N-8, pay(N1).
