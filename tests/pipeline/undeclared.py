"""Variants of the stage `lower` that depend on something that they do not declare."""

from __future__ import annotations

import importlib
import os
import subprocess

from mapal.pipeline.stages.lower import lower
from mapal.pipeline.stages.result import Inputs, Options, StageResult


def reads_a_file(inputs: Inputs, options: Options) -> StageResult:
    with open("/etc/hostname", "rb") as file:
        file.read()
    return lower(inputs, options)


def lists_a_directory(inputs: Inputs, options: Options) -> StageResult:
    os.listdir("/etc")
    return lower(inputs, options)


def reads_the_source(inputs: Inputs, options: Options) -> StageResult:
    with open("src/scale.mapal", "rb") as file:
        file.read()
    return lower(inputs, options)


def imports_a_package(inputs: Inputs, options: Options) -> StageResult:
    importlib.import_module("yaml")
    return lower(inputs, options)


def runs_other_code(inputs: Inputs, options: Options) -> StageResult:
    importlib.import_module("mapal.codegen.plan")
    return lower(inputs, options)


def starts_a_program(inputs: Inputs, options: Options) -> StageResult:
    subprocess.run(["true"], check=True)
    return lower(inputs, options)


def asks_the_environment(inputs: Inputs, options: Options) -> StageResult:
    result = lower(inputs, options)
    home = os.environ.get("HOME", "nobody").encode()
    return StageResult({role: data + home for role, data in result.outputs.items()})
