/*  Stochastic logic programs under SWI-Prolog: the predicates that slp/swipl/prolog.py calls.

A program is loaded into modules of its own, behind the boundary (boundary.pl). It can call its own
predicates and the built-ins of an allow-list, by new names that the boundary makes. Predicates that
cannot reach a labelled clause become predicates of SWI-Prolog and run natively. The others are
interpreted, because their goals must stop at a stochastic goal and continue later. The body of each of
their clauses is compiled to a continuation: an instruction with the rest K, a continuation too:

    return                    end of the body
    native(G, K)              run G, if the boundary permits it
    logic(C, B, KC, K)        find a clause by the fact C, and its continuation KC; the clause's cuts
                              remove the choice points since B
    choose(C, N, L, P, I, KC, K)    draw a clause, with number N, or stop, so that the search chooses;
                              L is the clause's label, or guarded(KG, L) with the continuation of the goals that bind its
      variables; P = Module:Name/Arity
    dynamic(M, G, I, K)       a goal that is known at run time only
    enter(V, K), enter(V, B, K), leave(K), cut(V, I, K)    cuts: see below
    or(K1, K2), if(K0, K1, K2), soft(K0, K1, K2), not(K0, K), all(T, K0, L, K)    control
    fault(E, I)               raise E

I is the number of the clause that contains the goal, for messages about faults. A proof in progress is a
continuation and a list of continuations to return to. (It is not one: binding the end of one to the next
would make the occurs check search the whole of it.)

Continuations contain no references to stacks, so they can be stored and continued later, and variants have
the same proofs. A cut names a variable V. A list of pairs V-B, which the interpreter passes on, gives the
present meaning of V: B is a choice point, or `crosses` if a stochastic goal has been reached since and
the cut would remove choice points before it.

Faults are thrown as slp_fault(Formal, Clause), with the number of the faulty clause, -1 for the goal.
*/

:- module(slp_engine,
          [ slp_load/5, slp_unload/2,
            slp_open/4, slp_expand/5, slp_close/2,
            slp_draws/6, slp_first/4, slp_ways/4, slp_consult/2,
            slp_watch/3, slp_unwatch/2
          ]).
:- use_module(library(lists)).
:- use_module(library(solution_sequences)).
:- use_module(arithmetic).
:- use_module(boundary).
:- use_module(calling).
:- use_module(sizes).

:- dynamic
    source/5,           % source(Module, Number, label(Label) | none, Head, Body)
    kind/4,             % kind(Module, Name, Arity, logical | native | stochastic | calling | tree(Arity))
    kept/3,             % kept(Search, Id, Record): a stored stochastic goal
    trie_of/2,          % trie_of(Search, Trie): the stored goals, if equal goals are merged
    working/2,          % working(Thread, Watch): a guarded goal runs, which the watch can end
    over/2,             % over(Watch, time | interrupt): its guarded goals end now
    told/1.             % told(Watch): an outcome has said so

:- create_prolog_flag(slp_tolerance, 1.0e-9, [keep(true)]).

                 /*******************************
                 *            LOADING           *
                 *******************************/

%!  slp_load(+Clauses, +Trees, +Parameters, +Options, -Result)
%
%   Result is the module, or a fault as in guarded/3. Clauses are [Number, Variables, Tokens] for terms
%   clause(Label, Head, Body), where Label is label(L) or none. Trees are [Name, Arity, Shown] for
%   predicates of tree rules. Parameters are [Name, Value]. decode/3 defines the tokens.

slp_load(Clauses, Trees, Parameters, Options, Result) :-
    new_program(Module, Options),
    catch(( with_flags([optimise=true], load(Clauses, Trees, Parameters, Module)), Result = Module ),
          Fault,
          ( slp_unload(Module, _), outcome_of(Fault, Result) )).

load(Clauses, Trees, Parameters, Module) :-
    forall(member([Name, Value], Parameters), set_parameter(Module, Name, Value)),
    forall(member([Name, Arity, Shown], Trees),
           assertz(kind(Module, Name, Arity, tree(Shown)))),
    forall(member([I, Count, Tokens], Clauses),
           ( decode(Count, Tokens, clause(Label, Head, Body)),
             assertz(source(Module, I, Label, Head, Body)),
             functor(Head, Name, Arity),
             ( Label == none -> Kind = native ; Kind = stochastic ),
             retractall(kind(Module, Name, Arity, tree(_))),
             ( kind(Module, Name, Arity, _) -> true
             ; assertz(kind(Module, Name, Arity, Kind)) ) )),
    forall(( calling_clause(Head, _), functor(Head, Name, Arity), \+ kind(Module, Name, Arity, _) ),
           assertz(kind(Module, Name, Arity, calling))),
    find_native(Module),
    forall(kind(Module, Name, Arity, Kind), name_predicate(Module, Name, Arity, Kind)),
    forall(source(Module, I, Label, Head, Body), add(Module, I, Label, Head, Body)),
    forall(( calling_clause(Head, Body), functor(Head, Name, Arity), kind(Module, Name, Arity, calling) ),
           add_calling(Module, Head, Body)).

%   The facts of built-in predicates that call goals have the clause of their caller, which has the faults.

add_calling(Module, Head, Body) :-
    continuation_of_body(Body, at(Module, load), I, B, K),
    fact(Head, Module, [I, B, K], Fact),
    assertz(Fact).

%!  slp_unload(+Module, -Done) is det.

slp_unload(Module, done) :-
    forget_program(Module),
    forget_parameters(Module),
    retractall(source(Module, _, _, _, _)),
    retractall(kind(Module, _, _, _)).

%   A logical predicate is native unless it can reach a goal that must be interpreted.

