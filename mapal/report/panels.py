"""The panels of a program: every stage's artifact, in the order of the pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mapal.report.content import STAGES, ProgramContent, Text
from mapal.report.vectors import VectorUse, vector_uses

FORMER = "before the last change"


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One artifact as the page shows it. `kind` chooses how: `text`, `same`, `picture`,
    `rewriting`, `plan`. `group` is the target, empty for what all share. `same_as` is the id of
    a panel with the same bytes."""

    id: str
    kind: str
    stage: str
    title: str
    group: str = ""
    label: str = ""
    detail: str = ""
    language: str = ""
    text: str = ""
    same_as: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is in the source, as people write it, `short` without the file; `line`
    is 0 if nobody knows."""

    text: str
    line: int
    short: str = ""


def make_panels(program: ProgramContent, laws: Mapping[str, str]) -> list[Panel]:
    """All panels of a program. Ids are unique in the page, since names of programs are."""
    panels = list(_shared(program, laws))
    for check in program.checks:
        panels += _of_target(program, check.target)
    panels += _texts(program, program.former, FORMER)
    return _without_copies(panels)


def _shared(program: ProgramContent, laws: Mapping[str, str]) -> Iterator[Panel]:
    shared = {panel.stage: panel for panel in _texts(program, program.texts, "")}
    if "source" in shared:
        yield shared["source"]
    for stage, title in (("lower", "Picture, lowered"), ("rewrite", "Picture, rewritten")):
        if stage in program.pictures:
            yield Panel(
                id=f"{program.name}.picture-{stage}",
                kind="picture",
                stage=f"picture-{stage}",
                title=title,
                label=f"{program.build}/graph/{program.name}.{stage}.svg",
                text=program.pictures[stage],
            )
        if stage == "lower" and program.rewriting is not None:
            yield _rewriting(program, laws)
    for stage in ("lower", "rewrite"):
        if stage in shared:
            yield shared[stage]


def _texts(program: ProgramContent, texts: Sequence[Text], group: str) -> Iterator[Panel]:
    order = list(STAGES)
    for text in sorted(texts, key=lambda text: (order.index(text.stage), text.target)):
        if group == "" and text.target:
            continue
        yield _text(program, text, group)


def _text(program: ProgramContent, text: Text, group: str) -> Panel:
    stage = STAGES[text.stage]
    parts = [program.name, text.stage, text.target]
    if group == FORMER:
        parts.append("former")
    lines = text.content.count("\n")
    title = f"{stage.title} ({text.target})" if group == FORMER and text.target else stage.title
    return Panel(
        id=".".join(part for part in parts if part),
        kind="text",
        stage=text.stage,
        title=title,
        group=group,
        label=text.label,
        detail=f"{lines:,} line{'s' * (lines != 1)} · {text.sha256[:12]}",
        language=stage.language,
        text=text.content,
    )


def _of_target(program: ProgramContent, target: str) -> Iterator[Panel]:
    texts = [text for text in program.texts if text.target == target]
    plan = program.plans.get(target)
    if plan is not None:
        optimized = next((text.content for text in texts if text.stage == "optimized"), "")
        yield _plan(program, target, plan, vector_uses(optimized))
    for text in sorted(texts, key=lambda text: list(STAGES).index(text.stage)):
        yield _text(program, text, target)


def _rewriting(program: ProgramContent, laws: Mapping[str, str]) -> Panel:
    report = program.rewriting or {}
    counts = {entry["pass"]: entry for entry in report.get("applied", ())}
    declined = [
        {
            "law": str(entry.get("pass", "")),
            "reason": str(entry.get("reason", "")),
            "place": place_of_key(program, str(entry.get("site", ""))),
        }
        for entry in report.get("declined", ())
    ]
    rows = [
        {
            "law": name,
            "summary": laws.get(name, ""),
            "count": int(counts[name]["count"]) if name in counts else 0,
            "places": [
                place_of_key(program, str(site)) for site in counts.get(name, {}).get("sites", ())
            ],
            "laws": _several(counts.get(name, {}).get("laws", {})),
            "refused": sum(entry["law"] == name for entry in declined),
        }
        for name in report.get("passes", ())
    ]
    fired = sum(row["count"] > 0 for row in rows)
    return Panel(
        id=f"{program.name}.rewriting",
        kind="rewriting",
        stage="rewriting",
        title="Rewriting",
        label=f"{program.build}/rewrite/{program.name}.report.json",
        detail=f"{fired} of {len(rows)} passes fired",
        data={
            "rows": rows,
            "declined": declined,
            "rounds": report.get("rounds", 0),
            "validation": _validated(report.get("validation")),
        },
    )


def _several(laws: Mapping[str, int]) -> list[tuple[str, int]]:
    """The laws of a pass that has more to say than its own name."""
    return list(laws.items()) if len(laws) > 1 else []


def _validated(validation: Any) -> str:
    """What checking the passes by runs found, in words; empty if they were not checked."""
    if not isinstance(validation, Mapping):
        return str(validation or "")
    numbers = {name: validation.get(name, 0) for name in ("changes", "inputs", "runs")}
    words = ", ".join(f"{number:,} {name}" for name, number in numbers.items())
    undecided = len(validation.get("undecided", ()))
    return words + (f"; not decided within their steps: {undecided}" if undecided else "")


def _plan(
    program: ProgramContent, target: str, plan: Mapping[str, Any], vectors: Sequence[VectorUse]
) -> Panel:
    sites = [
        {
            "place": place_of_token(program, site.get("token")),
            "function": site.get("function", ""),
            "kind": site.get("kind", ""),
            "elements": site.get("elements"),
            "shape": site.get("shape", ""),
            "reason": site.get("reason", ""),
        }
        for site in plan.get("sites", ())
    ]
    resources = plan.get("ptxas") or {}
    kernels = [
        {
            "name": kernel.get("kernel", ""),
            "place": place_of_token(program, kernel.get("token")),
            "elements": kernel.get("elements"),
            "threads": kernel.get("threads"),
            "resources": resources.get(kernel.get("kernel"), {}),
        }
        for kernel in plan.get("kernels", ())
    ]
    count = len(sites)
    return Panel(
        id=f"{program.name}.plan.{target}",
        kind="plan",
        stage="plan",
        title="Emission plan",
        group=target,
        label=f"{program.build}/emit/{target}/{program.name}.plan.json",
        detail=f"{count} site{'s' * (count != 1)}",
        data={
            "sites": sites,
            "kernels": kernels,
            "notes": list(plan.get("notes", ())),
            "vectors": vectors,
        },
    )


def _without_copies(panels: Sequence[Panel]) -> list[Panel]:
    """Texts that are the same to the byte for several targets are in the page once."""
    first: dict[tuple[str, str], Panel] = {}
    kept = []
    for panel in panels:
        if panel.kind == "text" and panel.stage != "source":
            other = first.setdefault((panel.stage, panel.text), panel)
            if other is not panel:
                panel = Panel(
                    id=panel.id,
                    kind="same",
                    stage=panel.stage,
                    title=panel.title,
                    group=panel.group,
                    label=panel.label,
                    detail=panel.detail,
                    language=panel.language,
                    same_as=other.id,
                    data={"label": other.label},
                )
        kept.append(panel)
    return kept


def place_of_token(program: ProgramContent, token: Any) -> Place:
    """The place of a token by its ordinal."""
    if not isinstance(token, int) or token not in program.places:
        return Place(f"token {token}" if token is not None else "", 0)
    line, column = program.places[token]
    return Place(f"{program.source}:{line}:{column}", line, f"{line}:{column}")


def place_of_key(program: ProgramContent, key: str) -> Place:
    """The place of an operation by its order key, `CALLER/LOW-HIGH`: of its own first token."""
    own = key.rpartition("/")[2].partition("-")[0]
    return place_of_token(program, int(own)) if own.isdecimal() else Place(key, 0)
