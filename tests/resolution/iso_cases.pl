% Cases of ISO/IEC 13211-1 for the built-ins that programs have, by its sections.
%
%     iso(Section, Goal, Template, Expected).            as the standard says
%     iso(Section, Goal, Template, Expected, Here).      the standard says Expected, here it is Here
%     iso(Section, Goal, Template, Expected, Here, SWI).     ... and under SWI-Prolog it is SWI
%
% Expected is the list of the template's instances, in any order, or the kind of the error.

% 7.8 Control
iso('7.8.1', true, x, [x]).
iso('7.8.2', fail, x, []).
iso('7.8.3', call(!), x, [x]).
iso('7.8.3', call(fail), x, []).
iso('7.8.3', call((fail, _)), x, []).
iso('7.8.3', call((fail, call(1))), x, []).
iso('7.8.3', call(_), x, instantiation_error).
iso('7.8.3', call(1), x, type_error).
iso('7.8.3', call((fail, 1)), x, type_error, []).  % a goal is looked at when it is called
iso('7.8.3', call((write(3), 1)), x, type_error, existence_error).  % there is no write/1
iso('7.8.3', call((1 ; true)), x, type_error).
iso('7.8.4', (! ; true), x, [x]).
iso('7.8.4', ((!, fail) ; true), x, []).
iso('7.8.4', (call(!), fail ; true), x, [x]).
iso('7.8.4', (member(X, [1, 2]), !), X, [1]).
iso('7.8.5', (X = 1, var(X)), X, []).
iso('7.8.5', (var(X), X = 1), X, [1]).
iso('7.8.5', (fail, call(3)), x, []).
iso('7.8.5', (nosuch(3), fail), x, existence_error).
iso('7.8.5', (X = true, call(X)), X, [true]).
iso('7.8.6', (true ; fail), x, [x]).
iso('7.8.6', (X = 1 ; X = 2), X, [1, 2]).
iso('7.8.6', ((!, X = 1) ; X = 2), X, [1]).
iso('7.8.7', (true -> true), x, [x]).
iso('7.8.7', (true -> fail), x, []).
iso('7.8.7', (fail -> true), x, []).
iso('7.8.7', (true -> X = 1), X, [1]).
iso('7.8.7', ((X = 1 ; X = 2) -> true), X, [1]).
iso('7.8.7', (true -> (X = 1 ; X = 2)), X, [1, 2]).
iso('7.8.8', (true -> true ; fail), x, [x]).
iso('7.8.8', (fail -> true ; true), x, [x]).
iso('7.8.8', (true -> fail ; fail), x, []).
iso('7.8.8', (fail -> true ; fail), x, []).
iso('7.8.8', (true -> X = 1 ; X = 2), X, [1]).
iso('7.8.8', (fail -> X = 1 ; X = 2), X, [2]).
iso('7.8.8', (true -> (X = 1 ; X = 2) ; true), X, [1, 2]).
iso('7.8.8', ((X = 1 ; X = 2) -> true ; true), X, [1]).
iso('7.8.8', ((!, fail) -> true ; true), x, [x]).

% 8.2 Unification; where the standard leaves it undefined, as the occurs check decides
iso('8.2.1', 1 = 1, x, [x]).
iso('8.2.1', X = 1, X, [1]).
iso('8.2.1', X = Y, X-Y, [A-A]).
iso('8.2.1', (X = Y, X = abc), X-Y, [abc-abc]).
iso('8.2.1', f(X, def) = f(def, Y), X-Y, [def-def]).
iso('8.2.1', 1 = 2, x, []).
iso('8.2.1', 1 = 1.0, x, []).
iso('8.2.1', g(X) = f(f(X)), x, []).
iso('8.2.1', f(X, 1) = f(a(X)), x, []).
iso('8.2.1', f(X, Y, X) = f(a(X), a(Y), Y), x, undefined, []).
iso('8.2.1', X = a(X), x, undefined, []).
iso('8.2.1', f(X, 1) = f(a(X), 2), x, []).
iso('8.2.1', f(1, X, 1) = f(2, a(X), 2), x, []).
iso('8.2.1', f(1, X) = f(2, a(X)), x, []).
iso('8.2.4', 1 \= 1, x, []).
iso('8.2.4', _ \= 1, x, []).
iso('8.2.4', _ \= _, x, []).
iso('8.2.4', f(_, def) \= f(def, _), x, []).
iso('8.2.4', 1 \= 2, x, [x]).
iso('8.2.4', 1 \= 1.0, x, [x]).
iso('8.2.4', g(X) \= f(f(X)), x, [x]).
iso('8.2.4', f(X, 1) \= f(a(X)), x, [x]).
iso('8.2.4', X \= a(X), x, undefined, [x]).