find_native(Module) :-
    kind(Module, Name, Arity, native),
    functor(Head, Name, Arity),
    source(Module, _, none, Head, Body),
    \+ simple(Body, Module),
    !,
    retract(kind(Module, Name, Arity, native)),
    assertz(kind(Module, Name, Arity, logical)),
    find_native(Module).
find_native(_).

%!  simple(@Goal, +Module) is semidet.
%
%   All predicates that the goal can reach are known, and none of their clauses has a label.

simple(Goal, _) :- var(Goal), !, fail.
simple(Goal, Module) :-
    inner_goals(Goal, Goals),
    !,
    forall(member(G, Goals), simple(G, Module)).
simple(Goal, _) :- with_arguments(Goal, _), !, fail.
simple(Goal, Module) :-
    callable(Goal),
    functor(Goal, Name, Arity),
    ( kind(Module, Name, Arity, Kind) -> Kind == native ; built_in(Name, Arity) ).

inner_goals((A, B), [A, B]).
inner_goals((A ; B), [A, B]).
inner_goals((A -> B), [A, B]).
inner_goals((A *-> B), [A, B]).
inner_goals(\+ A, [A]).
inner_goals(once(A), [A]).
inner_goals(call(A), [A]).
inner_goals(forall(A, B), [A, B]).
inner_goals(findall(_, A, _), [A]).
inner_goals(!, []).
inner_goals(true, []).
inner_goals(fail, []).
inner_goals(false, []).

with_arguments(Call, Goal) :-
    compound(Call),
    compound_name_arguments(Call, call, [Closure|More]),
    More = [_|_],
    length(More, N),
    N < 8,
    ( var(Closure) -> true
    ; callable(Closure) -> Closure =.. Parts, append(Parts, More, All), Goal =.. All
    ; true
    ).

%   Translate clauses of native predicates, and store those of others as facts with their continuations.

add(Module, I, none, Head, Body) :-
    functor(Head, Name, Arity),
    kind(Module, Name, Arity, native),
    !,
    native(Body, Module, I, Native),
    add_clause(Head, Native, Module).
add(Module, I, none, Head, Body) :-
    !,
    continuation_of_body(Body, at(Module, load), I, B, K),
    fact(Head, Module, [B, K], Fact),
    assertz(Fact).
add(Module, I, label(Label0), Head, Body) :-
    known_values(Label0, Module, Label1),
    guards_of_label(Label1, Head, Body, Guards, Rest),
    (   Guards == true
    ->  Label = Label1
    ;   inner_continuation(Guards, at(Module, load), I, KG),
        Label = guarded(KG, Label1)
    ),
    continuation(Rest, at(Module, load), I, _, return, K),
    fact(Head, Module, [I, Label, K], Fact),
    assertz(Fact).

%   The goals that begin a body until they mention all variables of the label that the head lacks.

guards_of_label(Label, Head, Body, Guards, Rest) :-
    term_variables(Head, Known),
    term_variables(Label, Vars),
    without(Vars, Known, Needed),
    guards(Needed, Body, Guards, Rest).

guards([], Body, true, Body) :- !.
guards(Needed, Body, Guards, Rest) :-
    first_goal(Body, Goal, Behind),
    !,
    term_variables(Goal, Vars),
    without(Needed, Vars, Left),
    guards(Left, Behind, More, Rest0),
    (   More == true, Left == Needed
    ->  Guards = true, Rest = Body
    ;   More == true
    ->  Guards = Goal, Rest = Rest0
    ;   Guards = (Goal, More), Rest = Rest0
    ).
guards(_, Body, true, Body).

first_goal(Body, _, _) :- ( var(Body) ; Body == true ), !, fail.
first_goal((A, B), Goal, Behind) :-
    !,
    (   nonvar(A), A = (A1, A2)
    ->  first_goal((A1, A2, B), Goal, Behind)
    ;   Goal = A, Behind = B
    ).
first_goal(Goal, Goal, true).

without([], _, []).
without([V|Vs], Known, Left) :-
    (   member(K, Known), K == V
    ->  Left = Left1
    ;   Left = [V|Left1]
    ),
    without(Vs, Known, Left1).

%!  native(+Goal, +Module, +Clause, -Native) is det.
%
%   The translation of a simple goal, which SWI-Prolog calls.

native((A0, B0), M, I, (A, B)) :- !, native(A0, M, I, A), native(B0, M, I, B).
native((A0 ; B0), M, I, (A ; B)) :- !, native(A0, M, I, A), native(B0, M, I, B).
native((A0 -> B0), M, I, (A -> B)) :- !, native(A0, M, I, A), native(B0, M, I, B).
native((A0 *-> B0), M, I, (A *-> B)) :- !, native(A0, M, I, A), native(B0, M, I, B).
native(\+ A0, M, I, \+ A) :- !, native(A0, M, I, A).
native(once(A0), M, I, once(A)) :- !, native(A0, M, I, A).
native(call(A0), M, I, call(A)) :- !, native(A0, M, I, A).
native(forall(A0, B0), M, I, \+ (A, \+ B)) :- !, native(A0, M, I, A), native(B0, M, I, B).
native(findall(T, A0, L), M, I, findall(T, (A, slp_sizes:fits(T)), L)) :- !, native(A0, M, I, A).
native(Goal, M, _, Native) :- own_goal(Goal, M, Native), !.
native(Goal, M, I, Native) :- built_in_goal(Goal, M, I, Native).

                 /*******************************
                 *         CONTINUATIONS        *
                 *******************************/

%!  continuation(+Body, +Where, +Clause, ?Cut, ?Next, -Continuation) is det.
%
%   Cut is the variable that identifies cuts in the body. Where is at(Module, Time). Time is `load` for
%   clauses, which may add predicates to the module, or `call` for goals.

