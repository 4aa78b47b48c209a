/*  library(slp): stochastic logic programs over decision trees, from SWI-Prolog.

A program is a file, a library prior, or a block of a Prolog file between :- begin_slp(Name) and
:- end_slp. The clauses of a block are read with the operator `::` and stored before Prolog translates
grammar rules or expands terms. The Python package slp reads them, through janus. docs/prolog.md has the
details.

Trees are terms: split(Feature, Threshold, Left, Right), where an atom, the level, stands in place of the
threshold of a categorical feature, and leaf(Summary), where Summary is a list such as
[counts-[no-2, yes-1]] or [n-3, mean-3.4].
*/

:- module(slp,
          [ op(1150, xfx, ::),
            begin_slp/1,        % +Name
            end_slp/0,
            slp_program/2,      % +Name, -Program
            slp_load/2,         % +File, -Program
            slp_load/3,         % +File, -Program, +Parameters
            slp_query/3,        % +Program, ?Goal, -Probability
            slp_draw/3,         % +Program, ?Goal, +Options
            slp_prior/4,        % +Program, +Table, -Distribution, +Options
            slp_posterior/4,    % +Program, +Table, -Distribution, +Options
            slp_trees/4,        % +Distribution, +Count, -Trees, +Options
            slp_map/2,          % +Distribution, -Tree
            slp_log_evidence/2, % +Distribution, -LogEvidence
            slp_probability/3   % +Distribution, +Tree, -Probability
          ]).
:- use_module(library(janus)).
:- use_module(library(apply)).
:- use_module(library(lists)).

:- dynamic
    open_block/2,       % open_block(Module, Name): a block that is being read
    block_text/3,       % block_text(Module, Name, Text): its clauses, in order
    parsed/3.           % parsed(Module, Name, Program)

:- meta_predicate slp_program(:, -).

                 /*******************************
                 *           PROGRAMS           *
                 *******************************/

%!  begin_slp(+Name)
%!  end_slp
%
%   Directives around a program called Name in a Prolog file.

begin_slp(Name) :-
    prolog_load_context(module, Module),
    must_be(atom, Name),
    retractall(block_text(Module, Name, _)),
    retractall(parsed(Module, Name, _)),
    assertz(open_block(Module, Name)),
    style_check(-singleton).

end_slp :-
    prolog_load_context(module, Module),
    (   retract(open_block(Module, _))
    ->  style_check(+singleton)
    ;   throw(error(context_error(no_begin_slp), _))
    ).

:- multifile user:term_expansion/2.
:- dynamic user:term_expansion/2.

user:term_expansion(Term, []) :-
    prolog_load_context(module, Module),
    slp:open_block(Module, Name),
    Term \== (:- end_slp),
    Term \== end_of_file,
    slp:keep(Module, Name, Term).

keep(Module, Name, Term) :-
    prolog_load_context(variable_names, Names),
    with_output_to(string(Text),
                   ( write_term(Term, [quoted(true), variable_names(Names), module(slp)]),
                     write(' .\n') )),
    assertz(block_text(Module, Name, Text)).

%!  slp_program(:Name, -Program) is det.
%
%   The program in a block of this module.

slp_program(Module:Name, Program) :-
    parsed(Module, Name, Program),
    !.
slp_program(Module:Name, Program) :-
    findall(Text, block_text(Module, Name, Text), Texts),
    (   Texts == []
    ->  throw(error(existence_error(slp_program, Name), _))
    ;   true
    ),
    atomic_list_concat(Texts, Text),
    object(slp:parse(Text, Name), Program),
    assertz(parsed(Module, Name, Program)).

%!  slp_load(+File, -Program) is det.
%!  slp_load(+File, -Program, +Parameters) is det.
%
%   A program from a file, or a library prior by its name; Parameters are Name=Value.

slp_load(File, Program) :-
    slp_load(File, Program, []).

slp_load(File, Program, Parameters) :-
    called(load, [File|Parameters], Load),
    object(slp:Load, Program).

                 /*******************************
                 *           QUERIES            *
                 *******************************/

%!  slp_query(+Program, ?Goal, -Probability) is nondet.
%
%   The answers of a goal, by decreasing probability.

slp_query(Program, Goal, Probability) :-
    goal_text(Goal, Names, Text),
    object(Program:query(Text), Found),
    py_call(Found:to_dict(), Said, [py_string_as(atom)]),
    get_dict(answers, Said, Answers),
    member(Answer, Answers),
    get_dict(probability, Answer, Probability),
    maplist(bound(Answer), Names).

%!  slp_draw(+Program, ?Goal, +Options) is det.
%
%   Bind the goal's variables by a draw. Options are those of Program.draw in Python, such as seed=1.

slp_draw(Program, Goal, Options) :-
    goal_text(Goal, Names, Text),
    called(draw, [Text, 1|Options], Draw),
    object(Program:Draw, Draws),
    py_call(Draws:to_dict(), Said, [py_string_as(atom)]),
    get_dict(draws, Said, [Answer]),
    maplist(bound(Answer), Names).

