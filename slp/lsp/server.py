"""The language server: what an editor asks, answered by the other files of this room."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import slp
from slp.errors import SlpError, UnsupportedError
from slp.lsp.checks import Checked, Job
from slp.lsp.completion import Completion, completions
from slp.lsp.documents import Documents
from slp.lsp.hover import hover_text
from slp.lsp.names import NameIndex
from slp.lsp.outline import OutlinePart, outline
from slp.messages.commands import NO_PYGLS
from slp.source import SourceSpan
from slp.syntax import format_program, parse_program

try:
    from lsprotocol import types as lsp
    from pygls.lsp.server import LanguageServer
    from pygls.uris import to_fs_path

    from slp.lsp.findings import ended, shown, uri_of
    from slp.lsp.positions import Places
except ImportError as e:
    raise UnsupportedError(NO_PYGLS()) from e


#: Seconds that an answer waits for the check of the present text.
_PATIENCE = 2.0

_KINDS = {
    "directive": lsp.CompletionItemKind.Keyword,
    "constraint": lsp.CompletionItemKind.Function,
    "prior": lsp.CompletionItemKind.Module,
    "file": lsp.CompletionItemKind.File,
    "column": lsp.CompletionItemKind.Field,
    "parameter": lsp.CompletionItemKind.Variable,
    "nonterminal": lsp.CompletionItemKind.Class,
    "predicate": lsp.CompletionItemKind.Function,
}
_SYMBOLS = {
    "directive": lsp.SymbolKind.Property,
    "nonterminal": lsp.SymbolKind.Class,
    "predicate": lsp.SymbolKind.Function,
    "clause": lsp.SymbolKind.Field,
}


class Server(LanguageServer):
    """The server of one editor.

    Attributes
    ----------
    documents : the open texts.
    table : the table that a setting names.
    """

    def __init__(self) -> None:
        # The whole text comes with each change: pygls parts lines at characters that are none of
        # the protocol's line ends, such as a form feed.
        super().__init__("slp", slp.__version__, lsp.TextDocumentSyncKind.Full)
        self.documents = Documents(self._publish)
        self.table: str | None = None
        self._checks: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start to check what is opened."""
        self._checks = asyncio.get_running_loop().create_task(self.documents.run())

    def job(self, uri: str) -> Job:
        """The present text of a document, with the files and the table that it may use."""
        text = self.workspace.get_text_document(uri).source
        path = to_fs_path(uri) if uri.startswith("file:") else None
        root = self.workspace.root_path
        return Job(
            text, None if path is None else Path(path), self.table, Path(root) if root else None
        )

    def places(self, uri: str) -> Places:
        """Places in the present text of a document, as the editor counts them."""
        encoding = self.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
        return Places(self.job(uri).source, encoding)

    def put(self, uri: str) -> None:
        """Check a document."""
        self.documents.put(uri, self.job(uri))

    def put_all(self) -> None:
        """Check all open documents again: a file or a setting has changed."""
        for uri in self.documents.uris():
            self.documents.forget(uri)
            self.put(uri)

    def read_settings(self, settings: Any) -> None:
        """Take the name of the table from `{"data": "patients.csv"}`, which may stand under
        `slp`."""
        if isinstance(settings, dict):
            own = settings.get("slp", settings)
            name = own.get("data") if isinstance(own, dict) else None
            self.table = name if isinstance(name, str) and name else None

    def location(self, uri: str, span: SourceSpan) -> lsp.Location:
        """The place of a span of a document, or of a file that it uses."""
        places = self.places(uri)
        if span.file.name == places.file.name:
            return lsp.Location(uri, places.of_span(span))
        return lsp.Location(uri_of(span.file), Places(span.file, places.encoding).of_span(span))

    def _publish(self, uri: str, checked: Checked | None) -> None:
        document, places = self.workspace.get_text_document(uri), self.places(uri)
        found = [ended(places)]
        if checked is not None:
            found = [shown(finding, uri, places) for finding in checked.found]
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, found, document.version)
        )


server = Server()


def serve() -> None:
    """Answer an editor on standard input and output, until it says that it is done."""
    server.start_io()


@server.feature(lsp.INITIALIZED)
def _initialized(ls: Server, _params: lsp.InitializedParams) -> None:
    ls.begin()


@server.feature(lsp.INITIALIZE)
def _initialize(ls: Server, params: lsp.InitializeParams) -> None:
    ls.read_settings(params.initialization_options)


@server.feature(lsp.SHUTDOWN)
def _shutdown(ls: Server, _params: None) -> None:
    ls.documents.close()


@server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
def _configured(ls: Server, params: lsp.DidChangeConfigurationParams) -> None:
    ls.read_settings(params.settings)
    ls.put_all()


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def _opened(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    ls.put(params.text_document.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def _changed(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    ls.put(params.text_document.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
def _saved(ls: Server, _params: lsp.DidSaveTextDocumentParams) -> None:
    ls.put_all()


@server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _files_changed(ls: Server, _params: lsp.DidChangeWatchedFilesParams) -> None:
    ls.put_all()


@server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def _closed(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    ls.documents.forget(uri)
    ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
async def _hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    uri = params.text_document.uri
    checked = await ls.documents.checked(uri, _PATIENCE)
    places = ls.places(uri)
    source, offset = places.file, places.offset(params.position)
    told = hover_text(source, NameIndex(source), checked, offset)
    if told is None:
        return None
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, told))


@server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
def _definition(ls: Server, params: lsp.DefinitionParams) -> list[lsp.Location]:
    uri = params.text_document.uri
    places = ls.places(uri)
    names = NameIndex(places.file)
    here = names.at(places.file, places.offset(params.position))
    if here is None:
        return []
    return [ls.location(uri, span) for span in names.declarations(here.meant)]


@server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
def _references(ls: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
    uri = params.text_document.uri
    places = ls.places(uri)
    names = NameIndex(places.file)
    here = names.at(places.file, places.offset(params.position))
    if here is None:
        return []
    spans = names.places(here.meant)
    if not params.context.include_declaration:
        declared = names.places(here.meant, declared=True)
        spans = [span for span in spans if span not in declared]
    return [ls.location(uri, span) for span in spans]


@server.feature(
    lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", "[", ",", " "])
)
async def _completion(ls: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    uri = params.text_document.uri
    places = ls.places(uri)
    columns = ls.documents.columns(uri)
    found = completions(
        places.file, NameIndex(places.file), columns, places.offset(params.position)
    )
    return [_item(completion) for completion in dict.fromkeys(found)]


def _item(completion: Completion) -> lsp.CompletionItem:
    kind = _KINDS.get(completion.kind, lsp.CompletionItemKind.Text)
    return lsp.CompletionItem(completion.text, kind=kind, detail=completion.told or None)


@server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
def _formatting(ls: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
    places = ls.places(params.text_document.uri)
    try:
        text = format_program(parse_program(places.file))
    except SlpError:  # its mistakes are shown already
        return []
    return [] if text == places.file.text else [lsp.TextEdit(places.whole(), text)]


@server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def _symbols(ls: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    places = ls.places(params.text_document.uri)
    return [_symbol(part, places) for part in outline(places.file)]


def _symbol(part: OutlinePart, places: Places) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        part.name,
        _SYMBOLS[part.kind],
        places.of_span(part.span),
        places.of_span(part.name_at),
        children=[_symbol(inner, places) for inner in part.inside],
    )