continuation(Goal, at(M, _), I, _, Next, K) :-
    var(Goal),
    !,
    K = dynamic(M, Goal, I, Next).
continuation((A, B), W, I, C, Next, K) :-
    !,
    continuation(B, W, I, C, Next, KB),
    continuation(A, W, I, C, KB, K).
continuation(Goal, at(M, Time), I, _, Next, K) :-
    \+ has_cut(Goal),
    simple(Goal, M),
    called_native(Goal, Time, M, I, Native),
    !,
    ( Native == true -> K = Next ; K = native(M:Native, Next) ).
continuation(!, _, I, C, Next, K) :- !, K = cut(C, I, Next).
continuation((A -> B ; D), W, I, C, Next, if(KA, KB, KD)) :-
    !,
    inner_continuation(A, W, I, KA),
    continuation(B, W, I, C, Next, KB),
    continuation(D, W, I, C, Next, KD).
continuation((A *-> B ; D), W, I, C, Next, soft(KA, KB, KD)) :-
    !,
    inner_continuation(A, W, I, KA),
    continuation(B, W, I, C, Next, KB),
    continuation(D, W, I, C, Next, KD).
continuation((A ; B), W, I, C, Next, or(KA, KB)) :-
    !,
    continuation(A, W, I, C, Next, KA),
    continuation(B, W, I, C, Next, KB).
continuation((A -> B), W, I, C, Next, enter(V, KA)) :-
    !,
    continuation(B, W, I, C, Next, KB),
    continuation(A, W, I, V, cut(V, I, leave(KB)), KA).
continuation((A *-> B), W, I, C, Next, K) :-
    !,
    continuation(B, W, I, C, Next, KB),
    local_continuation(A, W, I, KB, K).
continuation(once(A), W, I, _, Next, enter(V, KA)) :-
    !,
    continuation(A, W, I, V, cut(V, I, leave(Next)), KA).
continuation(call(A), W, I, _, Next, K) :- !, local_continuation(A, W, I, Next, K).
continuation(\+ A, W, I, _, Next, not(KA, Next)) :- !, inner_continuation(A, W, I, KA).
continuation(forall(A, B), W, I, _, Next, not(K, Next)) :-
    !,
    inner_continuation((A, \+ B), W, I, K).
continuation(findall(T, A, L), W, I, _, Next, all(T, KA, L, Next)) :- !, inner_continuation(A, W, I, KA).
continuation(Goal, at(M, _), I, _, Next, dynamic(M, Called, I, Next)) :-
    with_arguments(Goal, Called),
    !,
    ( var(Called) -> Called = Goal ; true ).
continuation(Goal, at(M, _), I, _, Next, K) :-
    callable(Goal),
    functor(Goal, Name, Arity),
    kind(M, Name, Arity, Kind),
    !,
    continuation_of_call(Kind, Goal, M, I, Next, K).
continuation(Goal, _, I, _, _, fault(unknown(Name, Arity), I)) :-
    callable(Goal),
    !,
    functor(Goal, Name, Arity).
continuation(Goal, _, I, _, _, fault(not_callable(Goal), I)).

%   Control structures become predicates if possible. Otherwise this fails, and they are interpreted.

called_native(Goal, Time, M, I, Native) :-
    native(Goal, M, I, Native0),
    (   functor(Native0, Name, Arity),
        \+ structure(Name, Arity)
    ->  Native = Native0
    ;   Time == load
    ->  add_part(Native0, M, Native)
    ;   slow_goal(Goal, M, I, Native)
    ).

structure((','), 2).
structure((;), 2).
structure((->), 2).
structure((*->), 2).
structure(\+, 1).
structure(once, 1).
structure(call, 1).
structure(findall, 3).

continuation_of_call(logical, Goal, M, _, Next, logic(Fact, B, K, Next)) :-
    fact(Goal, M, [B, K], Fact).
continuation_of_call(calling, Goal, M, I, Next, logic(Fact, B, K, Next)) :-
    fact(Goal, M, [I, B, K], Fact).
continuation_of_call(stochastic, Goal, M, I, Next, choose(Fact, N, L, M:Name/Arity, I, K, Next)) :-
    fact(Goal, M, [N, L, K], Fact),
    functor(Goal, Name, Arity).
continuation_of_call(tree(Shown), Goal, _, I, _, fault(tree(Name, Shown), I)) :-
    functor(Goal, Name, _).

%   A body with local cuts: they remove the choice points since its start.

local_continuation(Goal, W, I, Next, K) :-
    (   has_cut(Goal)
    ->  K = enter(V, KG), continuation(Goal, W, I, V, leave(Next), KG)
    ;   continuation(Goal, W, I, _, Next, K)
    ).

inner_continuation(Goal, W, I, K) :- local_continuation(Goal, W, I, return, K).

%   The body of a clause. The choice point of its cuts is released after the last cut.

continuation_of_body(Body, W, I, _, K) :-
    \+ has_cut(Body),
    !,
    continuation(Body, W, I, _, return, K).
continuation_of_body(Body, W, I, B, enter(V, B, K)) :-
    last_cut(Body, Before, After),
    continuation(After, W, I, _, return, KAfter),
    continuation(Before, W, I, V, leave(KAfter), K).

last_cut((A, B), (A, Before), After) :- has_cut(B), !, last_cut(B, Before, After).
last_cut((A, B), A, B) :- !.
last_cut(A, A, true).

%   The cuts by which a goal can cut its clause.

has_cut(Goal) :- var(Goal), !, fail.
has_cut(!).
has_cut((A, B)) :- ( has_cut(A) -> true ; has_cut(B) ).
has_cut((A ; B)) :- ( has_cut(A) -> true ; has_cut(B) ).
has_cut((_ -> B)) :- has_cut(B).
has_cut((_ *-> B)) :- has_cut(B).

                 /*******************************
                 *         INTERPRETER          *
                 *******************************/

