/*  The boundary between a program and SWI-Prolog: the predicates that a program's goals can call.

A name in a program is never the name of a predicate of SWI-Prolog. Each predicate of a program gets a new
name, in modules that are made for the program:

    slp_program_7   n1, n2, ...   clauses that SWI-Prolog runs directly, with translated goals
    slp_facts_7     f1, f2, ...   facts for the interpreter, and nothing else

The first module can see the built-ins of `system`, the second can see no other module. A goal of a program is
looked up by its name among the program's predicates, then in built_in/3. All other goals are unknown,
including Module:Goal. permitted/2 checks each clause that is added to the first module, and each goal that
is called there, at that moment. It is independent of the translation.
*/

:- module(slp_boundary,
          [ new_program/2, forget_program/1, allowed/2,
            name_predicate/4, built_in/2,
            own_goal/3, built_in_goal/4, slow_goal/4,
            add_clause/3, add_part/3, fact/4, run/1, blamed/2
          ]).
:- use_module(library(lists)).
:- use_module(arithmetic).
:- use_module(replaceable).

:- dynamic
    option/2,           % option(Module, allow_code | weights)
    facts/2,            % facts(Module, Facts): the module of its facts
    made/4,             % made(Module, Name, Arity, Made): the new name of a predicate
    native/3,           % native(Module, Made, Arity): Module may call the predicate
    count/2.            % count(Module, N): the number of new names

                 /*******************************
                 *           PROGRAMS           *
                 *******************************/

%!  new_program(-Module, +Options) is det.
%!  forget_program(+Module) is det.

new_program(Module, Options) :-
    flag(slp_module, N, N+1),
    atom_concat(slp_program_, N, Module),
    atom_concat(slp_facts_, N, Facts),
    set_module(Module:base(system)),
    set_module(Facts:base(slp_nothing)),
    assertz(facts(Module, Facts)),
    assertz(count(Module, 1)),
    forall(member(O, Options), assertz(option(Module, O))).

forget_program(Module) :-
    forall(( facts(Module, Facts),
             member(M, [Module, Facts]),
             current_predicate(M:Made/Arity),
             \+ predicate_property(M:Made/Arity, imported_from(_)) ),
           abolish(M:Made, Arity)),
    retractall(facts(Module, _)),
    retractall(count(Module, _)),
    retractall(option(Module, _)),
    retractall(made(Module, _, _, _)),
    retractall(native(Module, _, _)).

allowed(Module, Option) :- option(Module, Option), !.

%!  name_predicate(+Module, +Name, +Arity, +Kind) is det.
%
%   Make a new name for a predicate of the program. Only `native` ones are called; others are facts.

name_predicate(Module, Name, Arity, native) :-
    !,
    new_name(Module, n, Made),
    assertz(made(Module, Name, Arity, Made)),
    assertz(native(Module, Made, Arity)).
name_predicate(Module, Name, Arity, _) :-
    new_name(Module, f, Made),
    assertz(made(Module, Name, Arity, Made)).

new_name(Module, Letter, Made) :-
    retract(count(Module, N)),
    N1 is N+1,
    assertz(count(Module, N1)),
    atom_concat(Letter, N, Made).

                 /*******************************
                 *          ALLOW-LIST          *
                 *******************************/

%!  built_in(?Name, ?Arity, -How)
%
%   The predicates that a program can call besides its own (slp/resolution has the same list). How is
%   one of: a predicate of module `system` or `lists`, one of these that can raise an error, a fold of
%   arithmetic, or another translation.

