"""Built-in predicates of Prolog systems and PRISM that are left out on purpose, and why."""

from __future__ import annotations

_DATA = "a program does not change while it runs: write facts, or hand terms on in arguments"
_OUTSIDE = "a goal touches nothing outside the program: read and write with the commands of `slp`"
_ANSWERS = "collect answers with `findall/3`, which is there"
_RANDOM = "a random choice is a predicate whose clauses have labels: `0.5 :: coin(heads).`"
_CONTROL = "goals fail or succeed, and faults end the query: test with `->` before the goal"

_WHY = {
    **dict.fromkeys(
        "assert asserta assertz retract retractall abolish dynamic discontiguous "
        "b_setval b_getval nb_setval nb_getval flag recorda recordz recorded erase".split(),
        _DATA,
    ),
    **dict.fromkeys(
        "consult ensure_loaded load_files use_module open close see seen tell told read "
        "read_term write writeln write_canonical write_term writeq print print_message format nl "
        "tab put_char get_char peek_char put_byte get_byte put_code get_code current_input "
        "current_output set_input set_output shell system process_create getenv setenv halt "
        "exists_file delete_file tmp_file get_time listing trace spy".split(),
        _OUTSIDE,
    ),
    **dict.fromkeys("msw random random_between random_member random_permutation".split(), _RANDOM),
    **dict.fromkeys(
        ["include", "exclude", "partition"],
        "collect with `findall(X, (member(X, L), Goal), Kept)`",
    ),
    "sumlist": "write `sum_list/2`",
    **dict.fromkeys(["atom_chars", "char_code"], "use `atom_codes/2` or `sub_atom/5`"),
    "atom_number": "use `atom_codes/2` and `number_codes/2`",
    **dict.fromkeys(["atom_concat", "atomic_list_concat"], "join lists of `atom_codes/2`"),
    "not": "write `\\+ Goal`",
    "dif": "write `X \\= Y` behind the goals that bind X and Y",
    **dict.fromkeys(["bagof", "setof", "aggregate_all", "aggregate"], _ANSWERS),
    **dict.fromkeys(["catch", "throw"], _CONTROL),
}


def why_left_out(name: str) -> str | None:
    """Why a built-in of that name is left out, None if it is not known to be one."""
    return _WHY.get(name)