%!  solve(+Continuation, +Behind, +Inside, +Cuts, +Mode, -Out) is nondet.
%
%   Behind has the continuations to return to. Inside is the number of conditions and negations around the
%   continuation. Mode is one of
%     search
%     every(Mass): try all alternatives in turn; Mass is the product of the labels so far
%     draw(Way, Drawn, Bad): a draw; Drawn is the choice point of the last draw, Bad the newest choice
%       point of a logical goal before a later draw
%   Out is `proof`, or proof(Mass) in mode `every`, or exit(...), a stochastic goal that the search has
%   reached (see choose/9).

solve(return, Ks, F, Cs, S, Out) :-
    return(Ks, F, Cs, S, Out).
solve(native(G, K), Ks, F, Cs, S, Out) :-
    run(G),
    solve(K, Ks, F, Cs, S, Out).
solve(logic(C, B, KC, K), Ks, F, Cs, S, Out) :-
    prolog_current_choice(B),
    call(C),
    call_continuation(K, KC, Ks, F, Cs, S, Out).
solve(choose(C, N, L, P, I, KC, K), Ks, F, Cs, S, Out) :-
    (   F > 0
    ->  P = _:Indicator, throw(slp_fault(enclosed(Indicator), I))
    ;   options(C, N, L, P, I, Options)
    ),
    Options = [_|_],
    choose(S, Options, C, N, KC, K, Ks, Cs, Out).
solve(dynamic(M, G, I, Next), Ks, F, Cs, S, Out) :-
    called(G, I, Goal),
    local_continuation(Goal, at(M, call), I, Next, K),
    solve(K, Ks, F, Cs, S, Out).
solve(enter(V, K), Ks, F, Cs, S, Out) :-
    prolog_current_choice(B),
    solve(K, Ks, F, [V-B|Cs], S, Out).
solve(enter(V, B, K), Ks, F, Cs, S, Out) :-
    solve(K, Ks, F, [V-B|Cs], S, Out).
solve(leave(K), Ks, F, [_|Cs], S, Out) :-
    solve(K, Ks, F, Cs, S, Out).
solve(cut(V, I, K), Ks, F, Cs, S, Out) :-
    meaning(Cs, V, B),
    cut_height(S, B, I, Height),
    prolog_cut_to(Height),
    solve(K, Ks, F, Cs, S, Out).
solve(or(A, B), Ks, F, Cs, S, Out) :-
    ( solve(A, Ks, F, Cs, S, Out) ; solve(B, Ks, F, Cs, S, Out) ).
solve(if(A, B, C), Ks, F, Cs, S, Out) :-
    F1 is F+1,
    (   solve(A, [], F1, [], S, _)
    ->  solve(B, Ks, F, Cs, S, Out)
    ;   solve(C, Ks, F, Cs, S, Out)
    ).
solve(soft(A, B, C), Ks, F, Cs, S, Out) :-
    F1 is F+1,
    (   solve(A, [], F1, [], S, _)
    *-> solve(B, Ks, F, Cs, S, Out)
    ;   solve(C, Ks, F, Cs, S, Out)
    ).
solve(not(A, K), Ks, F, Cs, S, Out) :-
    F1 is F+1,
    \+ solve(A, [], F1, [], S, _),
    solve(K, Ks, F, Cs, S, Out).
solve(all(T, A, L, K), Ks, F, Cs, S, Out) :-
    F1 is F+1,
    findall(T, ( solve(A, [], F1, [], S, _), fits(T) ), L0),
    L = L0,
    solve(K, Ks, F, Cs, S, Out).
solve(fault(Formal, I), _, _, _, _, _) :-
    throw(slp_fault(Formal, I)).

return([], _, _, S, Out) :-
    ( S = every(Mass) -> Out = proof(Mass) ; Out = proof ).
return([K|Ks], F, Cs, S, Out) :-
    solve(K, Ks, F, Cs, S, Out).

%   Continue with the continuation of a clause, and then with K.

call_continuation(K, KC, Ks, F, Cs, S, Out) :-
    (   K == return
    ->  solve(KC, Ks, F, Cs, S, Out)
    ;   solve(KC, [K|Ks], F, Cs, S, Out)
    ).

called(G, I, Goal) :-
    (   var(G)
    ->  throw(slp_fault(unbound_goal, I))
    ;   with_arguments(G, Goal0)
    ->  ( nonvar(Goal0) -> Goal = Goal0 ; uncallable(G, I) )
    ;   Goal = G
    ).

uncallable(G, I) :-
    arg(1, G, Closure),
    ( var(Closure) -> Formal = unbound_goal ; Formal = not_callable(Closure) ),
    throw(slp_fault(Formal, I)).

meaning([V0-B0|Cs], V, B) :-
    ( V0 == V -> B = B0 ; meaning(Cs, V, B) ).

%   A cut removes logical alternatives, never stochastic ones. Removing alternatives of goals before a
%   stochastic goal is an error.

cut_height(_, crosses, I, _) :- !, throw(slp_fault(crossing_cut, I)).
cut_height(search, B, _, B).
cut_height(every(_), B, _, B).
cut_height(draw(_, Drawn, Bad), B, I, Height) :-
    (   Bad > B
    ->  throw(slp_fault(crossing_cut, I))
    ;   Height is max(B, Drawn)
    ).

%!  options(+Call, ?Number, ?Label, +Indicator, +Clause, -Options) is det.
%
%   Options: Number-Label for each clause whose head matches and whose label is above 0. A clause whose
%   body binds its label has an instance for each proof of the goals that do; the number of the proof, from 1
%   on, is above the 32 bits of the clause's number.

