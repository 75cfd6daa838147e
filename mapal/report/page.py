"""The page about a build: one HTML file that needs nothing besides itself.

It reads without scripts: every artifact lies in a `details` element. Those of a program are in
a `noscript` element, which browsers with scripts do not even parse; the page's own script makes
them from there when a person looks at the program, with colours, side by side, or as
differences. So a page of fifty programs opens at once in both.

Nothing from a build is put into the page unescaped but pictures, which are checked; a policy in
the page allows the one script that belongs to it and no connection to anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from importlib import resources

from markupsafe import Markup, escape

from mapal.report.charts import make_charts
from mapal.report.content import BuildContent, Check, ProgramContent
from mapal.report.panels import FORMER, Panel, Place, make_panels, place_of_token
from mapal.report.pictures import inline_picture
from mapal.report.timeline import Timeline, make_timeline

_TEMPLATE = "page.html"
_SCRIPTS = ("artifacts.js", "differences.js", "workbench.js", "views.js")
_SLOWEST = 12


@dataclass(frozen=True, slots=True)
class ProgramView:
    """A program as the template wants it. `outcome` is how it ends in words, `trap` where it
    traps; `tokens` gives lines and columns of tokens to the page's script."""

    content: ProgramContent
    id: str
    panels: list[Panel]
    groups: list[tuple[str, list[Panel]]]
    checks: dict[str, Check]
    status: str
    outcome: str
    trap: Place | None
    tokens: Markup


@dataclass(frozen=True, slots=True)
class _Totals:
    verdicts: Counter[str]
    actions: Counter[str]
    seconds: float


def render_page(build: BuildContent) -> bytes:
    """The page. The same bytes for equal content."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["picture"] = _picture
    environment.filters["seconds"] = _seconds
    environment.filters["milliseconds"] = _milliseconds
    script = "\n".join(_read(name) for name in _SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    programs = [_view(program, build) for program in build.programs]
    timeline = make_timeline(build.tasks)
    text = environment.get_template(_TEMPLATE).render(
        build=build,
        programs=programs,
        projects=_by_project(programs),
        totals=_totals(programs, timeline),
        timeline=timeline,
        slowest=sorted(build.tasks, key=lambda task: (-task.seconds, task.name))[:_SLOWEST],
        charts=make_charts(build.benches),
        skips=_skips(programs),
        comparisons=_comparisons(programs),
        script=Markup(script),
        digest=digest,
        style=Markup(_read("page.css")),
    )
    # Documents may hold halves of characters, which UTF-8 has no bytes for.
    return text.encode("utf-8", "replace")


def _read(name: str) -> str:
    return resources.files("mapal.report").joinpath("templates", name).read_text("utf-8")


def _view(program: ProgramContent, build: BuildContent) -> ProgramView:
    panels = make_panels(program, build.laws)
    groups: dict[str, list[Panel]] = {}
    for panel in panels:
        groups.setdefault(panel.group, []).append(panel)
    oracle = program.oracle or {}
    trap = oracle.get("trap")
    outcome = str(oracle.get("class", "not run"))
    place = None
    if trap is not None:
        outcome = f"traps: {trap['kind']}"
        place = place_of_token(program, trap["token"])
    return ProgramView(
        program,
        f"program-{program.name}",
        panels,
        list(groups.items()),
        {check.target: check for check in program.checks},
        _worst([check.status for check in program.checks]),
        outcome,
        place,
        Markup(_tokens(program)),
    )


def _tokens(program: ProgramContent) -> str:
    """Lines and columns by token, as JSON of numbers alone."""
    count = max(program.places, default=-1) + 1
    places = [program.places.get(token) for token in range(count)]
    return json.dumps(places, separators=(",", ":"))


def _worst(statuses: list[str]) -> str:
    for status in ("different", "failed", "missing"):
        if status in statuses:
            return status
    return "equal" if "equal" in statuses else "skipped"


def _by_project(programs: list[ProgramView]) -> dict[str, list[ProgramView]]:
    found: dict[str, list[ProgramView]] = {}
    for program in programs:
        found.setdefault(program.content.project, []).append(program)
    return found


def _totals(programs: list[ProgramView], timeline: Timeline) -> _Totals:
    verdicts = Counter(check.status for view in programs for check in view.content.checks)
    actions = Counter(bar.task.action for bar in timeline.bars)
    return _Totals(verdicts, actions, timeline.seconds)


def _comparisons(programs: list[ProgramView]) -> dict[str, str]:
    """By path of an artifact, where its texts before and after the last change are compared."""
    found = {}
    for view in programs:
        now = {panel.label: panel.id for panel in view.panels if panel.group != FORMER}
        for panel in view.panels:
            if panel.group == FORMER and panel.label in now:
                place = f"#{view.id}?l={panel.id}&r={now[panel.label]}&d=1"
                found[panel.label] = place
    return found


def _skips(programs: list[ProgramView]) -> list[tuple[str, str, int]]:
    """Target, reason and number of the checks that were left out."""
    reasons = Counter(
        (check.target, check.reason)
        for view in programs
        for check in view.content.checks
        if check.status == "skipped"
    )
    return [(target, reason, count) for (target, reason), count in reasons.items()]


def _picture(panel: Panel, program: str) -> Markup:
    title = escape(f"{panel.title} of {program}")
    return Markup(inline_picture(panel.text, str(title)))


def _seconds(value: float) -> str:
    return f"{value:.3f} s" if value < 1 else f"{value:.2f} s"


def _milliseconds(value: float) -> str:
    return f"{value:.4f} ms" if value < 10 else f"{value:.2f} ms"
