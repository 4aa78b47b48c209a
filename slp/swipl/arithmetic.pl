/*  Arithmetic of programs under SWI-Prolog: only the functions of slp/resolution/machine/functions.py, with the
same bounds on results.

SWI-Prolog's `is` also evaluates random numbers, clocks, and integers that fill the memory. So this file
evaluates expressions one function at a time. A term that is bound at run time is an expression too.
SWI-Prolog directly evaluates only short expressions of small numbers, which cannot become large.

Faults are thrown as slp_fault(Formal, Clause), with the codes of slp/resolution/machine/arithmetic.py.
*/

:- module(slp_arithmetic,
          [ small_sum/1, small_expression/1, numbers/2, small_numbers/2, comparison/1, value/4,
            set_parameter/3, forget_parameters/1, known_values/3
          ]).
:- use_module(library(error)).
:- use_module(library(lists)).

:- dynamic parameter/3.     % parameter(Module, Name, Value)

comparison(=:=).
comparison(=\=).
comparison(<).
comparison(>).
comparison(=<).
comparison(>=).

                 /*******************************
                 *   EXPRESSIONS LEFT AS THEY ARE *
                 *******************************/

%!  small_sum(@Expression) is semidet.
%!  small_expression(@Expression) is semidet.
%
%   A sum of products of at most sixteen variables and numbers of 60 bits; a small expression also has
%   other functions whose values are not large. Values are below 2^960, which integers and floats can
%   hold. So a sum has no error, and an expression only a division by zero.

small_sum(E) :- small(E, sum, 16, _).

small_expression(E) :- small(E, any, 16, _).

