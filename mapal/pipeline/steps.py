"""The list of stage tasks: which files each reads and writes, under which options.

Stages up to `rewrite`, `oracle` and `graph` do not depend on the target. What a target adds
depends on whether this machine can run it: if not, its objects are made and the differential
check says why it was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mapal.native.ptxas import find_ptxas
from mapal.native.toolchain import runtime_sources
from mapal.pipeline.site import Site
from mapal.pipeline.step import PATH_ROLE, Call, Step
from mapal.pipeline.tools import C_COMPILER, PTXAS

if TYPE_CHECKING:
    from mapal.pipeline.stages.result import StageResult
    from mapal.project.file import Program

_STAGES = "mapal.pipeline.stages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A target of a build. `files` are the labels of the files that define its profile, the
    main one first; `skipped` is why this machine does not run it, or None."""

    name: str
    is_gpu: bool
    files: tuple[str, ...]
    architecture: str
    skipped: str | None


def program_steps(site: Site, program: Program) -> Iterator[Step]:
    """The stages of a program that are the same for every target."""
    name = program.name
    source = f"../{program.source}"
    ast, ir = f"parse/{name}.ast.json", f"lower/{name}.ir"
    check, rewritten = f"check/{name}.json", f"rewrite/{name}.ir"
    make = _Maker(site, program, None)
    yield make(
        "parse",
        "parse",
        inputs=(("source", source),),
        outputs=(("ast", ast), ("locations", f"parse/{name}.loc.json")),
        options={"sizes": dict(program.sizes)},
        tools=("msgspec",),
    )
    yield make(
        "lower",
        "lower",
        inputs=(("ast", ast),),
        outputs=(("ir", ir),),
        options={"arithmetic": program.arithmetic},
        tools=("msgspec",),
    )
    yield make(
        "check",
        "check",
        inputs=(("ast", ast), ("ir", ir)),
        outputs=(("check", check),),
        tools=("msgspec",),
    )
    yield _rewriting(make, program, ir, check)
    yield make(
        "oracle",
        "oracle",
        inputs=(("ir", ir), ("check", check), *_input_files(program, "input.")),
        outputs=(("oracle", f"oracle/{name}.json"),),
        options={
            "steps": program.steps,
            "inputs": dict(program.inputs),
            "outputs": [port for port, _ in program.outputs],
        },
        tools=("numpy",),
        extra=f"oracle/{name}/{{role}}.npy",
    )
    yield make(
        "graph",
        "draw",
        inputs=(("lower", ir), ("rewrite", rewritten)),
        outputs=tuple(
            (f"{role}.{kind}", f"graph/{name}.{role}.{kind}")
            for role in ("lower", "rewrite")
            for kind in ("mmd", "svg")
        ),
        tools=("pygraphviz",),
    )


def _rewriting(make: _Maker, program: Program, ir: str, check: str) -> Step:
    """The rewriter; with validation it is given what the oracle is given, and its own budget."""
    name = program.name
    inputs = (("ir", ir), ("check", check))
    outputs = (("ir", f"rewrite/{name}.ir"), ("report", f"rewrite/{name}.report.json"))
    if not program.validate:
        options = _compares(program)
        return make("rewrite", "rewrite", inputs=inputs, outputs=outputs, options=options)
    return make(
        "rewrite",
        "validated_rewrite",
        inputs=(*inputs, *_input_files(program, "input.")),
        outputs=outputs,
        options={
            "name": name,
            "steps": program.steps,
            "inputs": dict(program.inputs),
            **_compares(program),
        },
        tools=("numpy",),
        extra=f"rewrite/{name}/{{role}}.ir",
    )


def _compares(program: Program) -> dict[str, Any]:
    """The option of stages that compare proofs with simple rules if they are asked to."""
    return {"crosscheck": True} if program.crosscheck else {}


def target_steps(site: Site, target: Target, *, suffix: str) -> Iterator[Step]:
    """The stages of a target that no program is needed for. `suffix` (`:PROJECT`) tells the
    tasks of several projects apart."""
    if target.skipped is not None:
        return
    sources = tuple((name, f"mapal:runtime/{name}") for name in runtime_sources())
    yield Step(
        stage="runtime",
        task=f"runtime:{target.name}{suffix}",
        record=f"runtime:{target.name}",
        site=site,
        inputs=sources,
        outputs=(("library", f"runtime/{target.name}/libmapal_rt.a"),),
        modules=("mapal.native.toolchain", "mapal.pipeline.linking"),
        options={"architecture": target.architecture},
        tools=(C_COMPILER,),
        local=_runtime,
        shared=True,
        target=target.name,
    )