options(C, N, L, M:P, I, Options) :-
    findall(Number-V, matching(C, L, M, N, Number, V), Options),
    total(Options, 0, Total),
    current_prolog_flag(slp_tolerance, Tolerance),
    (   Total > 1 + Tolerance, \+ allowed(M, weights)
    ->  throw(slp_fault(large_sum(P, Total), I))
    ;   true
    ).

matching(C, L, M, N, Number, V) :-
    call(C),
    (   L = guarded(K, L1)
    ->  call_nth(solve(K, [], 1, [], search, _), J),
        Number is N + (J << 32),
        label(L1, M, N, V)
    ;   Number = N,
        label(L, M, N, V)
    ),
    V > 0.

%   Bind a call as the option with a number does.

entered(C, N, Number) :-
    N is Number /\ 0xFFFFFFFF,
    J is Number >> 32,
    (   J =:= 0
    ->  once(C)
    ;   C = _:Fact,
        functor(Fact, _, Arity),
        At is Arity-1,
        once(( call(C), arg(At, Fact, guarded(K, _)), call_nth(solve(K, [], 1, [], search, _), J) ))
    ).

total([], T, T).
total([_-V|Os], T0, T) :- T1 is T0+V, total(Os, T1, T).

label(L, M, N, V) :-
    ( number(L) -> V0 = L ; value(L, M, N, V0) ),
    (   ( V0 < 0 ; V0 =:= inf )
    ->  V1 is float(V0), throw(slp_fault(label(V1), N))
    ;   V = V0
    ).

%!  choose(+Mode, +Options, +Call, ?Number, ?Continuation, +Next, +Behind, +Cuts, -Out)
%
%   In a search, stop with exit(Call, Number, Continuation, Next, Behind, Cuts, Options). Otherwise continue
%   with each of the clauses, or in a draw with one that is drawn.

choose(search, Options, C, N, KC, K, Ks, Cs, exit(C, N, KC, K, Ks, Left, Options)) :-
    prolog_current_choice(Now),
    left_behind(Cs, Now, Left).
choose(every(Mass0), Options, C, N, KC, K, Ks, Cs0, Out) :-
    prolog_current_choice(Now),
    left_behind(Cs0, Now, Left),
    member(Number-V, Options),
    entered(C, N, Number),
    Mass is Mass0*V,
    prolog_current_choice(Here),
    resumed(Left, Here, Cs),
    call_continuation(K, KC, Ks, 0, Cs, every(Mass), Out).
choose(draw(Way, Drawn, Bad), Options, C, N, KC, K, Ks, Cs, Out) :-
    prolog_current_choice(Now),
    ( Now > Drawn -> Bad1 = Now ; Bad1 = Bad ),
    drawn(Way, Options, Number),
    entered(C, N, Number),
    prolog_current_choice(Drawn1),
    call_continuation(K, KC, Ks, 0, Cs, draw(Way, Drawn1, Bad1), Out).

left_behind([], _, []).
left_behind([V-B|Cs], Now, [V-Left|Ls]) :-
    ( B == Now -> Left = here ; Left = crosses ),
    left_behind(Cs, Now, Ls).

drawn(rejection, Options, N) :-
    X is random_float,
    pick(Options, X, N, _).
drawn(backtracking, Options, N) :-
    redraw(Options, N).

redraw(Options, N) :-
    total(Options, 0, Total),
    X is random_float*Total,
    ( pick(Options, X, N0, Left) -> true ; append(Left, [N0-_], Options) ),
    (   Left == []
    ->  N = N0
    ;   N = N0
    ;   redraw(Left, N)
    ).

pick([N0-V|Os], X, N, Left) :-
    (   X < V
    ->  N = N0, Left = Os
    ;   X1 is X-V,
        Left = [N0-V|Left1],
        pick(Os, X1, N, Left1)
    ).

                 /*******************************
                 *           SEARCHES           *
                 *******************************/

%!  slp_open(+Module, +Goals, +Merges, -Result) is det.
%
%   Goals is [Variables, Tokens] for a term goals(Goal, Answer). If Merges is `merges`, stored goals that
%   are variants of each other are one. Result is [Search, Id], where Id is the number of the start, or a
%   fault.

slp_open(Module, [Count, Tokens], Merges, [Search, Result]) :-
    flag(slp_search, Search, Search+1),
    ( Merges == merges -> trie_new(Trie), assertz(trie_of(Search, Trie)) ; true ),
    decode(Count, Tokens, goals(Goal, Answer)),
    catch(( local_continuation(Goal, at(Module, call), -1, return, K),
            put_down(Search, start(K, Answer), Result) ),
          Fault,
          outcome_of(Fault, Result)).

%!  slp_close(+Search, -Done) is det.

slp_close(Search, done) :-
    forall(retract(trie_of(Search, Trie)), trie_destroy(Trie)),
    forall(retract(kept(Search, _, Record)), erase(Record)).

put_down(Search, Term, Id) :-
    trie_of(Search, Trie),
    !,
    (   trie_lookup(Trie, Term, Id0)
    ->  Id = Id0
    ;   put_down_new(Search, Term, Id),
        trie_insert(Trie, Term, Id)
    ).
put_down(Search, Term, Id) :-
    put_down_new(Search, Term, Id).

put_down_new(Search, Term, Id) :-
    flag(slp_put_down, Id, Id+1),
    recordz(slp_put_down, Term, Record),
    assertz(kept(Search, Id, Record)).

%!  slp_expand(+Search, +From, +Skip, +Limits, -Result) is det.
%
%   Continue from a stored goal until proofs and stochastic goals are reached, and skip the first Skip of
%   them. From is [Id, Number] with the number of a clause (-1 for the start). Result is
%   [Used, Outcome|Found]: the inferences, the outcome of guarded/3, and the results, also if a limit was
%   reached. Parts of terms that are copied count as inferences, too. Each result is [proof, Variables, Tokens] or [exit, Id, [[Number, Label], ...]].

