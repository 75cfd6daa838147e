"""The target profile among a stage's inputs."""

from __future__ import annotations

from mapal.pipeline.stages.result import Inputs, Options
from mapal.target import TargetProfile, parse_profile

PREFIX = "profile."


def read_profile(inputs: Inputs, options: Options) -> TargetProfile:
    """The profile in the inputs `profile.FILE`. Options: `profile`, which of these files;
    `architecture`, the one of the build host."""
    files = {
        role.removeprefix(PREFIX): data for role, data in inputs.items() if role.startswith(PREFIX)
    }
    return parse_profile(files, options["profile"], options["architecture"])
