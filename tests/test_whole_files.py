"""Files that are written whole: links stay, only regular files are replaced, and the files of
killed runs are removed by the next writer."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from slp.errors import SlpError
from slp.runner import Checkpoint, Schedule, run
from slp.whole_files import whole_file
from tests.arrows import trees_of_files_with
from tests.runner.toy import Walk

KILLED = """
import os, signal, sys
from slp.whole_files import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def write(path: Path, content: bytes, *, streams: bool = False) -> None:
    with whole_file(path, streams=streams) as file:
        file.write(content)


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name in ("there", "new"):
        target, link = folder / name, tmp_path / f"link to {name}"
        if name == "there":
            target.write_bytes(b"old")
        link.symlink_to(target)
        write(link, b"content")
        assert link.is_symlink() and target.read_bytes() == b"content"
    assert sorted(os.listdir(folder)) == ["new", "there"]


def test_a_pipe_is_refused_and_stays(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link, Path(os.devnull)):
        with pytest.raises(SlpError, match="E701.*where a file is needed"):
            write(path, b"content")
    assert pipe.is_fifo() and link.is_symlink() and os.listdir(tmp_path) != []
    assert not Path(os.devnull).is_file()


def test_a_checkpoint_is_no_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for resume in (False, True):
        with pytest.raises(SlpError, match=r"E511.*it is a pipe"):
            run(Walk(), Schedule(draws=4), seed=1, checkpoint=Checkpoint(pipe, resume=resume))
    assert pipe.is_fifo()


def test_a_stream_is_written_directly(tmp_path: Path) -> None:
    write(Path(os.devnull), b"content", streams=True)
    assert not Path(os.devnull).is_file()
    script = (
        "import sys\nfrom slp.whole_files import whole_file\nprint('before')\n"
        "with whole_file('/dev/stdout', streams=True) as file: file.write(b'inside\\n')\n"
        "print('after')"
    )
    out = tmp_path / "out.txt"
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", script], stdout=file, check=True)
    assert out.read_text() == "before\ninside\nafter\n"


def test_the_file_of_a_killed_run_goes_with_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = os.listdir(tmp_path)
    others = {left[:-6] + "x.part", f"{left}.txt", "run.json.123.tmp"}  # none of ours
    for name in others:
        (tmp_path / name).write_text("precious")
    write(path, b"content")
    assert set(os.listdir(tmp_path)) == {"run.json", *others}


def test_the_file_of_a_live_run_stays(tmp_path: Path) -> None:
    with whole_file(tmp_path / "slow") as file:
        file.write(b"slow")
        write(tmp_path / "fast", b"fast")
    assert sorted(os.listdir(tmp_path)) == ["fast", "slow"]
    assert (tmp_path / "slow").read_bytes() == b"slow"


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["run"]


#: What is no file of a user: the pipe of a watch, the null device, the table that one process hands
#: to another.
NO_FILES = {"swipl/stopping.py", "cli/common.py", "data/to_arrow.py"}


def _writes(call: ast.Call) -> bool:
    """Whether a call can write a file, by its name and the mode of `open`."""
    match call.func:
        case ast.Attribute(attr="write_text" | "write_bytes" | "write_ipc" | "tofile"):
            return True
        case ast.Attribute(value=ast.Name(id="os"), attr="replace" | "rename"):
            return True
        case ast.Attribute(attr="open") | ast.Name(id="open"):
            given = [*call.args, *(k.value for k in call.keywords if k.arg == "mode")]
            modes = [a.value for a in given if isinstance(a, ast.Constant)]
            return any(isinstance(m, str) and set(m) & set("wax+") and len(m) < 4 for m in modes)
    return False


def test_one_file_writes_files() -> None:
    writers = {
        file
        for file, tree in trees_of_files_with(r"open\(|write_|tofile|os\.re(place|name)")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _writes(node)
    }
    assert writers - NO_FILES == {"whole_files.py"}