% 8.3 Types
iso('8.3.1', var(foo), x, []).
iso('8.3.1', var(_), x, [x]).
iso('8.3.1', (foo = F, var(F)), x, []).
iso('8.3.2', atom(atom), x, [x]).
iso('8.3.2', atom('string'), x, [x]).
iso('8.3.2', atom(a(b)), x, []).
iso('8.3.2', atom(_), x, []).
iso('8.3.2', atom(6), x, []).
iso('8.3.3', integer(3), x, [x]).
iso('8.3.3', integer(3.3), x, []).
iso('8.3.3', integer(atom), x, []).
iso('8.3.4', float(3.3), x, [x]).
iso('8.3.4', float(3), x, []).
iso('8.3.4', float(_), x, []).
iso('8.3.5', atomic(atom), x, [x]).
iso('8.3.5', atomic(2.3), x, [x]).
iso('8.3.5', atomic(a(b)), x, []).
iso('8.3.5', atomic(_), x, []).
iso('8.3.6', compound(33.3), x, []).
iso('8.3.6', compound(-33.3), x, []).
iso('8.3.6', compound(-(a)), x, [x]).
iso('8.3.6', compound(-(1)), x, [x]).
iso('8.3.6', compound([]), x, []).
iso('8.3.6', compound([a]), x, [x]).
iso('8.3.6', compound(_), x, []).
iso('8.3.7', nonvar(33.3), x, [x]).
iso('8.3.7', nonvar(a(_)), x, [x]).
iso('8.3.7', nonvar(_), x, []).
iso('8.3.8', number(3), x, [x]).
iso('8.3.8', number(3.3), x, [x]).
iso('8.3.8', number(a), x, []).
iso('8.3.9', callable(a), x, [x]).
iso('8.3.9', callable(3), x, []).
iso('8.3.9', callable(_), x, []).
iso('8.3.9', callable((fail, 1)), x, [x]).
iso('8.3.10', ground(3), x, [x]).
iso('8.3.10', ground(a(1, _)), x, []).

% 8.4 Order of terms
iso('8.4.1', 1.0 @=< 1, x, [x]).
iso('8.4.1', 1.0 @< 1, x, [x]).
iso('8.4.1', 1 \== 1, x, []).
iso('8.4.1', aardvark @< zebra, x, [x]).
iso('8.4.1', short @< short, x, []).
iso('8.4.1', short @< shorter, x, [x]).
iso('8.4.1', short @>= shorter, x, []).
iso('8.4.1', foo(b) @> foo(a), x, [x]).
iso('8.4.1', foo(a, b) @< north(a), x, []).
iso('8.4.1', foo(a, X) @< foo(b, Y), X-Y, [A-B]).
iso('8.4.1', X @=< X, X, [A]).
iso('8.4.1', X == X, X, [A]).
iso('8.4.1', X == Y, X-Y, []).
iso('8.4.1', _ \== _, x, [x]).
iso('8.4.1', _ == _, x, []).
iso('8.4.1', foo(a) @< 1, x, []).
iso('8.4.1', 2 @< 1.5, x, [x], []).  % numbers by value here, by type in the standard
iso('8.4.2', compare(O, 3, 5), O, [<]).
iso('8.4.2', compare(O, d, d), O, [=]).
iso('8.4.2', compare(<, 3, 5), x, [x]).
iso('8.4.2', compare(<, d, d), x, []).
iso('8.4.3', sort([1, 1], L), L, [[1]]).
iso('8.4.3', sort([1 + Z, z, a, V, 1, 2, V, 1, 2, 7.0, 8.0, 1 + Z, V, 7.0, 8.0, a, z], [_ | L]), L,
    [[7.0, 8.0, 1, 2, a, z, 1 + _]], [[1, 2, 7.0, 8.0, a, z, 1 + _]]).
iso('8.4.3', sort([X, 1], [1, 1]), X, [1]).
iso('8.4.3', sort([1, 1], [1, 1]), x, []).
iso('8.4.3', sort(_, _), x, instantiation_error).
iso('8.4.3', sort([a | _], _), x, instantiation_error).
iso('8.4.3', sort(a, _), x, type_error).

