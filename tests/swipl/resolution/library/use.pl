% What a Prolog user does with library(slp); tests/swipl/resolution/test_library.py compares what it prints.

:- use_module(library(slp)).

:- begin_slp(coins).
0.6 :: coin(heads).
0.4 :: coin(tails).
same(X) :- coin(X), coin(X).
:- end_slp.

:- begin_slp(depth_2).
:- param(p, 0.7).
:- start(tree(0)).
p     :: tree(D) --> { D < 2 }, split(F, V), tree(D+1), tree(D+1).
1 - p :: tree(_) --> leaf.
:- end_slp.

% Prolog's own grammar rules and clauses, before and after, are as ever.
as --> [].
as --> [a], as.
coin(mine).

table([age-[10, 20, 40, 70], sex-[f, m, m, f], ill-[no, no, yes, yes]]).

show(Name, Term) :-
    format("~w: ~q.~n", [Name, Term]).

shown(grammar_rules) :- phrase(as, [a, a]), findall(X, coin(X), [mine]).
shown(query) :-
    slp_program(coins, Program),
    findall(X-P, slp_query(Program, same(X), P), Answers),
    show(query, Answers).
shown(compound) :-
    slp_program(coins, Program),
    findall(X-Y, slp_query(Program, (coin(X), Y = [X, f(_, 'A b')]), _), [_-[_, f(Z, B)]|_]),
    var(Z),
    show(compound, B).
shown(draw) :-
    slp_program(coins, Program),
    slp_draw(Program, coin(X), [seed=3]),
    show(draw, X).
shown(in_prolog) :-
    slp_program(coins, Program),
    slp_draw(Program, coin(X), [seed=3, engine=prolog]),
    show(in_prolog, X).
shown(posterior) :-
    slp_program(depth_2, Program),
    table(Table),
    slp_posterior(Program, Table, Posterior, [draws=0]),
    slp_map(Posterior, Map),
    show(map, Map),
    slp_log_evidence(Posterior, LogEvidence),
    show(log_evidence, LogEvidence),
    slp_probability(Posterior, split(age, 30, leaf([]), leaf([])), Probability),
    show(probability, Probability),
    slp_trees(Posterior, 3, Trees, [seed=1]),
    show(trees, Trees).
shown(level) :-
    slp_program(depth_2, Program),
    table(Table),
    slp_posterior(Program, Table, Posterior, [draws=0]),
    slp_probability(Posterior, split(sex, f, leaf([]), leaf([])), Probability),
    show(level, Probability).
shown(classes) :-
    slp_program(depth_2, Program),
    slp_posterior(Program, [age-[10, 20, 40, 70], ill-[0, 0, 12, 12]], Posterior, [draws=0]),
    slp_map(Posterior, Map),
    show(classes, Map).
shown(file) :-
    slp_load('prior.slp', Program, [alpha=0.5]),
    slp_prior(Program, 'table.csv', Prior, [y=ill]),
    slp_probability(Prior, leaf([]), Probability),
    show(file, Probability).
shown(no_block) :-
    catch(slp_program(none, _), error(Error, _), show(no_block, Error)).
shown(fault) :-
    slp_program(coins, Program),
    catch(slp_query(Program, no(_), _), error(python_error(Kind, _), _), show(fault, Kind)).

:- initialization(( forall(clause(shown(Name), _),
                           ( shown(Name) -> true ; show(failed, Name) )),
                    halt )).
