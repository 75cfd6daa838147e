"""A real client talking to a real server process over its standard streams."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

URI = "file:///program.mapal"
_LIMIT_SECONDS = 60


class Session:
    """One open session. Reports arrive in `reports`."""

    def __init__(self) -> None:
        self.client = LanguageClient("tests", "1")
        self.reports: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.server_messages: list[str] = []
        self._version = 0

        def published(parameters: types.PublishDiagnosticsParams) -> None:
            self.reports.put_nowait(parameters)

        def shown(parameters: types.ShowMessageParams) -> None:
            self.server_messages.append(parameters.message)

        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(shown)

    def open(self, text: str) -> None:
        self._version += 1
        item = types.TextDocumentItem(URI, "mapal", self._version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, *changes: types.TextDocumentContentChangeEvent) -> None:
        self._version += 1
        identifier = types.VersionedTextDocumentIdentifier(self._version, URI)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(identifier, list(changes))
        )

    def set(self, text: str) -> None:
        """The whole text at once."""
        self.change(types.TextDocumentContentChangeWholeDocument(text=text))

    def replace(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """One incremental edit."""
        places = types.Range(types.Position(*start), types.Position(*end))
        self.change(types.TextDocumentContentChangePartial(range=places, text=text))

    async def reported(self) -> list[tuple[str | int | None, tuple[int, int, int, int]]]:
        """Codes and ranges of the reports on the latest version."""
        while True:
            found = await self.reports.get()
            if found.version in (None, self._version):
                return [(report.code, flat(report.range)) for report in found.diagnostics]

    async def hover(self, line: int, unit: int) -> str | None:
        position = types.Position(line, unit)
        found = await self.client.text_document_hover_async(types.HoverParams(IDENTIFIER, position))
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def definition(self, line: int, unit: int) -> tuple[int, int, int, int] | None:
        position = types.Position(line, unit)
        found = await self.client.text_document_definition_async(
            types.DefinitionParams(IDENTIFIER, position)
        )
        if found is None:
            return None
        assert isinstance(found, types.Location)
        assert found.uri == URI
        return flat(found.range)

    async def formatting(self) -> list[types.TextEdit] | None:
        options = types.FormattingOptions(tab_size=4, insert_spaces=True)
        found = await self.client.text_document_formatting_async(
            types.DocumentFormattingParams(IDENTIFIER, options)
        )
        return None if found is None else list(found)


IDENTIFIER = types.TextDocumentIdentifier(URI)


def flat(range_: types.Range) -> tuple[int, int, int, int]:
    return range_.start.line, range_.start.character, range_.end.line, range_.end.character


def in_session(
    scenario: Callable[[Session], Coroutine[Any, Any, None]], encodings: list[str] | None = None
) -> list[str]:
    """Run a scenario in a session, which must end well; what the server showed as messages."""

    async def run() -> list[str]:
        async with asyncio.timeout(_LIMIT_SECONDS), _session(encodings) as session:
            await scenario(session)
        return session.server_messages

    return asyncio.run(run())


@asynccontextmanager
async def _session(encodings: list[str] | None) -> AsyncIterator[Session]:
    session = Session()
    client = session.client
    await client.start_io(sys.executable, "-m", "mapal", "lsp", "--stdio")
    server = client._server
    assert server is not None
    general = types.GeneralClientCapabilities(
        position_encodings=None
        if encodings is None
        else [types.PositionEncodingKind(encoding) for encoding in encodings]
    )
    try:
        await client.initialize_async(
            types.InitializeParams(capabilities=types.ClientCapabilities(general=general))
        )
        client.initialized(types.InitializedParams())
        yield session
        await client.shutdown_async(None)
        client.exit(None)
        assert await server.wait() == 0
    finally:
        if server.returncode is None:
            server.kill()
        stopping: Coroutine[Any, Any, None] = client.stop()  # type: ignore[no-untyped-call]
        await stopping