% 8.5 Terms apart and together
iso('8.5.1', functor(foo(a, b, c), foo, 3), x, [x]).
iso('8.5.1', functor(foo(a, b, c), X, Y), X/Y, [foo/3]).
iso('8.5.1', functor(X, foo, 3), X, [foo(_, _, _)]).
iso('8.5.1', functor(X, foo, 0), X, [foo]).
iso('8.5.1', functor(mats(A, B), A, B), A/B, [mats/2]).
iso('8.5.1', functor(foo(_), foo, 2), x, []).
iso('8.5.1', functor(foo(_), fo, 1), x, []).
iso('8.5.1', functor(1, X, Y), X/Y, [1/0]).
iso('8.5.1', functor(X, 1.1, 0), X, [1.1]).
iso('8.5.1', functor([], [], 0), x, [x]).
iso('8.5.1', functor(_, _, 3), x, instantiation_error).
iso('8.5.1', functor(_, foo, _), x, instantiation_error).
iso('8.5.1', functor(_, foo(a), 1), x, type_error).
iso('8.5.1', functor(_, 1.5, 1), x, type_error).
iso('8.5.1', functor(_, foo, a), x, type_error).
iso('8.5.1', functor(_, foo, -1), x, domain_error).
iso('8.5.2', arg(1, foo(a, b), a), x, [x]).
iso('8.5.2', arg(1, foo(a, b), X), X, [a]).
iso('8.5.2', arg(1, foo(X, b), a), X, [a]).
iso('8.5.2', arg(1, foo(a, b), b), x, []).
iso('8.5.2', arg(0, foo(a, b), foo), x, []).
iso('8.5.2', arg(3, foo(3, 4), _), x, []).
iso('8.5.2', arg(N, foo(a, b), a), N, instantiation_error, [1]).  % arguments are counted off
iso('8.5.2', arg(1, _, a), x, instantiation_error).
iso('8.5.2', arg(a, foo(a, b), _), x, type_error).
iso('8.5.2', arg(0, atom, _), x, type_error).
iso('8.5.2', arg(0, 3, _), x, type_error).
iso('8.5.3', foo(a, b) =.. X, X, [[foo, a, b]]).
iso('8.5.3', X =.. [foo, a, b], X, [foo(a, b)]).
iso('8.5.3', foo(X, b) =.. [foo, a, Y], X-Y, [a-b]).
iso('8.5.3', 1 =.. X, X, [[1]]).
iso('8.5.3', X =.. [1], X, [1]).
iso('8.5.3', foo(_, b) =.. [foo, b, a], x, []).
iso('8.5.3', _ =.. _, x, instantiation_error).
iso('8.5.3', _ =.. [foo | _], x, instantiation_error).
iso('8.5.3', _ =.. [_ | bar], x, instantiation_error, type_error, instantiation_error).
iso('8.5.3', _ =.. [_, bar], x, instantiation_error).
iso('8.5.3', _ =.. [3, 1], x, type_error).
iso('8.5.3', _ =.. [1.1, foo], x, type_error).
iso('8.5.3', _ =.. [a(b), 1], x, type_error).
iso('8.5.3', _ =.. 4, x, type_error).
iso('8.5.3', _ =.. [], x, domain_error).
iso('8.5.4', copy_term(_, _), x, [x]).
iso('8.5.4', copy_term(_, 3), x, [x]).
iso('8.5.4', copy_term(_, a), x, [x]).
iso('8.5.4', copy_term(a + X, X + b), X, [a]).
iso('8.5.4', copy_term(X + X + Y, A + B + B), X-Y-A-B, [P-Q-R-R]).
iso('8.5.4', copy_term(a, a), x, [x]).
iso('8.5.4', copy_term(a, b), x, []).
iso('8.5.4', (copy_term(a + X, X + b), copy_term(a + X, X + b)), X, []).
iso('8.5.4', copy_term(demoen(X, X), demoen(Y, f(Y))), x, undefined, []).