small(E, _, N0, N) :- var(E), !, N0 > 0, N is N0-1.
small(E, _, N0, N) :- number(E), !, small(E), N0 > 0, N is N0-1.
small(A+B, How, N0, N) :- small(A, How, N0, N1), small(B, How, N1, N).
small(A-B, How, N0, N) :- small(A, How, N0, N1), small(B, How, N1, N).
small(A*B, How, N0, N) :- small(A, How, N0, N1), small(B, How, N1, N).
small(-A, How, N0, N) :- small(A, How, N0, N).
small(A/B, any, N0, N) :- small(A, any, N0, N1), small(B, any, N1, N).
small(A//B, any, N0, N) :- small(A, any, N0, N1), small(B, any, N1, N).
small(A mod B, any, N0, N) :- small(A, any, N0, N1), small(B, any, N1, N).
small(min(A, B), any, N0, N) :- small(A, any, N0, N1), small(B, any, N1, N).
small(max(A, B), any, N0, N) :- small(A, any, N0, N1), small(B, any, N1, N).
small(abs(A), any, N0, N) :- small(A, any, N0, N).

small(E) :- E =< 0x1000000000000000, E >= -0x1000000000000000.

%!  numbers(+Variables, -Goal) is det.
%!  small_numbers(+Variables, -Goal) is det.
%
%   Goal is true if the variables are numbers, or numbers as above.

numbers([], true).
numbers([V], number(V)) :- !.
numbers([V|Vs], (number(V), Test)) :- numbers(Vs, Test).

small_numbers([], true).
small_numbers([V|Vs], Test) :-
    Small = (number(V), V =< 0x1000000000000000, V >= -0x1000000000000000),
    ( Vs == [] -> Test = Small ; Test = (Small, More), small_numbers(Vs, More) ).

                 /*******************************
                 *          EVALUATION          *
                 *******************************/

%!  quick(+Clause, +Module, ?Value, +Small)
%!  is(+Clause, +Module, ?Value, +Expression)
%!  compares(+Clause, +Module, +Operator, +A, +B)
%!  folded(+Clause, +Module, +Predicate, +List, ?Value)
%
%   The goals `X is E`, `A < B` and `sum_list(L, X)` of programs. The first is for small expressions.

quick(I, M, X, E) :-
    ( catch(V is E, error(_, _), fail) -> X = V ; is(I, M, X, E) ).

is(I, M, X, E) :- value(E, M, I, V), X = V.

compares(I, M, Op, A, B) :-
    value(A, M, I, VA),
    value(B, M, I, VB),
    holds(Op, VA, VB).

holds(=:=, A, B) :- A =:= B.
holds(=\=, A, B) :- A =\= B.
holds(<, A, B) :- A < B.
holds(>, A, B) :- A > B.
holds(=<, A, B) :- A =< B.
holds(>=, A, B) :- A >= B.

folded(I, M, Predicate, List, X) :-
    catch(must_be(list, List), error(Formal, Context), throw(slp_fault(swi(Formal, Context), I))),
    folds(Predicate, Function, Start),
    append(Start, List, [First|Items]),
    catch(( evaluated(First, M, V0), fold(Items, Function, M, V0, V) ),
          arithmetic(Formal),
          throw(slp_fault(Formal, I))),
    X = V.

folds(sum_list, +, [0]).
folds(max_list, max, []).
folds(min_list, min, []).

fold([], _, _, V, V).
fold([E|Es], Function, M, V0, V) :-
    evaluated(E, M, V1),
    apply(Function, [V0, V1], V2),
    fold(Es, Function, M, V2, V).

%!  value(+Expression, +Module, +Clause, -Value) is det.

value(E, M, I, V) :-
    catch(evaluated(E, M, V0), arithmetic(Formal), throw(slp_fault(Formal, I))),
    V = V0.

evaluated(E, _, V) :- number(E), !, V = E.
evaluated(E, _, _) :- var(E), !, throw(arithmetic(unbound_value)).
evaluated(E, M, V) :-
    compound(E),
    !,
    compound_name_arguments(E, Name, Args),
    (   function(Args, Name)
    ->  all_evaluated(Args, M, Values),
        apply(Name, Values, V)
    ;   Name == '[|]'
    ->  throw(arithmetic(not_a_number(E)))
    ;   length(Args, Arity),
        throw(arithmetic(unknown_function(Name, Arity)))
    ).
evaluated(E, M, V) :- atom(E), !, named(E, M, V).
evaluated([], _, _) :- !, throw(arithmetic(unknown_value('[]'))).
evaluated(E, _, _) :- throw(arithmetic(not_a_number(E))).

all_evaluated([], _, []).
all_evaluated([E|Es], M, [V|Vs]) :- evaluated(E, M, V), all_evaluated(Es, M, Vs).

named(Name, M, V) :- parameter(M, Name, V), !.
named(Name, _, V) :- constant(Name), !, V is Name.
named(nan, _, _) :- !, throw(arithmetic(undefined(nan))).
named(Name, _, _) :- throw(arithmetic(unknown_value(Name))).

%   The value of a function of numbers. Only here does SWI-Prolog evaluate an expression of a program.

apply(Name, Args, V) :-
    fits(Name, Args),
    compound_name_arguments(E, Name, Args),
    catch(V0 is E, error(Formal, _), faulty(Formal, Name, Args, V0)),
    bounded(V0, Name),
    V = V0.

faulty(evaluation_error(float_overflow), Name, Args, V) :-
    !,
    (   member(A, Args), float(A), abs(A) =:= inf
    ->  compound_name_arguments(E, Name, Args),
        setup_call_cleanup(set_prolog_flag(float_overflow, infinity),
                           catch(V is E, error(_, _), throw(arithmetic(undefined(Name)))),
                           set_prolog_flag(float_overflow, error))
    ;   memberchk(Name, [log, log10, atanh])
    ->  throw(arithmetic(undefined(Name)))
    ;   throw(arithmetic(float_overflow))
    ).
faulty(evaluation_error(zero_divisor), _, _, _) :- !, throw(arithmetic(zero_divisor)).
faulty(resource_error(R), _, _, _) :- !, throw(error(resource_error(R), _)).
faulty(_, Name, _, _) :- throw(arithmetic(undefined(Name))).

%   Refuse integers of more than 8192 bits, and floats that are not finite.

bounded(V, Name) :- float(V), !, ( V =:= V -> true ; throw(arithmetic(undefined(Name))) ).
bounded(V, _) :- small(V), !.
bounded(V, _) :- msb(abs(V)) < 8192, !.
bounded(_, _) :- throw(arithmetic(integer_overflow)).

%   Functions that would take too much memory in SWI-Prolog, or differ there.

fits(Name, [X]) :- rounds(Name), float(X), abs(X) =:= inf, !, throw(arithmetic(undefined(Name))).
fits(Name, [X]) :- parts(Name), float(X), abs(X) =:= inf, !, throw(arithmetic(float_overflow)).
fits(lgamma, [X]) :- X =< 0, !, throw(arithmetic(undefined(lgamma))).
fits(Name, [X]) :- of_naturals(Name, _), !, integers([X], Name).
fits(\, Args) :- !, integers(Args, \).
fits(Name, [X, Y]) :-
    ( Name == (**) ; Name == (^) ),
    !,
    (   integer(X), integer(Y), Y > 0, abs(X) > 1, (msb(abs(X))+1)*Y > 16384
    ->  throw(arithmetic(integer_overflow))
    ;   true
    ).
fits(Name, [X, Y]) :-
    of_integers(Name),
    !,
    integers([X, Y], Name),
    (   Name == (<<) -> Left = Y ; Name == (>>) -> Left is -Y ; Left = 0 ),
    (   X =\= 0, Left > 8192 -> throw(arithmetic(integer_overflow)) ; true ).
fits(_, _).

integers([], _).
integers([X|Xs], Name) :-
    ( integer(X) -> integers(Xs, Name) ; throw(arithmetic(needs_integers(Name, X))) ).

                 /*******************************
                 *           FUNCTIONS          *
                 *******************************/

constant(pi).
constant(e).
constant(inf).
constant(epsilon).

function([_], Name) :- function(Name), !.
function([_, _], Name) :- function2(Name), !.

function(+).
function(-).
function(abs).
function(sign).
function(float).
function(\).
function(exp).
function(log).
function(log10).
function(lgamma).
function(erf).
function(sqrt).
function(sin).
function(cos).
function(tan).
function(asin).
function(acos).
function(atan).
function(sinh).
function(cosh).
function(tanh).
function(asinh).
function(acosh).
function(atanh).
function(Name) :- of_naturals(Name, _).
function(Name) :- parts(Name).
function(Name) :- rounds(Name).

parts(float_integer_part).
parts(float_fractional_part).

rounds(floor).
rounds(ceiling).
rounds(ceil).
rounds(truncate).
rounds(round).
rounds(integer).

%   Functions of one integer, and its least value.

of_naturals(msb, 1).
of_naturals(lsb, 1).
of_naturals(popcount, 0).

function2(+).
function2(-).
function2(*).
function2(/).
function2(min).
function2(max).
function2(**).
function2(^).
function2(atan).
function2(atan2).
function2(copysign).
function2(nexttoward).
function2(Name) :- of_integers(Name).

of_integers(//).
of_integers(div).
of_integers(mod).
of_integers(rem).
of_integers(gcd).
of_integers(lcm).
of_integers(getbit).
of_integers(>>).
of_integers(<<).
of_integers(/\).
of_integers(\/).
of_integers(xor).

                 /*******************************
                 *          PARAMETERS          *
                 *******************************/

%!  set_parameter(+Module, +Name, +Value) is det.
%!  forget_parameters(+Module) is det.

set_parameter(Module, Name, Value) :- assertz(parameter(Module, Name, Value)).

forget_parameters(Module) :- retractall(parameter(Module, _, _)).

%!  known_values(+Expression0, +Module, -Expression) is det.
%
%   Replace parameters in an expression by their values.

known_values(E, _, E) :- var(E), !.
known_values(E, M, V) :- atom(E), parameter(M, E, V), !.
known_values(E0, M, E) :-
    compound(E0),
    !,
    compound_name_arguments(E0, Name, Args0),
    known_values_of(Args0, M, Args),
    compound_name_arguments(E, Name, Args).
known_values(E, _, E).

known_values_of([], _, []).
known_values_of([A0|As0], M, [A|As]) :- known_values(A0, M, A), known_values_of(As0, M, As).
