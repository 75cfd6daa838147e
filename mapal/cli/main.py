"""`mapal`: the parser of the command line and the way out of every error."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any

from mapal.cli.streams import guard_standard_streams
from mapal.diagnostics import CompilerBug, Unsupported, UserError
from mapal.target.document import closest

_PROGRAM = "mapal"
_BUG_STATUS = 70
_INTERRUPTED_STATUS = 130

_COMMANDS = {
    "new": "make a project that builds as it is",
    "check": "report what is wrong with programs",
    "run": "run a program on the interpreter",
    "compile": "make one executable of one source file",
    "dump": "show what one stage makes of a source file",
    "target": "list, show or detect target profiles",
    "cache": "show, empty or check the cache that builds share",
    "where": "show where token N of a source file is",
    "fmt": "lay source files out canonically",
    "explain": "explain an error by its code",
    "diff": "compare two manifests of builds",
    "lsp": "serve editors: the language server",
}
_FORWARDED = {
    "build": "build and check the project around here (doit build)",
    "report": "build, and write the page about it (doit report)",
    "exec": "build a program and become it (doit exec)",
    "verify": "build again and compare every byte (doit verify)",
    "why": "say why tasks are not up to date (doit why)",
    "list": "list the tasks (doit list)",
    "info": "show one task (doit info)",
    "clean": "remove artifacts (doit clean)",
    "forget": "forget what was built (doit forget)",
}


def entry_point() -> None:
    """The installed command."""
    guard_standard_streams()
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and gives its exit status. Errors of ours end in 70."""
    try:
        status = _dispatch(list(arguments))
        sys.stdout.flush()
        return status
    except UserError as error:
        print(f"{_PROGRAM}: {error.message}", file=sys.stderr)
        return error.exit_status
    except Unsupported as refusal:
        print(f"{_PROGRAM}: not supported: {refusal.reason}", file=sys.stderr)
        return 2
    except CompilerBug as bug:
        print(f"{_PROGRAM}: internal error: {bug}", file=sys.stderr)
        return _BUG_STATUS
    except UnicodeEncodeError as error:
        # Writing something else instead could pass for the text.
        shown = error.object[error.start : error.end].encode("ascii", "backslashreplace").decode()
        print(
            f"{_PROGRAM}: standard output: {shown} cannot be written in {error.encoding}; "
            "PYTHONUTF8=1 makes that UTF-8",
            file=sys.stderr,
        )
        return 1
    except BrokenPipeError:
        return 1  # whoever read our output has seen enough
    except MemoryError:
        print(f"{_PROGRAM}: out of memory", file=sys.stderr)
        return 1  # as an executable does
    except KeyboardInterrupt:
        return _INTERRUPTED_STATUS


def _dispatch(arguments: list[str]) -> int:
    command = arguments[0] if arguments else None
    if command in _FORWARDED and "--help" not in arguments[1:] and "-h" not in arguments[1:]:
        from mapal.cli.forward import forward

        return forward(command, arguments[1:])
    if command is not None and not command.startswith("-"):
        known = (*_COMMANDS, *_FORWARDED)
        if command not in known:
            raise UserError(
                f"unknown command {command!r}; `mapal --help` lists them{closest(command, known)}"
            )
    parser = _parser(command)
    if command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        options = parser.parse_args(arguments)
    except SystemExit:
        sys.stdout.flush()  # help that cannot be written is no success
        raise
    run: Any = options.run
    return int(run(options))


def _parser(command: str | None) -> argparse.ArgumentParser:
    """The whole parser; only the module of `command` is imported to complete it."""
    parser = argparse.ArgumentParser(
        prog=_PROGRAM, description="The Mapal compiler and its build.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"{_PROGRAM} {_version()}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in _COMMANDS.items():
        part = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        if name == command:
            module = importlib.import_module(f"mapal.cli.{_MODULES.get(name, name)}")
            module.add_arguments(part)
            part.set_defaults(run=module.run)
    for name, summary in _FORWARDED.items():
        commands.add_parser(
            name, help=summary, description=f"{summary}; `doit help {name}` tells more"
        )
    return parser


_MODULES = {"compile": "compile_file", "fmt": "format", "run": "run_file"}


def _version() -> str:
    import importlib.metadata

    return importlib.metadata.version(_PROGRAM)