% 8.6, 8.7 Arithmetic
iso('8.6.1', X is 1 + 2, X, [3]).
iso('8.6.1', 3 is 1 + 2, x, [x]).
iso('8.6.1', 3 is 3.0, x, []).
iso('8.6.1', foo is 77, x, []).
iso('8.6.1', 1 is foo, x, type_error).
iso('8.6.1', _ is 77 + _, x, instantiation_error).
iso('8.6.1', _ is foo + 77, x, type_error).
iso('8.6.1', _ is foo(1), x, type_error).
iso('8.7.1', 0 =:= 1, x, []).
iso('8.7.1', 1.0 =:= 1, x, [x]).
iso('8.7.1', 3 * 2 =:= 7 - 1, x, [x]).
iso('8.7.1', _ =:= 5, x, instantiation_error).
iso('8.7.1', foo(1) =:= bar(2), x, type_error).
iso('8.7.1', 0 =\= 1, x, [x]).
iso('8.7.1', 1.0 =\= 1, x, []).
iso('8.7.1', 2 =\= 4 - 2, x, []).
iso('8.7.1', 0 < 1, x, [x]).
iso('8.7.1', 1.0 < 1, x, []).
iso('8.7.1', 3 * 2 < 7 - 1, x, []).
iso('8.7.1', 5 < _, x, instantiation_error).
iso('8.7.1', 1.0 > 1, x, []).
iso('8.7.1', 0 =< 1, x, [x]).
iso('8.7.1', 3 * 2 =< 7 - 1, x, [x]).
iso('8.7.1', 1.0 >= 1, x, [x]).
iso('8.7.1', _ >= 5, x, instantiation_error).

% 8.10 All answers; 8.15 negation, once
iso('8.10.1', findall(X, (X = 1 ; X = 2), S), S, [[1, 2]]).
iso('8.10.1', findall(X + _, X = 1, S), S, [[1 + _]]).
iso('8.10.1', findall(_, fail, L), L, [[]]).
iso('8.10.1', findall(X, (X = 1 ; X = 1), S), S, [[1, 1]]).
iso('8.10.1', findall(X, (X = 2 ; X = 1), [1, 2]), x, []).
iso('8.10.1', findall(_, _, _), x, instantiation_error).
iso('8.10.1', findall(_, 4, _), x, type_error).
iso('8.10.1', findall(A, member(A, [x, y]), [B | C]), B-C, [x-[y]]).
iso('8.15.1', \+ true, x, []).
iso('8.15.1', \+ !, x, []).
iso('8.15.1', \+ (!, fail), x, [x]).
iso('8.15.1', ((X = 1 ; X = 2), \+ (!, fail)), X, [1, 2]).
iso('8.15.1', \+ 4 = 5, x, [x]).
iso('8.15.1', \+ 3, x, type_error).
iso('8.15.1', \+ (fail, 1), x, type_error, [x]).
iso('8.15.1', \+ _, x, instantiation_error).
iso('8.15.2', once(!), x, [x]).
iso('8.15.2', (once(!), (X = 1 ; X = 2)), X, [1, 2]).
iso('8.15.2', once((X = 1 ; X = 2)), X, [1]).
iso('8.15.2', once(fail), x, []).
iso('8.15.2', once(3), x, type_error).
iso('8.15.2', once(_), x, instantiation_error).
iso('8.15.4', call(member(X), [1, 2]), X, [1, 2]).
iso('8.15.4', call(1, a), x, type_error).
iso('8.15.4', call(_, a), x, instantiation_error).

% 8.16 Atoms
iso('8.16.1', atom_length('enchanted evening', N), N, [17]).
iso('8.16.1', atom_length('', N), N, [0]).
iso('8.16.1', atom_length(scarlet, 5), x, []).
iso('8.16.1', atom_length(_, 4), x, instantiation_error).
iso('8.16.1', atom_length(1.23, 4), x, type_error, [x]).  % of numbers, their text
iso('8.16.1', atom_length(atom, '4'), x, type_error).

