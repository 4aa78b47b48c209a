"""The language server: what an editor asks, answered by the other files of this room."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import slp
from slp.errors import UnsupportedError
from slp.lsp.checks import Checked, Job
from slp.lsp.documents import Documents
from slp.messages.commands import NO_PYGLS

try:
    from lsprotocol import types as lsp
    from pygls.lsp.server import LanguageServer
    from pygls.uris import to_fs_path

    from slp.lsp.findings import ended, shown
    from slp.lsp.positions import Places
except ImportError as e:
    raise UnsupportedError(NO_PYGLS()) from e


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
