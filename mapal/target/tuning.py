"""What was tuned for this machine, and where it lies: `build/targets/native.tune.yaml`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mapal.diagnostics import UserError
from mapal.target.profile import NATIVE, TargetProfile
from mapal.target.schema import TUNING_SUFFIX, parse_tuning
from mapal.target.tiles import Tiles

NATIVE_TUNING = f"build/targets/{NATIVE}{TUNING_SUFFIX}"


def tuned(detected: TargetProfile, cpu: str, tiles: Tiles) -> TargetProfile:
    """The profile of this machine with numbers that were measured on a `cpu`. Raises `UserError`
    if this is another one: its numbers would be a guess."""
    if cpu != detected.cpu:
        raise UserError(
            f"{NATIVE_TUNING} was measured on a {cpu}, and this is a {detected.cpu}; "
            f"delete it, then measure again with `doit tune target={NATIVE}`"
        )
    merged = detected.policy.tiles.updated(tiles)
    return replace(detected, policy=replace(detected.policy, tiles=merged))


def with_native_tuning(detected: TargetProfile) -> TargetProfile:
    """The profile of this machine as builds here use it. Raises `UserError`."""
    path = Path(NATIVE_TUNING)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return detected
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    found = parse_tuning(data, path.name, str(path))
    return tuned(detected, found.cpu, found.tiles)
