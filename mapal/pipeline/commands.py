"""doit's commands of ours: `exec` and `why`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from doit.cmd_base import DoitCmdBase
from doit.cmd_run import Run
from doit.exceptions import InvalidCommand

from mapal.native.start import start
from mapal.pipeline import session as sessions
from mapal.pipeline.files import describe
from mapal.pipeline.step import Step

NOT_STARTED = 126
"""What a shell gives for a file that it cannot execute."""


class Exec(Run):  # type: ignore[misc]
    """Builds a program and becomes it."""

    name = "exec"
    doc_purpose = "build a program and run it with the inputs and outputs of its project"
    doc_usage = "[program=P] [target=T]"
    doc_description = (
        "Messages of the build go to standard error; standard output and the exit status are "
        "the program's own."
    )

    def _execute(
        self,
        outfile: Any,
        verbosity: Any = None,
        always: bool = False,
        continue_: bool = False,
        reporter: Any = "console",
        num_process: int = 0,
        par_type: str = "process",
        single: bool = False,
        auto_delayed_regex: bool = False,
        force_verbosity: bool = False,
        failure_verbosity: int = 0,
        pdb: bool = False,
        pos_args: Any = None,
    ) -> int:
        if pos_args:
            raise InvalidCommand(f"`exec` takes program= and target=, not {pos_args[0]!r}")
        step = _chosen(sessions.current())
        self.sel_tasks = [step.task]
        status = super()._execute(
            sys.stderr,
            verbosity=verbosity,
            always=always,
            continue_=continue_,
            reporter=reporter,
            num_process=num_process,
            par_type=par_type,
            single=single,
            auto_delayed_regex=auto_delayed_regex,
            force_verbosity=force_verbosity,
            failure_verbosity=failure_verbosity,
            pdb=pdb,
        )
        return int(status) if status else run_program(step)


def _chosen(session: sessions.Session) -> Step:
    """The one link step that is selected. Raises `InvalidCommand` if there is none, or more."""
    links = [step for step in session.steps.values() if step.stage == "link"]
    if not links:
        reasons = [
            f"{step.target}: {step.options['skipped']}"
            for step in session.steps.values()
            if step.stage == "differential"
        ]
        raise InvalidCommand(f"nothing here can be run ({reasons[0]})")
    programs = list(dict.fromkeys(step.program.name for step in links if step.program))
    if len(programs) > 1:
        raise InvalidCommand(f"which program? program= one of {', '.join(programs)}")
    return links[0]


def run_program(step: Step) -> int:
    """Runs the executable of a link step with the project's inputs and outputs; gives its exit
    status, or 126 if it cannot be started. The place of a trap is shown as file, line and
    column."""
    site, program = step.site, step.program
    assert program is not None
    arguments = [os.path.abspath(step.output_paths()[0])]
    for port, path in program.inputs:
        arguments += ["--input", f"{port}={os.path.abspath(site.path(f'../{path}'))}"]
    for port, path in program.outputs:
        full = os.path.abspath(site.path(f"../{path}"))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        arguments += ["--output", f"{port}={full}"]
    try:
        process = start(arguments, stderr=subprocess.PIPE)
    except OSError as error:
        print(f"{arguments[0]}: {describe(error)}", file=sys.stderr)
        return NOT_STARTED
    assert process.stderr is not None
    # The terminal interrupts the program, too; it decides how it ends.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for line in process.stderr:
            sys.stderr.write(_located(line.decode("utf-8", "replace"), step))
            sys.stderr.flush()
        status = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    process.stderr.close()
    # What a shell says about a process that a signal ended.
    return status if status >= 0 else 128 - status


def _located(line: str, step: Step) -> str:
    """A trap's `  at token N` with the place of that token."""
    prefix = "  at token "
    if not line.startswith(prefix) or not line[len(prefix) :].strip().isdecimal():
        return line
    from mapal.diagnostics import LocationTable, SourceText
    from mapal.pipeline.stages.parse import source_text

    program = step.program
    assert program is not None
    token = int(line[len(prefix) :])
    with open(step.site.path(f"parse/{program.name}.loc.json"), "rb") as file:
        locations = LocationTable.from_json(file.read())
    with open(step.site.path(f"../{program.source}"), "rb") as file:
        source = source_text(file.read(), dict(program.sizes))
    position = SourceText(source).position(locations.span_of((token, token))[0])
    return f"  at {program.source}:{position.line}:{position.column}\n"


class Why(DoitCmdBase):  # type: ignore[misc]
    """Says why tasks would run."""

    name = "why"
    doc_purpose = "say why tasks are not up to date"
    doc_usage = "[TASK ...]"
    doc_description = (
        "For each stale task: the input that changed, the target that is missing or altered, or "
        "the code, option or tool that changed. A task whose inputs will be made anew by another "
        "stale task is not listed before that has happened."
    )

    def _execute(self, pos_args: Any) -> int:
        session = sessions.current()
        names = [task.name for task in self.task_list]
        for name in pos_args:
            if name not in names:
                raise InvalidCommand(not_found=name)
        said = False
        for name, stage, reasons in _stale_tasks(session):
            if not pos_args or name in pos_args or stage in pos_args:
                said = True
                self.outstream.write(f"{name}\n")
                self.outstream.writelines(f"  {reason}\n" for reason in reasons)
        if not said:
            self.outstream.write("every stage is up to date\n")
        return 0


def _stale_tasks(session: sessions.Session) -> Iterator[tuple[str, str, list[str]]]:
    """Every task that would run whatever the tasks before it give: name, stage, and reasons."""
    environment = session.workspace.environment
    made_anew: set[str] = set()
    for step in session.steps.values():
        reasons = list(step.stale_reasons(environment, inputs=True, made_anew=made_anew))
        if reasons:
            record = step.recorded()
            labels = {label for _, label in step.outputs} | set(record["outputs"] if record else ())
            made_anew |= {step.site.path(label) for label in labels}
            yield step.task, step.stage, reasons
    if not made_anew:
        # A listing is made of records; which ones there will be is known only when all stages ran.
        for name, stale_paths in session.listings.items():
            paths = stale_paths()
            if paths:
                yield name, "manifest", [f"{path} does not list what is there" for path in paths]
