"""A session with `slp lsp`, driven by a real client, through all that it answers.

One server answers all tests of this file. Each has files of its own.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pygls.uris import from_fs_path
from pytest_lsp import ClientServerConfig, LanguageClient

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-P", "-c", "import slp_commands; slp_commands.main()", "lsp"]
TABLE = "age,dose,ill\n3,3,no\n8,1,no\n15,2,no\n36,3,yes\n48,3,yes\n72,2,yes\n"


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=COMMAND, server_env=dict(os.environ)), scope="module"
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    parameters = lsp.InitializeParams(
        pytest_lsp.client_capabilities("visual-studio-code"), process_id=os.getpid()
    )
    await lsp_client.initialize_session(parameters)
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def opened(client: LanguageClient, tmp_path: Path) -> Callable[..., str]:
    """`opened(text, name)` opens a text in the editor and gives its address. It is not saved."""

    def open_text(text: str, name: str = "p.slp") -> str:
        uri = from_fs_path(str(tmp_path / name)) or ""
        item = lsp.TextDocumentItem(uri, "slp", 1, text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    return open_text


def changed(client: LanguageClient, uri: str, text: str, version: int) -> None:
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(version, uri),
            [lsp.TextDocumentContentChangeWholeDocument(text)],
        )
    )


async def findings(
    client: LanguageClient, uri: str, want: Callable[[list[lsp.Diagnostic]], bool]
) -> list[lsp.Diagnostic]:
    """The findings of a document, when they are as wanted; after half a minute as they are."""
    for _ in range(600):
        found = list(client.diagnostics.get(uri, ["not checked"]))  # type: ignore[list-item]
        if found != ["not checked"] and want(found):
            break
        await asyncio.sleep(0.05)
    return found


def codes(found: list[lsp.Diagnostic]) -> list[object]:
    return [f.code for f in found]


async def test_findings_come_as_one_types(
    client: LanguageClient, opened: Callable[..., str]
) -> None:
    uri = opened(":- use(growtree, [alfa = 1]).\n")
    (found,) = await findings(client, uri, len)
    assert (found.code, found.source, found.severity) == ("E106", "slp", 1)
    assert found.message == "`growtree` has no parameter `alfa`\ndid you mean `alpha`?"
    assert found.range == lsp.Range(lsp.Position(0, 18), lsp.Position(0, 26))
    changed(client, uri, ":- use(growtree, [alpha = 1]).\n", 2)
    assert await findings(client, uri, lambda f: not f) == []
    changed(client, uri, ":- use(growtree).\n:- param(q, 1).\n", 3)
    (found,) = await findings(client, uri, len)
    assert (found.code, found.severity) == ("W102", 2)


async def test_places_count_as_the_editor_counts(
    client: LanguageClient, opened: Callable[..., str]
) -> None:
    """In UTF-16 a tree outside the basic plane has two units."""
    uri = opened(":- use(growtree). :- ignore('🌳'). :- constraint(constant(x)).\n")
    (found,) = await findings(client, uri, len)
    assert found.code == "E123"
    assert (found.range.start.character, found.range.end.character) == (58, 59)


async def test_a_form_feed_ends_no_line(client: LanguageClient, opened: Callable[..., str]) -> None:
    uri = opened(":- use(growtree).\n% a\x0cb\u2028c\n")
    assert await findings(client, uri, lambda f: not f) == []
    changed(client, uri, ":- use(growtree).\n% a\x0cb\u2028c\n:- constraint(constant(x)).\n", 2)
    (found,) = await findings(client, uri, len)
    assert found.range.start == lsp.Position(2, 23)


async def test_the_table_is_checked_too_and_again_when_it_is_saved(
    client: LanguageClient, opened: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    uri = opened("% data: t.csv\n:- use(growtree).\n:- constraint(first(agee)).\n")
    (found,) = await findings(client, uri, len)
    assert (found.code, found.range.start.line) == ("E150", 2)
    (tmp_path / "t.csv").write_text(TABLE.replace("age", "agee"))
    client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([]))
    assert await findings(client, uri, lambda f: not f) == []


async def test_a_setting_names_the_table(
    client: LanguageClient, opened: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    uri = opened(":- use(growtree).\n:- constraint(first(agee)).\n")
    assert await findings(client, uri, lambda f: not f) == []
    configured = {"slp": {"data": "t.csv"}}
    client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(configured))
    assert codes(await findings(client, uri, len)) == ["E150"]
    client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({"slp": {}}))
    assert await findings(client, uri, lambda f: not f) == []


async def test_what_lies_in_another_file_is_shown_there(
    client: LanguageClient, opened: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "own.slp").write_text("\nbox(b, age, 5, 1).\n")
    uri = opened(":- use(growtree).\n:- use('own.slp').\n:- constraint(constant(b)).\n")
    found = await findings(client, uri, len)
    assert found[0].range.start.line == 1
    (there, *_) = found[0].related_information or ()
    assert there.location.uri == from_fs_path(str(tmp_path / "own.slp"))
    assert there.location.range.start.line == 1


async def test_a_closed_text_has_no_findings(
    client: LanguageClient, opened: Callable[..., str]
) -> None:
    uri = opened("a(")
    assert codes(await findings(client, uri, len)) == ["E033"]
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
    assert await findings(client, uri, lambda f: not f) == []


def at(uri: str, line: int, character: int) -> dict[str, object]:
    """The place that a request asks for."""
    return {
        "text_document": lsp.TextDocumentIdentifier(uri),
        "position": lsp.Position(line, character),
    }


PROGRAM = """\
% data: t.csv
:- use(growtree, [alpha = 0.9]).
box(infant, age, 0, 24).
:- constraint(constant(infant)).
"""


async def test_hover_tells_what_a_place_means(
    client: LanguageClient, opened: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    uri = opened(PROGRAM)
    shown = await client.text_document_hover_async(lsp.HoverParams(**at(uri, 2, 13)))
    assert shown is not None and isinstance(shown.contents, lsp.MarkupContent)
    assert shown.contents.value.startswith("The column `age` of the table: numbers, 3 to 72")
    shown = await client.text_document_hover_async(lsp.HoverParams(**at(uri, 1, 19)))
    assert shown is not None and "`alpha = 0.9`" in shown.contents.value  # type: ignore[union-attr]


async def test_definitions_lead_into_library_priors(
    client: LanguageClient, opened: Callable[..., str]
) -> None:
    uri = opened(PROGRAM)
    prior = from_fs_path(str(ROOT / "priors" / "growtree.slp"))
    (there,) = await client.text_document_definition_async(  # type: ignore[misc, union-attr]
        lsp.DefinitionParams(**at(uri, 1, 20))
    )
    assert Path(there.uri).parts[-2:] == Path(prior or "").parts[-2:]
    assert there.range.start == lsp.Position(4, 9)
    (there,) = await client.text_document_definition_async(  # type: ignore[misc, union-attr]
        lsp.DefinitionParams(**at(uri, 3, 25))
    )
    assert (there.uri, there.range.start) == (uri, lsp.Position(2, 4))


async def test_references_are_found_in_all_files(
    client: LanguageClient, opened: Callable[..., str]
) -> None:
    uri = opened(PROGRAM)

    async def lines(declared: bool) -> list[tuple[str, int]]:
        context = lsp.ReferenceContext(include_declaration=declared)
        asked = lsp.ReferenceParams(context, **at(uri, 1, 20))
        found = await client.text_document_references_async(asked) or ()
        return [(Path(f.uri).name, f.range.start.line) for f in found]

    uses = [("p.slp", 1), ("growtree.slp", 8), ("growtree.slp", 9)]
    assert await lines(False) == uses
    assert await lines(True) == [uses[0], ("growtree.slp", 4), *uses[1:]]


async def test_completion_has_the_columns_of_the_table(
    client: LanguageClient, opened: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    uri = opened(PROGRAM)
    await findings(client, uri, lambda f: True)
    changed(client, uri, PROGRAM + ":- constraint(forbid(", 2)
    found = await client.text_document_completion_async(lsp.CompletionParams(**at(uri, 4, 21)))
    assert {item.label for item in found} == {"age", "dose", "ill", "infant"}  # type: ignore[union-attr]
    kinds = {item.label: item.kind for item in found}  # type: ignore[union-attr]
    assert kinds["age"] == lsp.CompletionItemKind.Field


async def test_formatting_is_that_of_slp_fmt(
    client: LanguageClient, opened: Callable[..., str]
) -> None:
    uri = opened("0.5::t-->leaf. % 🌳\n0.5::t-->split(F,V),t,t.\n:-start(t).\n")
    asked = lsp.DocumentFormattingParams(
        lsp.TextDocumentIdentifier(uri), lsp.FormattingOptions(tab_size=4, insert_spaces=True)
    )
    (edit,) = await client.text_document_formatting_async(asked) or ()
    assert edit.new_text == (
        "0.5 :: t --> leaf.  % 🌳\n0.5 :: t --> split(F, V), t, t.\n:- start(t).\n"
    )
    assert edit.range == lsp.Range(lsp.Position(0, 0), lsp.Position(3, 0))
    changed(client, uri, edit.new_text, 2)
    assert not await client.text_document_formatting_async(asked)
    changed(client, uri, "a(", 3)
    assert not await client.text_document_formatting_async(asked)


async def test_the_outline_lists_what_a_program_has(
    client: LanguageClient, opened: Callable[..., str]
) -> None:
    uri = opened(":- start(t).\n0.5 :: t --> leaf.\n0.5 :: t --> split(F, V), t, t.\n")
    asked = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(uri))
    start, rules = await client.text_document_document_symbol_async(asked) or ()
    assert (start.name, rules.name) == ("start(t)", "t//0")
    assert isinstance(rules, lsp.DocumentSymbol) and len(rules.children or ()) == 2
    assert rules.selection_range == lsp.Range(lsp.Position(1, 7), lsp.Position(1, 8))


async def test_a_check_that_takes_long_is_told_of(
    client: LanguageClient, opened: Callable[..., str]
) -> None:
    """Other requests are answered meanwhile, and other texts are checked afterwards."""
    facts = " ".join(f"n({i})." for i in range(30))
    rules = ["1 :: t(_) --> { n(A), n(B), n(C), A*B*C < 0 }, leaf.", "1 :: t(_) --> leaf."]
    uri = opened("\n".join([":- start(t(0)).", *rules, facts]), "slow.slp")
    asked = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(uri))
    assert await client.text_document_document_symbol_async(asked)
    assert await findings(client, uri, len)
    sound = opened(":- use(growtree).\n", "sound.slp")
    assert await findings(client, sound, lambda f: not f) == []
