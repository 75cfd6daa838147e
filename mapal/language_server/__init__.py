"""The language server: what an editor shows of a program while it is being written.

It needs the optional package pygls, which is imported only by `serve`. Everything else is
plain functions of a text, which never fail on any text.
"""

from __future__ import annotations


def serve() -> None:
    """Serve one client on the standard streams until it ends the session."""
    from mapal.language_server.server import MapalServer

    MapalServer().start_io()