built_in(=, 2, system).
built_in(\=, 2, system).
built_in(==, 2, system).
built_in(\==, 2, system).
built_in(@<, 2, system).
built_in(@>, 2, system).
built_in(@=<, 2, system).
built_in(@>=, 2, system).
built_in(var, 1, system).
built_in(nonvar, 1, system).
built_in(atom, 1, system).
built_in(number, 1, system).
built_in(integer, 1, system).
built_in(float, 1, system).
built_in(atomic, 1, system).
built_in(compound, 1, system).
built_in(callable, 1, system).
built_in(is_list, 1, system).
built_in(ground, 1, system).
built_in(copy_term, 2, system).
built_in(compare, 3, raises(system)).
built_in(between, 3, raises(system)).
built_in(functor, 3, raises(system)).
built_in(arg, 3, raises(system)).
built_in(=.., 2, raises(system)).
built_in(atom_length, 2, raises(system)).
built_in(length, 2, raises(system)).
built_in(msort, 2, raises(system)).
built_in(sort, 2, raises(system)).
built_in(append, 3, lists).
built_in(member, 2, lists).
built_in(memberchk, 2, lists).
built_in(select, 3, lists).
built_in(last, 2, lists).
built_in(nth0, 3, raises(lists)).
built_in(nth1, 3, raises(lists)).
built_in(reverse, 2, raises(lists)).
built_in(numlist, 3, raises(slp_replaceable)).
built_in(succ, 2, raises(slp_replaceable)).
built_in(plus, 3, raises(slp_replaceable)).
built_in(atom_codes, 2, raises(slp_replaceable)).
built_in(number_codes, 2, raises(slp_replaceable)).
built_in(sub_atom, 5, raises(slp_replaceable)).
built_in(sum_list, 2, fold).
built_in(max_list, 2, fold).
built_in(min_list, 2, fold).
built_in(is, 2, arithmetic).
built_in(=:=, 2, arithmetic).
built_in(=\=, 2, arithmetic).
built_in(<, 2, arithmetic).
built_in(>, 2, arithmetic).
built_in(=<, 2, arithmetic).
built_in(>=, 2, arithmetic).
built_in(!, 0, control).
built_in(true, 0, control).
built_in(fail, 0, control).
built_in(false, 0, control).
built_in(prolog, 1, code).

built_in(Name, Arity) :- built_in(Name, Arity, _), !.

                 /*******************************
                 *          TRANSLATION         *
                 *******************************/

%!  own_goal(+Goal, +Module, -Native) is semidet.
%
%   A goal of the program whose predicate is native, with the predicate's new name.

own_goal(Goal, Module, Native) :-
    functor(Goal, Name, Arity),
    made(Module, Name, Arity, Made),
    !,
    Goal =.. [_|Args],
    Native =.. [Made|Args].

%!  built_in_goal(+Goal, +Module, +Clause, -Native) is semidet.

built_in_goal(Goal, M, I, Native) :-
    functor(Goal, Name, Arity),
    built_in(Name, Arity, How),
    !,
    native(How, Goal, M, I, Native).

native(system, Goal, _, _, Goal).
native(control, Goal, _, _, Goal).
native(lists, Goal, _, _, lists:Goal).
native(raises(Module), Goal, _, I, slp_boundary:blamed(I, Module:Goal)).
native(fold, Goal, M, I, slp_arithmetic:folded(I, M, Name, List, X)) :-
    compound_name_arguments(Goal, Name, [List, X]).
native(code, prolog(Goal), M, I, Native) :- code_goal(Goal, M, I, Native).
native(arithmetic, Goal, M, I, Native) :-
    compound_name_arguments(Goal, Op, [A0, B0]),
    known_values(B0, M, B),
    ( Op == (is) -> A = A0, Sum = B ; known_values(A0, M, A), Sum = A+B ),
    slow_goal(Goal, M, I, Slow),
    compound_name_arguments(Fast, Op, [A, B]),
    term_variables(Sum, Vars),
    (   Op \== (is), \+ compound(A), \+ compound(B), small_sum(Sum)
    ->  numbers(Vars, Test),
        Native = (Test -> Fast ; Slow)
    ;   small_sum(Sum)
    ->  small_numbers(Vars, Test),
        Native = (Test -> Fast ; Slow)
    ;   Op == (is), small_expression(Sum)
    ->  small_numbers(Vars, Test),
        Native = (Test -> slp_arithmetic:quick(I, M, A, B) ; Slow)
    ;   Native = Slow
    ).

%!  slow_goal(+Goal, +Module, +Clause, -Native) is semidet.
%
%   Arithmetic without assumptions about its variables.

slow_goal(X is E, M, I, slp_arithmetic:is(I, M, X, E)) :- !.
slow_goal(Goal, M, I, slp_arithmetic:compares(I, M, Op, A, B)) :-
    compound(Goal),
    compound_name_arguments(Goal, Op, [A, B]),
    comparison(Op).

%!  blamed(+Clause, :Goal)
%
%   A goal whose errors name a clause.

:- meta_predicate blamed(+, 0).

blamed(I, Goal) :-
    catch(Goal, error(Formal, Context), blame(Formal, Context, I)).

