"""`mapal fmt`: the canonical layout, in place."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile

from mapal.cli.sources import REJECTED, Source, read_source
from mapal.diagnostics import UserError, render_all
from mapal.format import format_source
from mapal.syntax import decode_source

_CHANGES = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a source file, or - for stdin to stdout"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a file would change"
    )


def run(options: argparse.Namespace) -> int:
    """0 if every file is laid out; 1 if one does not parse or, when only checking, would
    change; 2 if one cannot be read or written. A file that does not parse is left alone."""
    status = 0
    for path in options.files:
        try:
            status = max(status, _format(path, check=options.check))
        except UserError as error:
            print(f"mapal: {error.message}", file=sys.stderr)
            status = max(status, error.exit_status)
    return status


def _format(path: str, *, check: bool) -> int:
    source = read_source(path)
    before = decode_source(source.data, source.name)
    formatted = format_source(before)
    if formatted.text is None:
        report = render_all(
            formatted.diagnostics, file=source.name, source=source.data, locations=None
        )
        sys.stderr.write(report)
        return REJECTED
    if check:
        return _checked(source, formatted.text.encode())
    if path == "-":
        sys.stdout.buffer.write(formatted.text.encode())
        sys.stdout.buffer.flush()
    elif formatted.text.encode() != source.data:
        _replace(path, formatted.text.encode())
    return 0


def _checked(source: Source, wanted: bytes) -> int:
    if source.data == wanted:
        return 0
    print(f"{source.name}: would change", file=sys.stderr)
    return _CHANGES


def _replace(path: str, data: bytes) -> None:
    """Give a file a new content at once, with the permissions that it has."""
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode & 0o7777
        descriptor, temporary = tempfile.mkstemp(
            prefix=".", suffix=".mapal-new", dir=os.path.dirname(target)
        )
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}") from None