slp_expand(Search, From, Skip, Limits, [Used, Outcome|Found]) :-
    statistics(inferences, Before),
    guarded(expand(Search, From, Skip), Limits, Outcome),
    statistics(inferences, After),
    parts_per_inference(Parts),
    copied(Copied),
    Used is After-Before+Copied//Parts,
    findall(Out, retract_found(Out), Outs),
    found(Outs, Search, Found).

retract_found(Out) :-
    recorded(slp_found, Out, Record),
    erase(Record).

expand(Search, [Id, Number], Skip) :-
    kept(Search, Id, Record),
    !,
    instance(Record, Start),
    Count = count(0),
    (   run(Start, Number, Out),
        arg(1, Count, N0),
        N is N0+1,
        nb_setarg(1, Count, N),
        N > Skip,
        fits(Out),
        recordz(slp_found, Out),
        fail
    ;   true
    ).

run(start(K, Answer), _, Out) :-
    solve(K, [], 0, [], search, Out0),
    out(Out0, Answer, Out).
run(exit(C, N, KC, K, Ks, Left, Answer), Number, Out) :-
    entered(C, N, Number),
    prolog_current_choice(Here),
    resumed(Left, Here, Cs),
    call_continuation(K, KC, Ks, 0, Cs, search, Out0),
    out(Out0, Answer, Out).

out(proof, Answer, proof(Answer)).
out(exit(C, N, KC, K, Ks, Left, Options), Answer,
    exit(exit(C, N, KC, K, Ks, Left, Answer), Options)).

resumed([], _, []).
resumed([V-Left|Ls], Here, [V-B|Cs]) :-
    ( Left == here -> B = Here ; B = Left ),
    resumed(Ls, Here, Cs).

found([], _, []).
found([proof(Answer)|Outs], Search, [[proof, Count, Tokens]|Found]) :-
    encode(Answer, Count, Tokens),
    found(Outs, Search, Found).
found([exit(Exit, Options0)|Outs], Search, [[exit, Id, Options]|Found]) :-
    put_down(Search, Exit, Id),
    pairs(Options0, Options),
    found(Outs, Search, Found).

pairs([], []).
pairs([N-V|Os], [[N, V]|Ps]) :- pairs(Os, Ps).

                 /*******************************
                 *            DRAWS             *
                 *******************************/

%!  slp_draws(+Module, +Goals, +Way, +Options, +Limits, -Result) is det.
%
%   Draw answers. Options is [Count, Seed]. Result is [Outcome, Tries, [Variables, Tokens], ...] with the
%   outcome of guarded/3. The limits are those of one draw.

slp_draws(Module, [Variables, Tokens], Way, [Count, Seed], Limits, [Outcome, Tries|Draws]) :-
    set_random(seed(Seed)),
    decode(Variables, Tokens, goals(Goal, Answer)),
    catch(( local_continuation(Goal, at(Module, call), -1, return, K),
            draws(Count, draw(Way, K, Answer), Limits, 0, Tries, Draws, Outcome) ),
          Fault,
          ( outcome_of(Fault, Outcome), Tries = 0, Draws = [] )).

draws(0, _, _, Tries, Tries, [], done) :- !.
draws(N, Draw, Limits, Tries0, Tries, Draws, Outcome) :-
    guarded(call(Draw, Answer, More), Limits, Outcome0),
    (   Outcome0 == done
    ->  Tries1 is Tries0+More,
        N1 is N-1,
        encode(Answer, Count, Tokens),
        Draws = [[Count, Tokens]|Draws1],
        draws(N1, Draw, Limits, Tries1, Tries, Draws1, Outcome)
    ;   Tries = Tries0, Draws = [], Outcome = Outcome0
    ).

draw(rejection, K, Answer, Drawn, Tries) :-
    Count = tries(0),
    repeat,
    arg(1, Count, Tries0),
    Tries is Tries0+1,
    nb_setarg(1, Count, Tries),
    findall(Answer, limit(2, ( drawn_proof(rejection, K), fits(Answer) )), Answers),
    Answers = [First|More],
    !,
    ( More == [] -> Drawn = First ; throw(slp_fault(several_proofs, -1)) ).
draw(backtracking, K, Answer, Drawn, 1) :-
    findall(Answer, limit(1, ( drawn_proof(backtracking, K), fits(Answer) )), Answers),
    ( Answers = [Drawn] -> true ; throw(slp_fault(nothing_to_draw, -1)) ).

drawn_proof(Way, K) :-
    prolog_current_choice(Start),
    solve(K, [], 0, [], draw(Way, Start, 0), _).

                 /*******************************
                 *          PREDICATES          *
                 *******************************/

%!  slp_first(+Module, +Goals, +Limits, -Result) is det.
%
%   The first answer of a goal without stochastic predicates. Result is [done, Variables, Tokens], or
%   [done] if there is none, or another outcome of guarded/3.

slp_first(Module, [Variables, Tokens], Limits, [Outcome|Found]) :-
    decode(Variables, Tokens, goals(Goal, Answer)),
    guarded(first(Goal, Module, Answer, Answers), Limits, Outcome),
    (   Outcome == done, Answers = [First]
    ->  encode(First, Count, Encoded), Found = [Count, Encoded]
    ;   Found = []
    ).

first(Goal, Module, Answer, Answers) :-
    inner_continuation(Goal, at(Module, call), -1, K),
    findall(Answer, limit(1, ( solve(K, [], 1, [], search, _), fits(Answer) )), Answers).