def target_program_steps(site: Site, target: Target, program: Program) -> Iterator[Step]:
    """The stages of one program for one target."""
    name, place = program.name, f"{target.name}/{program.name}"
    make = _Maker(site, program, target)
    profile = tuple((f"profile.{label.rsplit('/', 1)[-1]}", label) for label in target.files)
    profile_options = {
        "profile": target.files[0].rsplit("/", 1)[-1],
        "architecture": target.architecture,
    }
    ptxas = target.is_gpu and find_ptxas() is not None
    emitted = [("ll", f"emit/{place}.ll"), ("plan", f"emit/{place}.plan.json")]
    if target.is_gpu:
        emitted += [("device", f"emit/{place}.device.ll"), ("ptx", f"emit/{place}.ptx")]
    yield make(
        "emit",
        "emit_device" if target.is_gpu else "emit",
        inputs=(("ir", f"rewrite/{name}.ir"), *profile),
        outputs=tuple(emitted),
        options={
            "name": name,
            **profile_options,
            **({"ptxas": ptxas} if target.is_gpu else {}),
            **_compares(program),
        },
        tools=("llvmlite", "pyyaml", PTXAS) if target.is_gpu else ("pyyaml",),
    )
    object_file = f"object/{place}.o"
    yield make(
        "object",
        "compile_object",
        inputs=(("ll", f"emit/{place}.ll"), *profile),
        outputs=(
            ("optimized", f"object/{place}.opt.ll"),
            ("assembly", f"object/{place}.s"),
            ("object", object_file),
        ),
        options={"opt": program.opt, **profile_options},
        tools=("llvmlite", "pyyaml"),
    )
    if target.skipped is None:
        yield make.local(
            "link",
            _link,
            inputs=(
                ("object", object_file),
                ("library", f"runtime/{target.name}/libmapal_rt.a"),
            ),
            outputs=(("program", f"link/{place}"),),
            modules=("mapal.native.toolchain", "mapal.pipeline.linking"),
            tools=(C_COMPILER,),
            executable=True,
        )
    yield _differential(make, program, target, place)


def _differential(make: _Maker, program: Program, target: Target, place: str) -> Step:
    options: dict[str, Any] = {
        "program": program.name,
        "target": target.name,
        "arithmetic": program.arithmetic,
        "skipped": target.skipped,
    }
    oracle = ("oracle", f"oracle/{program.name}.json")
    outputs = (("result", f"differential/{place}.json"),)
    modules = ("mapal.pipeline.differential",)
    if target.skipped is not None:
        return make.local(
            "differential",
            _differential_check,
            # The object too, so that a target that cannot run is still known to compile.
            inputs=(oracle, (f"{PATH_ROLE}object", f"object/{place}.o")),
            outputs=outputs,
            options=options,
            modules=modules,
        )
    return make.local(
        "differential",
        _differential_check,
        inputs=(
            oracle,
            (f"{PATH_ROLE}program", f"link/{place}"),
            *_input_files(program, f"{PATH_ROLE}input."),
        ),
        outputs=outputs,
        options={**options, "opt": program.opt, "threads": list(program.threads)},
        modules=modules,
        extra=f"differential/{place}/{{role}}.npy",
        surrounding=("processor",),
    )


def _input_files(program: Program, prefix: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"{prefix}{port}", f"../{path}") for port, path in program.inputs)


def _runtime(call: Call) -> StageResult:
    from mapal.pipeline.linking import build_library

    return build_library(call)


def _link(call: Call) -> StageResult:
    from mapal.pipeline.linking import link_program

    return link_program(call)


def _differential_check(call: Call) -> StageResult:
    from mapal.pipeline.differential import check

    return check(call)


class _Maker:
    """Makes the steps of one program, perhaps for one target."""

    def __init__(self, site: Site, program: Program, target: Target | None) -> None:
        self._site = site
        self._program = program
        self._target = target

    def __call__(
        self,
        stage: str,
        function: str,
        *,
        inputs: tuple[tuple[str, str], ...],
        outputs: tuple[tuple[str, str], ...],
        options: dict[str, Any] | None = None,
        tools: tuple[str, ...] = (),
        extra: str | None = None,
    ) -> Step:
        """A step whose stage is a function in a module of the stages."""
        module, function = _MODULES.get(function, (function, function))
        module = f"{_STAGES}.{module}"
        return Step(
            stage=stage,
            inputs=inputs,
            outputs=outputs,
            options=options or {},
            tools=tools,
            extra=extra,
            function=f"{module}:{function}",
            modules=(module,),
            **self._common(stage),
        )

    def local(
        self,
        stage: str,
        local: Callable[[Call], StageResult],
        *,
        inputs: tuple[tuple[str, str], ...],
        outputs: tuple[tuple[str, str], ...],
        modules: tuple[str, ...],
        options: dict[str, Any] | None = None,
        tools: tuple[str, ...] = (),
        extra: str | None = None,
        executable: bool = False,
        surrounding: tuple[str, ...] = (),
    ) -> Step:
        """A step that starts programs and therefore runs in this process."""
        return Step(
            stage=stage,
            inputs=inputs,
            outputs=outputs,
            options=options or {},
            tools=tools,
            extra=extra,
            local=local,
            modules=modules,
            executable=executable,
            surrounding=surrounding,
            **self._common(stage),
        )

    def _common(self, stage: str) -> dict[str, Any]:
        target = f":{self._target.name}" if self._target is not None else ""
        task = f"{stage}{target}:{self._program.name}"
        return {
            "task": task,
            "record": task,
            "site": self._site,
            "program": self._program,
            "target": self._target.name if self._target is not None else None,
        }


_MODULES = {
    "draw": ("graph", "draw"),
    "compile_object": ("object", "compile_object"),
    "validated_rewrite": ("validated_rewrite", "rewrite"),
}
"""Modules and functions of stages that are not named alike."""
