"""What a text is told of: the findings of `slp check`, each with a place in the text."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from slp.data import numbers_of, read_columns, read_head
from slp.lsp import tables
from slp.lsp.checks import Job, check
from slp.program import find_mistakes

TABLE = "age,dose,ill\n3,3,no\n8,1,no\n15,2,no\n36,3,yes\n48,3,yes\n72,2,yes\n"


WRONG = ":- constraint(first(agee))."


def told(job: Job) -> list[tuple[str, str]]:
    """Code and text of the place of each finding."""
    out = []
    for finding in check(job).found:
        assert finding.span is not None and finding.span.file.text == job.text
        out.append((finding.code, finding.span.text))
    return out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "t.csv").write_text(TABLE)
    (tmp_path / "secret.csv").write_text(TABLE)
    return folder


def job(folder: Path, text: str, table: str | None = None) -> Job:
    return Job(text, folder / "p.slp", table)


def test_findings_are_those_of_slp_check(folder: Path) -> None:
    text = ":- use(growtree, [alfa = 1]).\n:- constraint(constant(x)).\n:- param(q, 1).\na(.\n"
    (folder / "p.slp").write_text(text)
    want = find_mistakes(folder / "p.slp")
    assert len(want) >= 2
    assert [str(d) for d in check(job(folder, text)).found] == [str(d) for d in want]


def test_the_text_counts_and_not_what_was_saved(folder: Path) -> None:
    (folder / "p.slp").write_text("a(")
    assert told(job(folder, ":- use(growtree).\n")) == []


def test_a_text_without_a_file_uses_library_priors_alone() -> None:
    assert told(Job(":- use(growtree).\n")) == []
    assert told(Job(":- use('x.slp').\n")) == [("E166", ":- use('x.slp').")]
    assert told(Job("% data: t.csv\n:- use(growtree).\n")) == [("E166", "% data: t.csv")]


def test_a_comment_names_the_table(folder: Path) -> None:
    text = ":- use(growtree).\n:- constraint(first(agee)).\n"
    assert told(job(folder, text)) == []
    assert told(job(folder, "% data: t.csv\n" + text)) == [("E150", WRONG)]
    (folder / "prior.slp").write_text(text)
    want = find_mistakes(folder / "prior.slp", read_columns(folder / "t.csv"))
    assert [d.message for d in check(job(folder, "% data: t.csv\n" + text)).found] == [
        d.message for d in want
    ]


def test_a_setting_names_the_table_and_the_comment_comes_first(folder: Path) -> None:
    text = ":- use(growtree).\n:- constraint(first(agee)).\n"
    assert told(job(folder, text, table="t.csv")) == [("E150", WRONG)]
    (folder / "other.csv").write_text(TABLE.replace("age", "agee"))
    assert told(job(folder, "%data: other.csv\n" + text, table="t.csv")) == []


def test_the_table_of_a_setting_lies_in_the_open_folder(folder: Path) -> None:
    text = ":- use(growtree).\n:- constraint(first(agee)).\n"
    path = folder / "p.slp"
    assert told(Job(text, path, "own/t.csv", folder.parent)) == [("E150", WRONG)]
    assert [code for code, _ in told(Job(text, path, "../secret.csv", folder))] == ["E166"]


@pytest.mark.parametrize(
    "name", ["../secret.csv", "/etc/hosts.csv", "link.csv", "t.txt", "a\0.csv"]
)
def test_no_table_outside_the_folder_is_read(folder: Path, name: str) -> None:
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    text = f"% data: {name}\n:- use(growtree).\n:- constraint(first(agee)).\n"
    codes = [code for code, _ in told(job(folder, text))]
    assert "E166" in codes or "\0" in name
    assert "E150" not in codes


def test_a_fault_of_the_table_stands_where_the_table_is_named(folder: Path) -> None:
    (folder / "bad.csv").write_text("a,a\n1,2\n")
    text = "% mine\n% data: bad.csv\n:- use(growtree).\n"
    ((code, place),) = told(job(folder, text))
    assert code.startswith("E4") and place == "% data: bad.csv"
    ((code, place),) = told(job(folder, text.replace("bad", "none")))
    assert place == "% data: none.csv"


def test_a_fault_of_a_used_file_stands_at_the_use_that_leads_to_it(folder: Path) -> None:
    (folder / "a.slp").write_text(":- use('b.slp').\n")
    (folder / "b.slp").write_text("box(b, age, 5, 1).\n")
    text = ":- use(growtree).\n:- use('a.slp').\n:- constraint(constant(b)).\n"
    (finding, *_) = check(job(folder, text)).found
    assert finding.span is not None and finding.span.text == ":- use('a.slp')."
    first = finding.related[0]
    assert (Path(first.span.file.name).name, first.span.text[:7]) == ("b.slp", "box(b, ")


def test_of_a_large_table_the_first_rows_are_read_and_names_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_BYTES", 10)
    tables._read.cache_clear()
    monkeypatch.setattr(tables, "read_columns", None)  # is not called
    text = "% data: t.csv\n:- use(growtree).\n:- constraint(first(agee)).\n"
    assert told(job(folder, text)) == [("E150", WRONG)]
    (folder / "t.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    assert told(job(folder, text.replace("t.csv", "t.csv.gz"))) == [("E150", WRONG)]
    assert told(job(folder, text.replace("agee", "age"))) == []


def test_heads_have_whole_lines_alone(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("age,dose\n" + "123456789,987654321\n" * 10_000)
    head = read_head(path)
    assert head is not None and head.names == ("age", "dose")
    assert 3000 < head.n_rows < 10_000
    assert set(numbers_of(head.columns[1])[0].tolist()) == {987654321}
    assert read_head(tmp_path / "none.csv") is None
    (tmp_path / "bad.csv.gz").write_bytes(b"no gzip")
    assert read_head(tmp_path / "bad.csv.gz") is None
    assert read_head(tmp_path / "t.parquet") is None


def test_code_does_not_run(folder: Path) -> None:
    (folder / "evil.py").write_text("open('ran', 'w').close()\n")
    text = ':- use(growtree).\n:- constraint(python("evil:f")).\n'
    check(job(folder, "% data: t.csv\n" + text))
    assert not (folder / "ran").exists() and not Path("ran").exists()
