"""The files that a program may name: below its folder, and in the folders that the user
includes."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import slp
from slp.errors import SlpError

SECRET = "xyzzy-plugh-31337"
BOXES = "box(infant, age, 0, 24).\n"
TREE = '{"feature": "age", "threshold": 3.5, "left": {}, "right": {}}'


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with a program, a tree and a secret, beside that of the program."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "boxes.slp").write_text(BOXES)
    (folder / "tree.json").write_text(TREE)
    (folder / "secret").write_text(f"{SECRET}\n")
    (folder / "secret.slp").write_text(f"{SECRET}(\n")
    (folder / "secret.json").write_text(f'{{"{SECRET}": "{SECRET}"}}')
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    (folder / "lib").mkdir(parents=True)
    (folder / "boxes.slp").write_text(BOXES)
    (folder / "tree.json").write_text(TREE)
    return folder


def faults(text: str, folder: Path, **options: object) -> list[str]:
    """The codes of what is wrong with a program; no message has the secret in it."""
    (folder / "main.slp").write_text(text)
    try:
        slp.load(folder / "main.slp", **options)  # type: ignore[arg-type]
    except SlpError as error:
        assert SECRET not in str(error)
        return [d.code for d in error.diagnostics]
    return []


def use(name: object) -> str:
    return f":- use(growtree).\n:- use('{name}').\n"


def tree(name: object) -> str:
    return f":- use(edittree, [tree = '{name}']).\n"


def test_files_below_the_folder_are_used(folder: Path) -> None:
    (folder / "lib" / "more.slp").write_text(":- use('../boxes.slp').\n")
    (folder / "lib" / "link.slp").symlink_to("../boxes.slp")
    for name in ("boxes.slp", "lib/../boxes.slp", "lib/more.slp", "lib/link.slp"):
        assert faults(use(name), folder) == [], name
        assert faults(use(folder / name), folder) == [], "by its absolute name"
    assert faults(tree("tree.json"), folder) == []


@pytest.mark.parametrize("said", [use, tree])
def test_files_elsewhere_are_not(said, folder: Path, outside: Path) -> None:  # type: ignore[no-untyped-def]
    check_refused(said, ".slp" if said is use else ".json", folder, outside)


def test_texts_of_trees_elsewhere_are_not_read(folder: Path, outside: Path) -> None:
    (outside / "secret.tree").write_text(f"{SECRET}\n")
    check_refused(tree, ".tree", folder, outside)
    (folder / "own.tree").write_text(f"{SECRET}\n{SECRET}\n")
    assert faults(tree("own.tree"), folder) == ["E615"]


def check_refused(said, suffix: str, folder: Path, outside: Path) -> None:  # type: ignore[no-untyped-def]
    names = [
        f"../outside/secret{suffix}",
        outside / f"secret{suffix}",
        f"lib/../../outside/secret{suffix}",
        f"../outside/none{suffix}",
        "../outside/secret",
        "/etc/passwd",
        "../../../../../../../../etc/passwd",
        "/proc/self/environ",
        "/proc/self/cwd/../outside/secret" + suffix,
        "/dev/zero",
        "/dev/stdin",
        f"/nowhere/none{suffix}",
        "lib/" + "x" * 300 + suffix,
        "a\\0\\" + suffix,
    ]
    (folder / f"link{suffix}").symlink_to(outside / f"secret{suffix}")
    (folder / f"passwd{suffix}").symlink_to("/etc/passwd")
    (folder / f"zero{suffix}").symlink_to("/dev/zero")
    (folder / f"loop{suffix}").symlink_to(f"loop{suffix}")
    (folder / "lib" / "up").symlink_to(outside)
    names += [f"{name}{suffix}" for name in ("link", "passwd", "zero", "loop", "lib/up/secret")]
    for name in names:
        found = faults(said(name), folder)
        assert found and set(found) <= {"E166", "E001", "E160", "E104"}, (name, found)


def test_whether_a_file_elsewhere_exists_is_not_told(folder: Path, outside: Path) -> None:
    said = []
    for name in ("secret", "absent"):
        (folder / "main.slp").write_text(use(f"../outside/{name}.slp"))
        with pytest.raises(SlpError) as caught:
            slp.load(folder / "main.slp")
        said.append(str(caught.value).replace(name, ""))
    assert said[0] == said[1]


def test_only_regular_files_are_read(folder: Path, tmp_path: Path) -> None:
    """A pipe would block, a socket has no end."""
    for suffix, said, code in ((".slp", use, "E001"), (".json", tree, "E160")):
        os.mkfifo(folder / f"pipe{suffix}")
        (folder / f"folder{suffix}").mkdir()
        with socket.socket(socket.AF_UNIX) as listening:
            here = os.open(".", os.O_RDONLY)
            os.chdir(folder)  # the name of a socket is short
            try:
                listening.bind(f"socket{suffix}")
            finally:
                os.chdir(here)
                os.close(here)
            for name in ("pipe", "folder", "socket"):
                assert faults(said(f"{name}{suffix}"), folder) == [code], name


def test_a_used_file_may_name_no_more_than_the_program(folder: Path, outside: Path) -> None:
    (folder / "lib" / "bad.slp").write_text(":- use('../../outside/boxes.slp').\n")
    assert faults(use("lib/bad.slp"), folder) == ["E166"]
    (folder / "lib" / "tree.slp").write_text(tree("../../outside/tree.json"))
    assert faults(":- use('lib/tree.slp').\n", folder) == ["E166"]


def test_folders_that_are_included(folder: Path, outside: Path) -> None:
    (outside / "more.slp").write_text(":- use('boxes.slp').\n")
    for name in ("more.slp", "../outside/more.slp", outside / "more.slp"):
        assert faults(use(name), folder, include=[outside]) == [], name
    (folder / "boxes.slp").unlink()
    assert faults(use("boxes.slp"), folder, include=outside) == []
    assert faults(use("boxes.slp"), folder) == ["E001"]
    assert faults(use("../program.slp"), folder, include=[outside]) == ["E166"]


def test_text_has_no_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for name in ("<text>", "main.slp", str(folder / "main.slp")):
        with pytest.raises(SlpError, match="E166.*no folder"):
            slp.parse(use("boxes.slp"), name)
        assert slp.parse(use("boxes.slp"), name, include=folder).ir.boxes
    given = slp.Tree.from_dict({})
    holds = slp.check(given, ":- use('boxes.slp'). :- constraint(constant(infant)).", include=".")
    assert [found.holds for found in holds] == [True]


def test_a_folder_that_is_none(folder: Path) -> None:
    for include in (folder / "none", [folder / "boxes.slp"]):
        with pytest.raises(slp.UsageError, match="E725.*is no folder"):
            slp.parse("p.", include=include)


def test_files_of_trees_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slp.analysis.sources.edits._MOST_CHARACTERS", 10)
    (folder / "main.slp").write_text(tree("tree.json"))
    with pytest.raises(SlpError, match="E160.*more than 10 characters"):
        slp.load(folder / "main.slp")


@pytest.mark.parametrize("tail", ["", "{", '"', '{"a": ', "[1, ", "\0", "\ud800"])
def test_no_content_of_a_file_that_is_no_tree_is_told(folder: Path, tail: str) -> None:
    contents = [
        f"{SECRET} {tail}",
        f'{{"{SECRET}": 1}} {tail}',
        f'{{"{SECRET}": 1}}',
        f'"{SECRET}"',
        f'{{"counts": {{"{SECRET}": "{SECRET}"}}}}',
        f'{{"counts": {{"{SECRET}": -31337}}}}',
        f'{{"counts": {{"{SECRET}": 1}}, "classes": [2]}}',
        f'{{"classes": ["{SECRET}"], "{SECRET}": 2}}',
        f'{{"feature": "a", "{SECRET}": 1, "left": {{}}, "right": {{}}}}',
        f'{{"feature": ["{SECRET}"], "threshold": "{SECRET}", "left": {{}}, "right": {{}}}}',
    ]
    for content in contents:
        (folder / "no.json").write_bytes(content.encode("utf-8", "surrogatepass"))
        assert faults(tree("no.json"), folder), content


def test_every_command_takes_folders(  # type: ignore[no-untyped-def]
    slp_run, table: Path, folder: Path, outside: Path
) -> None:
    (folder / "prior.slp").write_text(":- use(growtree). :- use('more.slp').\n")
    (outside / "more.slp").write_text(":- support(max_depth(1)).\n")
    (folder / "coin.slp").write_text(
        ":- use('faces.slp').\n0.5 :: coin(X) :- face(X).\n0.5 :: coin(tails).\n"
    )
    (outside / "faces.slp").write_text("face(heads).\n")
    (folder / "goals.slp").write_text("coin(heads).\n")
    commands = [
        ("check", "prior.slp", table),
        ("expand", "prior.slp", table),
        ("explain", "prior.slp", table),
        ("slp-sample", "prior.slp", table, "-n", 2),
        ("prior", "prior.slp", table, "-n", 2),
        ("map", "prior.slp", table),
        ("predict", "prior.slp", table, table),
        ("query", "coin.slp", "coin(X)"),
        ("learn", "coin.slp", folder / "goals.slp"),
    ]
    for name, program, *more in commands:
        refused = slp_run(name, folder / program, *more)
        assert refused.code == 1 and "error[E001]" in refused.out + refused.err, name
        result = slp_run(name, folder / program, *more, "--include", outside)
        assert result.code == 0, (name, result.err)
    result = slp_run("check", folder / "prior.slp", "--include", outside / "none")
    assert result.code == 2 and "does not exist" in result.err


def test_the_program_itself_is_a_regular_file(slp_run, tmp_path: Path, table: Path) -> None:  # type: ignore[no-untyped-def]
    os.mkfifo(tmp_path / "pipe.slp")
    for path, kind in ((tmp_path / "pipe.slp", "a pipe"), ("/dev/zero", "a device")):
        for words in (
            ("check", path),
            ("fmt", path),
            ("expand", path),
            ("explain", path),
            ("map", path, table),
            ("prior", path, table),
            ("predict", path, table, table),
            ("slp-sample", path, table),
            ("query", path, "p"),
            ("query", path, "p", "--engine", "prolog"),
            ("learn", path, table),
        ):
            result = slp_run(*words)
            said = result.out + result.err
            assert result.code == 1, (words, said)
            assert f"error[E001]: cannot read {path}: it is {kind}, where a file" in said, words