%!  slp_ways(+Module, +Goal, +Limits, -Result) is det.
%
%   The rules that apply to a box with a nonterminal, in a program of tree rules that was expanded on a
%   table and in which grown/3 stops at the parts of the box. Goal is [Variables, Tokens] of a term
%   Nonterminal-Box. Result is [Outcome|Ways] with the outcome of guarded/3. Each way is
%   [Number, Mass|Trees] with the number of a rule and its probability (or weight, if labels are weights).
%   Each tree is [Mass, Variables, Tokens], with its probability or weight.

slp_ways(Module, [Variables, Tokens], Limits, [Outcome|Ways]) :-
    decode(Variables, Tokens, Nonterminal-Box),
    guarded(ways(Module, Nonterminal, Box, Found), Limits, Outcome),
    ( Outcome == done -> encoded_ways(Found, Ways) ; Ways = [] ).

ways(Module, Nonterminal, Box, Ways) :-
    every(Module, way(Nonterminal, Box, Rule), Rule, Rules),
    findall(way(Number, Mass, Trees),
            ( member(Mass-R, Rules), arg(1, R, Number), every(Module, grow(R, Box, Tree), Tree, Trees) ),
            Ways).

%   All answers of a goal, in order, each with the mass of its proof.

every(Module, Goal, Answer, Answers) :-
    local_continuation(Goal, at(Module, call), -1, return, K),
    findall(Mass-Answer, ( solve(K, [], 0, [], every(1), proof(Mass)), fits(Answer) ), Answers).

encoded_ways([], []).
encoded_ways([way(Number, Mass, Trees)|Ways], [[Number, Mass|Encoded]|More]) :-
    encoded_trees(Trees, Encoded),
    encoded_ways(Ways, More).

encoded_trees([], []).
encoded_trees([Mass-Tree|Trees], [[Mass, Count, Tokens]|More]) :-
    encode(Tree, Count, Tokens),
    encoded_trees(Trees, More).

%!  slp_consult(+File, -Result) is det.
%
%   Result is `done`, or an error message.

slp_consult(File, Result) :-
    catch(( load_files(user:File, [if(changed), silent(true)]), Result = done ),
          Error,
          message_text(Error, Result)).

                 /*******************************
                 *            LIMITS            *
                 *******************************/

%!  guarded(:Goal, +Limits, -Outcome) is det.
%
%   Call a goal that has one answer, with occurs check, SWI-Prolog's default arithmetic and the limits
%   Limits = [Inferences, Bytes, Largest, Watch]: Bytes of the stacks, parts of the Largest copied term, and
%   the watch that can end it (`none`). Outcome is `done`; `inferences`, `memory` or `time`, the limit that
%   was reached; `interrupt` by Ctrl-C; or [Clause, Formal|Arguments] for a fault.

:- meta_predicate guarded(0, +, -), with_flags(+, 0).

guarded(_, [_, _, _, Watch], Outcome) :-
    is_over(Watch, Outcome),
    !.
guarded(Goal, [Limit, Bytes, Largest, Watch], Outcome) :-
    thread_self(Me),
    parts_per_inference(Parts),
    Most is Limit*Parts,
    allow_copies(Largest, Most),
    catch(with_flags([ occurs_check=true, iso=false, prefer_rationals=false,
                       float_zero_div=error, float_overflow=error, float_undefined=error,
                       stack_limit=Bytes
                     ],
                     ( assertz(working(Me, Watch)),
                       call_with_inference_limit(Goal, Limit, How),
                       retractall(working(Me, _)) )),
          Fault,
          retractall(working(Me, _))),
    (   is_over(Watch, Outcome)
    ->  true
    ;   nonvar(Fault)
    ->  outcome_of(Fault, Outcome)
    ;   How == inference_limit_exceeded
    ->  Outcome = inferences
    ;   Outcome = done
    ).

%   Parts of copied terms that count as one inference of SWI-Prolog, about as in Python.

parts_per_inference(2).

with_flags(Flags, Goal) :-
    old_flags(Flags, Old),
    setup_call_cleanup(set_flags(Flags), once(Goal), set_flags(Old)).

old_flags([], []).
old_flags([Flag=_|Fs], [Flag=Old|Os]) :- current_prolog_flag(Flag, Old), old_flags(Fs, Os).

set_flags([]).
set_flags([Flag=Value|Fs]) :- set_prolog_flag(Flag, Value), set_flags(Fs).

outcome_of(slp_fault(Formal, I), [I|Said]) :- !, said(Formal, Said).
outcome_of(error(resource_error(_), _), memory) :- !.
outcome_of(slp_copies, inferences) :- !.
outcome_of(slp_large(Largest), [-1, too_large, Largest]) :- !.
outcome_of(error(Formal, Context), [-1|Said]) :- !, said(swi(Formal, Context), Said).
outcome_of(Ball, [-1|Said]) :- said(swi(unhandled(Ball), _), Said).

said(swi(evaluation_error(zero_divisor), _), [zero_divisor]) :- !.
said(swi(Formal, Context), [swi, Text]) :-
    !,
    ( nonvar(Context), Context = context(_, Message) -> true ; true ),
    message_text(error(Formal, context(_, Message)), Text).
said(not_callable(Term), [not_callable, Count, Tokens]) :- !, encode(Term, Count, Tokens).
said(not_a_number(Term), [not_a_number, Count, Tokens]) :- !, encode(Term, Count, Tokens).
said(Formal, [Name|Args]) :-
    Formal =.. [Name|Args0],
    plain(Args0, Args).

message_text(Error, Text) :-
    phrase(prolog:translate_message(Error), Lines),
    !,
    with_output_to(string(Text), print_message_lines(current_output, '', Lines)).

%   The arguments of a fault as numbers and names, for Python.