blame(resource_error(R), Context, _) :- !, throw(error(resource_error(R), Context)).
blame(slp(Formal), _, I) :- !, throw(slp_fault(Formal, I)).
blame(Formal, Context, I) :- throw(slp_fault(swi(Formal, Context), I)).

                 /*******************************
                 *            THE GATE          *
                 *******************************/

%!  permitted(@Goal, +Module) is semidet.
%
%   Whether a translated goal may be called in a program's module.

permitted(Goal, _) :- var(Goal), !, fail.
permitted((A, B), M) :- !, permitted(A, M), permitted(B, M).
permitted((A ; B), M) :- !, permitted(A, M), permitted(B, M).
permitted((A -> B), M) :- !, permitted(A, M), permitted(B, M).
permitted((A *-> B), M) :- !, permitted(A, M), permitted(B, M).
permitted(\+ A, M) :- !, permitted(A, M).
permitted(once(A), M) :- !, permitted(A, M).
permitted(call(A), M) :- !, permitted(A, M).
permitted(findall(_, A, _), M) :- !, permitted(A, M).
permitted(Module:Goal, M) :- !, nonvar(Module), nonvar(Goal), permitted_in(Module, Goal, M).
permitted(_ is E, _) :- !, small_sum(E).
permitted(Goal, M) :-
    callable(Goal),
    functor(Goal, Name, Arity),
    (   native(M, Name, Arity)
    ->  true
    ;   built_in(Name, Arity, How)
    ->  permitted_built_in(How, Goal)
    ).

permitted_built_in(system, _).
permitted_built_in(control, _).
permitted_built_in(arithmetic, Goal) :- Goal =.. [_, A, B], small_sum(A+B).

permitted_in(lists, Goal, _) :- functor(Goal, Name, Arity), built_in(Name, Arity, lists).
permitted_in(slp_arithmetic, Goal, _) :- of_arithmetic(Goal).
permitted_in(slp_sizes, fits(_), _).
permitted_in(slp_boundary, blamed(_, Module:Goal), M) :-
    nonvar(Module),
    (   Module == user
    ->  allowed(M, allow_code)
    ;   nonvar(Goal),
        functor(Goal, Name, Arity),
        built_in(Name, Arity, raises(Module))
    ).

of_arithmetic(quick(_, _, _, E)) :- small_expression(E).
of_arithmetic(is(_, _, _, _)).
of_arithmetic(compares(_, _, _, _, _)).
of_arithmetic(folded(_, _, _, _, _)).

must_be_permitted(Goal, M) :- permitted(Goal, M), !.
must_be_permitted(Goal, _) :-
    throw(error(permission_error(call, goal, Goal), _)).

%!  run(+Native) is nondet.
%
%   Call Module:Goal, if that is permitted now.

run(M:Goal) :-
    must_be_permitted(Goal, M),
    call(M:Goal).

%!  code_goal(+Goal, +Module, +Clause, -Native) is det.
%
%   The goal of prolog(Goal), if the caller has given permission.

code_goal(Goal, M, I, slp_boundary:blamed(I, user:Goal)) :-
    ( allowed(M, allow_code) -> true ; throw(slp_fault(code, I)) ).

                 /*******************************
                 *            CLAUSES           *
                 *******************************/

%!  add_clause(+Head, +Native, +Module) is det.
%
%   A clause of a native predicate.

add_clause(Head, Native, M) :-
    own_goal(Head, M, Made),
    must_be_permitted(Made, M),
    must_be_permitted(Native, M),
    assertz(M:(Made :- Native)).

%!  add_part(+Native, +Module, -Part) is semidet.
%
%   A goal that calls a control structure as a new predicate. SWI-Prolog would otherwise compile the
%   structure, with all terms in it, at each call. Fails if there are very many variables.

add_part(Native, M, Part) :-
    term_variables(Native, Vars),
    length(Vars, Arity),
    Arity < 100,
    must_be_permitted(Native, M),
    new_name(M, n, Made),
    assertz(native(M, Made, Arity)),
    Part =.. [Made|Vars],
    assertz(M:(Part :- Native)).

%!  fact(+Head, +Module, +More, -Fact) is det.
%
%   The fact that the interpreter keeps for a clause of a predicate that is not native: its arguments and
%   More.

fact(Head, M, More, Facts:Fact) :-
    functor(Head, Name, Arity),
    made(M, Name, Arity, Made),
    facts(M, Facts),
    !,
    Head =.. [_|Args],
    append(Args, More, All),
    Fact =.. [Made|All].
