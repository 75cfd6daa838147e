"""Starting executables that were written a moment ago.

The system refuses to execute a file that some process holds open for writing (`ETXTBSY`). A
build closes what it writes before it runs it, but a process that another thread starts in between
inherits the open descriptor and keeps it until it becomes its own program, which may be a little
after its parent goes on. Nobody can wait for that, so the start is tried again for a while; the
`go` command does the same.
"""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Sequence
from time import sleep
from typing import Any

FIRST_PAUSE_SECONDS = 0.001
MOST_PAUSES = 13
"""Each pause is twice as long as the one before: 8 seconds together."""


def start(arguments: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts `arguments[0]` as `subprocess.Popen` does with the same options. Raises `OSError` if
    it cannot be started, for a file that stays open for writing only after all pauses."""
    waited = 0.0
    for number in range(MOST_PAUSES + 1):
        try:
            return subprocess.Popen(arguments, **options)
        except OSError as error:
            if error.errno != errno.ETXTBSY:
                raise
        if number < MOST_PAUSES:
            seconds = FIRST_PAUSE_SECONDS * 2**number
            sleep(seconds)
            waited += seconds
    raise OSError(
        errno.ETXTBSY,
        f"cannot be run: some process has kept it open for writing for {waited:.0f} seconds",
        arguments[0],
    )
