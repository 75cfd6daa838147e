"""Sessions of a real client with `mapal lsp`."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest
from lsprotocol import types

from mapal.cli.main import main
from tests.language_server.session import IDENTIFIER, Session, in_session

SOURCE = """\
// 𝄞 doubles: 2x
fn double(n: i32) -> i32 { n * 2 }

fn main() {
    "𝄞𝄞" -> clef; 4 -> double -> x;
    clef -> println;
}
"""


def test_a_session_of_editing() -> None:
    async def scenario(session: Session) -> None:
        session.open(SOURCE)
        assert await session.reported() == []
        # Units are those of UTF-16: a clef is two.
        assert await session.hover(4, 26) == (
            "```mapal\nfn double(n: i32) -> i32\n```\n\n𝄞 doubles: 2x"
        )
        assert await session.definition(4, 26) == (1, 3, 1, 9)
        assert await session.hover(4, 15) == "```mapal\nclef: str\n```"
        assert await session.hover(0, 5) is None
        assert await session.definition(0, 5) is None

        # A name of another length, and a use of a name that is not there.
        session.replace((4, 14), (4, 18), "key")
        assert await session.reported() == [("L1101", (5, 4, 5, 8))]
        session.replace((5, 4), (5, 8), "key")
        assert await session.reported() == []
        assert await session.definition(5, 5) == (4, 14, 4, 17)

        # Several edits in one notification, each seeing the one before; the last breaks it.
        session.change(
            types.TextDocumentContentChangePartial(
                range=types.Range(types.Position(5, 0), types.Position(5, 0)), text="    x -> y;\n"
            ),
            types.TextDocumentContentChangePartial(
                range=types.Range(types.Position(5, 4), types.Position(5, 4)), text="𝄞"
            ),
        )
        assert await session.reported() == [("L0001", (5, 4, 5, 6))]
        assert await session.hover(1, 10) == "```mapal\nn: i32\n```"
        session.replace((5, 4), (5, 6), "")
        assert await session.reported() == []

        # The whole text at once.
        session.set("fn main() {")
        assert [code for code, _ in await session.reported()] == ["P0002"]

        session.client.text_document_did_close(types.DidCloseTextDocumentParams(IDENTIFIER))
        assert await session.reported() == []
        assert await session.hover(0, 3) is None
        assert await session.definition(0, 3) is None
        assert await session.formatting() is None

    assert in_session(scenario) == []


def test_requests_one_after_the_other() -> None:
    async def scenario(session: Session) -> None:
        await reports_carry_message_and_hint(session)
        await formatting(session)
        await outline(session)
        await typing_fast(session)
        await broken_texts(session)
        await a_text_on_one_line_with_thousands_of_mistakes(session)

    assert in_session(scenario) == []


async def reports_carry_message_and_hint(session: Session) -> None:
    session.open("fn main() {\n    ghost -> println;\n    size = 640;\n}\n")
    (found,) = (await session.reports.get()).diagnostics
    assert found.severity == types.DiagnosticSeverity.Error
    assert found.source == "mapal"
    assert found.code == "L0005"
    assert found.message.startswith("`=` alone means nothing")
    assert "\nhint: write `size <- 640;`" in found.message


async def formatting(session: Session) -> None:
    session.set('fn main(){1->a;// 𝄞\n"𝄞𝄞"->b}')
    edits = await session.formatting()
    assert edits is not None
    (edit,) = edits
    assert edit.new_text == 'fn main() {\n    1 -> a;  // 𝄞\n    "𝄞𝄞" -> b\n}\n'
    assert (edit.range.start.line, edit.range.start.character) == (0, 0)
    assert (edit.range.end.line, edit.range.end.character) == (1, 10)
    session.replace((0, 0), (1, 10), edit.new_text)
    assert await session.formatting() is None
    session.replace((0, 0), (0, 2), "")
    assert await session.formatting() is None


async def outline(session: Session) -> None:
    session.set("type P { x: f32 }\nfn main() { }\n")
    found = await session.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(IDENTIFIER)
    )
    assert found is not None
    kinds = []
    for symbol in found:
        assert isinstance(symbol, types.DocumentSymbol)
        kinds.append((symbol.name, symbol.kind, [part.name for part in symbol.children or ()]))
    assert kinds == [
        ("P", types.SymbolKind.Struct, ["x"]),
        ("main", types.SymbolKind.Function, []),
    ]
    unknown = types.DocumentSymbolParams(types.TextDocumentIdentifier("file:///other"))
    assert await session.client.text_document_document_symbol_async(unknown) is None


async def typing_fast(session: Session) -> None:
    session.set("")
    await session.reported()
    for line, text in enumerate(SOURCE.splitlines(keepends=True)):
        session.replace((line, 0), (line, 0), text)
    assert await session.reported() == []
    assert session.reports.empty()


async def broken_texts(session: Session) -> None:
    draw = random.Random(3)
    for text in BROKEN:
        session.set(text)
        await session.reported()
        for _ in range(5):
            place = draw.randint(0, 2), draw.randint(0, 30)
            await session.hover(*place)
            await session.definition(*place)
        session.replace((0, draw.randint(0, 9)), (5, draw.randint(0, 9)), "x -> {\r\n\r")
        await session.reported()
        await session.formatting()


async def a_text_on_one_line_with_thousands_of_mistakes(session: Session) -> None:
    session.set("é " * 20000)
    found = await session.reported()
    assert len(found) == 1000
    assert found[-1] == ("L0001", (0, 1998, 0, 1999))


BROKEN = [
    "\ud800 // \ud800\nfn main() { }",
    "fn main() { " + "(" * 300,
    "/* " * 100,
    "\ufefffn main() { }\u2028\x0c // \u2028\nx",
    "fn main() { x <- 0" + " + 1" * 3000 + "; }",
    "fn f(n: i32) -> i32 { n -> f }",
    '"',
    "",
]


def test_another_encoding() -> None:
    unit = 19

    async def scenario(session: Session) -> None:
        session.open(SOURCE)
        assert await session.definition(4, unit) is not None
        session.replace((4, unit - 1), (4, unit + 3), "clefs")
        assert [code for code, _ in await session.reported()] == ["L1101"]
        assert await session.hover(4, unit) == "```mapal\nclefs: str\n```"

    assert in_session(scenario, ["utf-8"]) == []


def test_without_the_optional_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["lsp"]) == 2
    assert "`pip install 'mapal[lsp]'`" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "status"), [(["exit"], 1), (["shutdown", "exit"], 0)])
def test_the_exit_status_tells_whether_the_session_was_shut_down(
    words: list[str], status: int
) -> None:
    message = b""
    for method in ["initialize", *words]:
        body: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        if method == "initialize":
            body |= {"id": 1, "params": {"processId": None, "rootUri": None, "capabilities": {}}}
        elif method == "shutdown":
            body |= {"id": 2}
        text = json.dumps(body).encode()
        message += b"Content-Length: %d\r\n\r\n%b" % (len(text), text)
    server = subprocess.run(
        [sys.executable, "-m", "mapal", "lsp"],
        input=message,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert server.returncode == status
