"""The protocol's side of the language server, on pygls.

Texts are kept here and not in the workspace of pygls, whose lines end at characters that do
not end lines in editors. Reports are published when a text has rested for a moment; requests
always look at the text as it is.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from mapal.diagnostics import Diagnostic, LocationTable, span_of
from mapal.format import format_source
from mapal.language_server import queries
from mapal.language_server.analysis import Analysis, analyse
from mapal.language_server.positions import Encoding, Place, TextIndex, edited
from mapal.lower.inspection import NameKind

_SOURCE = "mapal"
_REST_SECONDS = 0.15
_MOST_REPORTS = 1000
"""No editor shows more to anybody, and each costs the client as much as the server."""
_SYMBOL_KINDS = {
    NameKind.FUNCTION: types.SymbolKind.Function,
    NameKind.TYPE: types.SymbolKind.Struct,
    NameKind.FIELD: types.SymbolKind.Field,
}


@dataclass(slots=True)
class _Document:
    """One open text. `analysis` is that of this state, once somebody asked for it."""

    version: int
    index: TextIndex
    analysis: asyncio.Task[Analysis] | None = None
    publication: asyncio.Task[None] | None = None

    def analysed(self) -> asyncio.Task[Analysis]:
        """The analysis of the text as it is, made once, in another thread."""
        if self.analysis is None:
            self.analysis = asyncio.create_task(asyncio.to_thread(analyse, self.index.text))
        return self.analysis

    def drop(self) -> None:
        """The state is gone; nothing more is said about it."""
        if self.publication is not None:
            self.publication.cancel()


class MapalServer(LanguageServer):
    """Serves one client. `rest_seconds` is how long a text rests before it is reported on."""

    def __init__(self, rest_seconds: float = _REST_SECONDS) -> None:
        super().__init__(_SOURCE, importlib.metadata.version("mapal"))
        self._rest_seconds = rest_seconds
        self._documents: dict[str, _Document] = {}
        self.asked_to_shut_down = False
        self.told_to_exit = False
        for method, serve in _FEATURES.items():
            self.feature(method)(serve)

    # Texts ----------------------------------------------------------------------------

    @property
    def encoding(self) -> Encoding:
        """What client and server agreed to count by."""
        return Encoding(self.workspace.position_encoding)

    def document(self, uri: str) -> _Document | None:
        """An open text."""
        return self._documents.get(uri)

    def renew(self, uri: str, version: int, text: str) -> None:
        """A text has a new state, to be reported on when it has rested."""
        if uri in self._documents:
            self._documents[uri].drop()
        document = _Document(version, TextIndex(text, self.encoding))
        self._documents[uri] = document
        document.publication = asyncio.create_task(self._report(uri, document))

    def close(self, uri: str) -> None:
        """A text is no longer shown: nothing is reported about it."""
        document = self._documents.pop(uri, None)
        if document is not None:
            document.drop()
            self._publish(uri, None, [])

    # Reports --------------------------------------------------------------------------

    async def _report(self, uri: str, document: _Document) -> None:
        await asyncio.sleep(self._rest_seconds)
        try:
            # Other requests may wait for the same analysis when this one is called off.
            analysis = await asyncio.shield(document.analysed())
            found = [
                _reported(report, analysis.locations, document.index)
                for report in analysis.diagnostics[:_MOST_REPORTS]
            ]
        except Exception as error:
            found = [_internal_error(error)]
        self._publish(uri, document.version, found)

    def _publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        )


# Notifications and requests -------------------------------------------------------------


def _shutting_down(server: MapalServer, parameters: None) -> None:
    server.asked_to_shut_down = True


def _exiting(server: MapalServer, parameters: None) -> None:
    server.told_to_exit = True


def _opened(server: MapalServer, parameters: types.DidOpenTextDocumentParams) -> None:
    document = parameters.text_document
    server.renew(document.uri, document.version, document.text)


def _changed(server: MapalServer, parameters: types.DidChangeTextDocumentParams) -> None:
    document = parameters.text_document
    known = server.document(document.uri)
    text = "" if known is None else known.index.text
    for change in parameters.content_changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            index = TextIndex(text, server.encoding)
            text = edited(index, _place(change.range.start), _place(change.range.end), change.text)
        else:
            text = change.text
    server.renew(document.uri, document.version, text)


def _closed(server: MapalServer, parameters: types.DidCloseTextDocumentParams) -> None:
    server.close(parameters.text_document.uri)


async def _hover(server: MapalServer, parameters: types.HoverParams) -> types.Hover | None:
    document = server.document(parameters.text_document.uri)
    if document is None:
        return None
    offset = document.index.byte_at(_place(parameters.position))
    found = queries.hover(await document.analysed(), offset)
    if found is None:
        return None
    text = f"```mapal\n{found.code}\n```"
    if found.prose:
        text += f"\n\n{found.prose}"
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, _range(document.index, found.span))


async def _definition(
    server: MapalServer, parameters: types.DefinitionParams
) -> types.Location | None:
    uri = parameters.text_document.uri
    document = server.document(uri)
    if document is None:
        return None
    offset = document.index.byte_at(_place(parameters.position))
    span = queries.definition(await document.analysed(), offset)
    return None if span is None else types.Location(uri, _range(document.index, span))


async def _symbols(
    server: MapalServer, parameters: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    document = server.document(parameters.text_document.uri)
    if document is None:
        return None
    found = queries.symbols(await document.analysed())
    return [_symbol(document.index, symbol) for symbol in found]


async def _formatting(
    server: MapalServer, parameters: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    document = server.document(parameters.text_document.uri)
    if document is None:
        return None
    index = document.index
    text = (await asyncio.to_thread(format_source, index.text)).text
    if text is None or text == index.text:
        return None
    whole = types.Range(types.Position(0, 0), _position(index.end))
    return [types.TextEdit(whole, text)]


_FEATURES: dict[str, Callable[..., object]] = {
    types.SHUTDOWN: _shutting_down,
    types.EXIT: _exiting,
    types.TEXT_DOCUMENT_DID_OPEN: _opened,
    types.TEXT_DOCUMENT_DID_CHANGE: _changed,
    types.TEXT_DOCUMENT_DID_CLOSE: _closed,
    types.TEXT_DOCUMENT_HOVER: _hover,
    types.TEXT_DOCUMENT_DEFINITION: _definition,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _symbols,
    types.TEXT_DOCUMENT_FORMATTING: _formatting,
}


# Our values in the protocol's words ---------------------------------------------------------


def _place(position: types.Position) -> Place:
    return Place(position.line, position.character)


def _position(place: Place) -> types.Position:
    return types.Position(place.line, place.unit)


def _range(index: TextIndex, span: queries.Span) -> types.Range:
    start, end = (_position(index.place_of_byte(offset)) for offset in span)
    return types.Range(start, end)


def _reported(report: Diagnostic, locations: LocationTable, index: TextIndex) -> types.Diagnostic:
    message = "\n".join((report.message, *report.notes))
    if report.hint is not None:
        message += f"\nhint: {report.hint}"
    return types.Diagnostic(
        range=_range(index, span_of(report, locations)),
        message=message,
        severity=types.DiagnosticSeverity.Error,
        code=report.code,
        source=_SOURCE,
    )


def _internal_error(error: Exception) -> types.Diagnostic:
    """What an editor shows when Mapal itself fails."""
    return types.Diagnostic(
        range=types.Range(types.Position(0, 0), types.Position(0, 0)),
        message=f"Mapal failed on this text, which is a defect of Mapal: {error!r}",
        severity=types.DiagnosticSeverity.Error,
        source=_SOURCE,
    )


def _symbol(index: TextIndex, symbol: queries.Symbol) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name,
        kind=_SYMBOL_KINDS[symbol.kind],
        range=_range(index, symbol.span),
        selection_range=_range(index, symbol.name_span),
        detail=symbol.detail,
        children=[_symbol(index, child) for child in symbol.children],
    )
