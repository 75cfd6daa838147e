"""`mapal lsp`: the language server, on the standard streams."""

from __future__ import annotations

import argparse
import importlib.util
import sys

from mapal.diagnostics import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="talk on the standard streams; that is all it does, editors just like to say it",
    )


def run(options: argparse.Namespace) -> int:
    """0 when the client ends the session, 1 if it does so without `shutdown`. Raises `UserError`
    without the optional packages."""
    if importlib.util.find_spec("pygls") is None:
        raise UserError(
            "the language server needs the package pygls: install it with "
            "`pip install 'mapal[lsp]'`"
        )
    if sys.stdin is None:
        raise UserError("the language server talks on the standard input, which is closed")
    from mapal.language_server import serve

    return serve()