goal_text(Goal, Names, Text) :-
    term_variables(Goal, Variables),
    named(Variables, 1, Names),
    with_output_to(string(Text),
                   write_term(Goal, [quoted(true), ignore_ops(true), variable_names(Names)])).

named([], _, []).
named([V|Vs], I, [Name=V|Ns]) :-
    atom_concat('V', I, Name),
    I1 is I+1,
    named(Vs, I1, Ns).

%   Python gives numbers as numbers, and other terms as Prolog text.

bound(Answer, Name=Variable) :-
    get_dict(Name, Answer, Value),
    ( atom(Value) -> term_to_atom(Variable, Value) ; Variable = Value ).

                 /*******************************
                 *            TREES             *
                 *******************************/

%!  slp_prior(+Program, +Table, -Distribution, +Options) is det.
%!  slp_posterior(+Program, +Table, -Distribution, +Options) is det.
%
%   Table is the name of a file, or a list of Column-Values with the response last. Options are those
%   of Program.posterior in Python, such as engine=mh, seed=1, y=ill.

slp_prior(Program, Table, Prior, Options) :-
    distribution(prior, Program, Table, Prior, Options).

slp_posterior(Program, Table, Posterior, Options) :-
    distribution(posterior, Program, Table, Posterior, Options).

distribution(Method, Program, Table, Distribution, Options) :-
    frame(Table, Frame),
    called(Method, [Frame|Options], Call),
    object(Program:Call, Distribution).

frame(Columns, Frame) :-
    is_list(Columns),
    !,
    maplist([Name-_, Name]>>true, Columns, Names),
    dict_pairs(Dict, py, Columns),
    object(polars:'DataFrame'(Dict), Unordered),
    object(Unordered:select(Names), Frame).
frame(File, Frame) :-
    object('slp.data':read_frame(File), Frame).

%!  slp_trees(+Distribution, +Count, -Trees, +Options) is det.
%
%   Draws from a prior or posterior; Options such as seed=1.

slp_trees(Distribution, Count, Trees, Options) :-
    called(sample, [Count|Options], Sample),
    py_call(Distribution:Sample, Found),
    maplist(tree_of, Found, Trees).

%!  slp_map(+Distribution, -Tree) is det.
%
%   The most probable tree.

slp_map(Distribution, Tree) :-
    object(Distribution:map_tree(), Found),
    tree_of(Found, Tree).

%!  slp_log_evidence(+Distribution, -LogEvidence) is semidet.
%
%   Fails if the engine does not compute it.

slp_log_evidence(Distribution, LogEvidence) :-
    py_call(Distribution:log_evidence, LogEvidence),
    number(LogEvidence).

%!  slp_probability(+Distribution, +Tree, -Probability) is det.

slp_probability(Distribution, Tree, Probability) :-
    dict_of(Tree, Dict),
    object(slp:'Tree':from_dict(Dict), Made),
    py_call(Distribution:log_posterior(Made), LogProbability),
    Probability is exp(LogProbability).

tree_of(Object, Tree) :-
    py_call(Object:to_dict(), Dict0, [py_string_as(atom)]),
    ( del_dict(classes, Dict0, Classes, Dict) -> true ; Dict = Dict0, Classes = [] ),
    tree_of_dict(Dict, Classes, Tree).

tree_of_dict(Dict, Classes, split(Feature, Test, Left, Right)) :-
    get_dict(feature, Dict, Feature),
    !,
    ( get_dict(threshold, Dict, Test) -> true ; get_dict(level, Dict, Test) ),
    get_dict(left, Dict, Left0),
    get_dict(right, Dict, Right0),
    tree_of_dict(Left0, Classes, Left),
    tree_of_dict(Right0, Classes, Right).
tree_of_dict(Dict, Classes, leaf(Summary)) :-
    dict_pairs(Dict, _, Pairs),
    maplist(plain(Classes), Pairs, Summary).

%   Counts by class. A class that is a number is a text in a dictionary of Python.

plain(Classes, counts-Dict, counts-Counts) :-
    !,
    dict_pairs(Dict, _, Pairs),
    maplist(typed(Classes), Pairs, Counts).
plain(_, Pair, Pair).

typed(Classes, Text-Count, Class-Count) :-
    (   member(Class, Classes), format(atom(Text), "~w", Class) -> true
    ;   Class = Text
    ).

dict_of(split(Feature, Test, Left0, Right0), Dict) :-
    !,
    ( number(Test) -> Kind = threshold ; Kind = level ),
    dict_of(Left0, Left),
    dict_of(Right0, Right),
    dict_pairs(Dict, py, [feature-Feature, Kind-Test, left-Left, right-Right]).
dict_of(_, py{}).

%   The result of a call as an object. janus would convert many of our objects to lists.

object(Call, Object) :-
    py_call(Call, Object, [py_object(true)]).

%   A call with positional and Name=Value arguments.

called(Name, Arguments, Call) :-
    compound_name_arguments(Call, Name, Arguments).