plain([], []).
plain([A0|As0], As) :- nonvar(A0), A0 = Name/Arity, !, As = [Name, Arity|As1], plain(As0, As1).
plain([A|As0], [A|As]) :- number(A), !, plain(As0, As).
plain([A|As0], [A|As]) :- atom(A), !, plain(As0, As).
plain([A0|As0], [A|As]) :- term_to_atom(A0, A), plain(As0, As).

                 /*******************************
                 *      TIME AND INTERRUPTS     *
                 *******************************/

%!  slp_watch(+Seconds, +Descriptor, -Watch) is det.
%!  slp_unwatch(+Watch, -Told) is det.
%
%   From so many seconds on (-1: never), or from Ctrl-C on, end the guarded goals of this watch. The
%   descriptor of a pipe gets the number of each signal of the process, and 0 for the end, before
%   slp_unwatch/2. Told is 1 if an outcome was `time` or `interrupt`.
%
%   SWI-Prolog has no handler for Ctrl-C: it sometimes loses the signal, and what a handler throws in some of
%   its own steps, such as the end of findall/3. A thread signals the goals again and again, so that one
%   inference may take long, and they look at over/2 when they end.

slp_watch(Seconds, Descriptor, Watch) :-
    flag(slp_watch, N, N+1),
    atom_concat(slp_watch_, N, Watch),
    atom_concat('/dev/fd/', Descriptor, File),
    open(File, read, Signals, [type(binary), buffer(false)]),
    (   Seconds < 0
    ->  End = infinite
    ;   get_time(Now),
        End is Now+Seconds
    ),
    thread_create(call_cleanup(watch(Watch, Signals, End), close(Signals)), _, [alias(Watch)]).

watch(Watch, Signals, End) :-
    (   End == infinite
    ->  Left = infinite
    ;   get_time(Now),
        Left is max(End-Now, 0.001)  % 0 is for ever
    ),
    wait_for_input([Signals], Ready, Left),
    (   Ready == []
    ->  end_all(Watch, Signals, time)
    ;   get_byte(Signals, Byte),
        (   Byte =< 0
        ->  true
        ;   Byte =:= 2
        ->  end_all(Watch, Signals, interrupt)
        ;   watch(Watch, Signals, End)
        )
    ).

end_all(Watch, Signals, Why) :-
    assertz(over(Watch, Why)),
    repeat,
    forall(working(Thread, Watch),
           catch(thread_signal(Thread, slp_engine:end_guarded(Watch)), _, true)),
    wait_for_input([Signals], Ready, 0.2),
    Ready = [_],
    get_byte(Signals, Byte),
    Byte =< 0,
    !.

end_guarded(Watch) :-
    thread_self(Me),
    ( working(Me, Watch) -> throw(slp_over) ; true ).

is_over(Watch, Why) :-
    over(Watch, Why),
    !,
    ( told(Watch) -> true ; assertz(told(Watch)) ).

slp_unwatch(Watch, Told) :-
    thread_join(Watch, _),
    retractall(over(Watch, _)),
    ( retract(told(Watch)) -> Told = 1 ; Told = 0 ).

                 /*******************************
                 *             TERMS            *
                 *******************************/

%!  decode(+Count, +Tokens, -Term) is det.
%!  encode(+Term, -Count, -Tokens) is det.
%
%   A term as a flat list in preorder. Python and Prolog can make and read such lists without deep
%   recursion. The items: a,Name  e (the empty list)  n,Number  t,String  v,Index  s,Name,Arity and the
%   arguments. encode/3 gives the term's variables attributes; programs have no attributed variables.

decode(Count, Tokens, Term) :-
    length(Vars, Count),
    compound_name_arguments(Array, v, Vars),
    decode_all([Term], Array, Tokens).

decode_all([], _, _).
decode_all([T|Ts], Vs, [Kind|Tokens]) :-
    decode_one(Kind, Tokens, Vs, T, Ts, Todo, Rest),
    decode_all(Todo, Vs, Rest).

decode_one(a, [Name|Rest], _, Name, Ts, Ts, Rest).
decode_one(e, Rest, _, [], Ts, Ts, Rest).
decode_one(n, [N|Rest], _, N, Ts, Ts, Rest).
decode_one(t, [Name|Rest], _, Text, Ts, Ts, Rest) :- atom_string(Name, Text).
decode_one(v, [I|Rest], Vs, V, Ts, Ts, Rest) :- arg(I, Vs, V).
decode_one(s, [Name, Arity|Rest], _, T, Ts, Todo, Rest) :-
    length(Args, Arity),
    compound_name_arguments(T, Name, Args),
    append(Args, Ts, Todo).

encode(Term, Count, Tokens) :-
    term_variables(Term, Vars),
    number_variables(Vars, 1, Count),
    encode_all([Term], Tokens).

number_variables([], N, Count) :- Count is N-1.
number_variables([V|Vs], N, Count) :-
    put_attr(V, slp_engine, N),
    N1 is N+1,
    number_variables(Vs, N1, Count).

encode_all([], []).
encode_all([T|Ts], Tokens) :-
    (   T == []
    ->  Tokens = [e|Rest], Todo = Ts
    ;   atom(T)
    ->  Tokens = [a, T|Rest], Todo = Ts
    ;   number(T)
    ->  Tokens = [n, T|Rest], Todo = Ts
    ;   string(T)
    ->  Tokens = [t, T|Rest], Todo = Ts
    ;   get_attr(T, slp_engine, I)
    ->  Tokens = [v, I|Rest], Todo = Ts
    ;   compound_name_arguments(T, Name, Args),
        length(Args, Arity),
        Tokens = [s, Name, Arity|Rest],
        append(Args, Ts, Todo)
    ),
    encode_all(Todo, Rest).