% 9.1 Simple arithmetic functors
iso('9.1.7', X is 7 + 35, X, [42]).
iso('9.1.7', X is 0 + (3 + 11), X, [14]).
iso('9.1.7', X is 0 + (3.0 + 11), X, [14.0]).
iso('9.1.7', X is 7 - 35, X, [-28]).
iso('9.1.7', X is 20 - (3 + 11), X, [6]).
iso('9.1.7', X is 7 * 35, X, [245]).
iso('9.1.7', X is 0 * (3 + 11), X, [0]).
iso('9.1.7', X is 1.5 * 2, X, [3.0]).
iso('9.1.7', X is 7 // 35, X, [0]).
iso('9.1.7', X is 20 // (3 + 4), X, [2]).
iso('9.1.7', X is -7 // 2, X, [-3]).
iso('9.1.7', X is 7 / 35, X, [0.2]).
iso('9.1.7', X is 140.0 / (3 + 11), X, [10.0]).
iso('9.1.7', X is 140 / (3 + 11), X, [10.0], [10]).  % an integer where it is exact
iso('9.1.7', X is 7 mod 3, X, [1]).
iso('9.1.7', X is 0 mod (3 + 11), X, [0]).
iso('9.1.7', X is 7 mod -2, X, [-1]).
iso('9.1.7', X is -5 mod 3, X, [1]).
iso('9.1.7', X is 7 rem -2, X, [1]).
iso('9.1.7', X is -5 rem 3, X, [-2]).
iso('9.1.7', X is -5 div 3, X, [-2]).
iso('9.1.7', X is floor(7.4), X, [7]).
iso('9.1.7', X is floor(-0.4), X, [-1]).
iso('9.1.7', X is round(7.5), X, [8]).
iso('9.1.7', X is round(-7.5), X, [-8]).
iso('9.1.7', X is ceiling(-0.5), X, [0]).
iso('9.1.7', X is truncate(-0.5), X, [0]).
iso('9.1.7', X is float(7), X, [7.0]).
iso('9.1.7', X is float(7.3), X, [7.3]).
iso('9.1.7', X is abs(7), X, [7]).
iso('9.1.7', X is abs(3 - 11), X, [8]).
iso('9.1.7', X is abs(3.2 - 11.0), X, [7.8]).
iso('9.1.7', X is sign(-3.5), X, [-1.0]).
iso('9.1.7', X is float_integer_part(-2.5), X, [-2.0]).
iso('9.1.7', X is float_fractional_part(-2.5), X, [-0.5]).
iso('9.1.7', X is min(2, 3), X, [2]).
iso('9.1.7', X is max(2, 3.0), X, [3.0]).
iso('9.1.7', _ is 77 + foo, x, type_error).
iso('9.1.7', _ is 1 // 0, x, evaluation_error).
iso('9.1.7', _ is 7 / 0, x, evaluation_error).
iso('9.1.7', _ is 7 mod 0, x, evaluation_error).
iso('9.1.7', _ is 7 rem 0, x, evaluation_error).
iso('9.1.7', _ is 7.5 // 2, x, type_error).
iso('9.1.7', _ is 7 mod 2.0, x, type_error).
iso('9.1.7', _ is floor(a), x, type_error).

% 9.3 Other functors
iso('9.3.1', X is 5 ** 3, X, [125]).
iso('9.3.1', X is -5.0 ** 3, X, [-125.0]).
iso('9.3.1', X is 5 ** 3.0, X, [125.0]).
iso('9.3.1', X is 0.0 ** 0.0, X, [1.0], [1.0], [1]).
iso('9.3.1', X is 2 ** -1.5, X, [0.3535533905932738]).
iso('9.3.1', _ is 0.0 ** -1.0, x, evaluation_error).
iso('9.3.10', X is 2 ^ 3, X, [8]).
iso('9.3.10', X is 1 ^ -1, X, [1]).
iso('9.3.10', X is 2 ^ -1, X, type_error, [0.5]).
iso('9.3.10', X is 2 ^ 1.5, X, [2.8284271247461903]).
iso('9.3.10', X is 0 ^ 0, X, [1]).
iso('9.3.2', X is sin(0.0), X, [0.0]).
iso('9.3.3', X is cos(0.0), X, [1.0]).
iso('9.3.4', X is atan(0.0), X, [0.0]).
iso('9.3.5', X is exp(0.0), X, [1.0]).
iso('9.3.6', X is log(1.0), X, [0.0]).
iso('9.3.6', _ is log(0), x, evaluation_error).
iso('9.3.6', _ is log(-1.0), x, evaluation_error).
iso('9.3.7', X is sqrt(1.21), X, [1.1]).
iso('9.3.7', _ is sqrt(-1.0), x, evaluation_error).
iso('9.3.8', X is max(1, 2), X, [2]).
iso('9.3.13', X is atan2(0, 1), X, [0.0]).
iso('9.3.13', _ is atan2(0, 0), x, evaluation_error, [x]).
iso('9.3.14', X is acos(1.0), X, [0.0]).
iso('9.3.14', _ is acos(2), x, evaluation_error).

% 9.4 Bits
iso('9.4.1', X is 16 >> 2, X, [4]).
iso('9.4.1', X is 19 >> 2, X, [4]).
iso('9.4.1', X is -16 >> 2, X, [-4]).
iso('9.4.1', _ is 1.0 >> 2, x, type_error).
iso('9.4.2', X is 16 << 2, X, [64]).
iso('9.4.3', X is 10 /\ 12, X, [8]).
iso('9.4.3', X is 125 /\ 255, X, [125]).
iso('9.4.4', X is 10 \/ 12, X, [14]).
iso('9.4.5', X is \ (\ 10), X, [10]).
iso('9.4.5', X is \ 10, X, [-11]).
iso('9.4.6', X is xor(10, 12), X, [6]).
