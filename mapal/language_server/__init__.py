"""The language server: what an editor shows of a program while it is being written.

It needs the optional package pygls, which is imported only by `serve`. Everything else is
plain functions of a text, which never fail on any text.
"""

from __future__ import annotations

import os
import sys


def serve() -> int:
    """Serve one client on the standard streams until it ends the session. The exit status of the
    protocol: 1 if the client says `exit` without `shutdown`."""
    from mapal.language_server.server import MapalServer

    # The protocol closes its streams at the end, and the process has a use for its own.
    with (
        os.fdopen(os.dup(sys.stdin.fileno()), "rb") as incoming,
        os.fdopen(os.dup(sys.stdout.fileno()), "wb") as outgoing,
    ):
        server = MapalServer()
        server.start_io(incoming, outgoing)
    return 1 if server.told_to_exit and not server.asked_to_shut_down else 0
