"""A copy of Mapal's own sources that a test may edit, for builds in this process.

The code that runs stays what it is; what the build believes to be the package, the profiles and
the runtime is the copy. So an edit of a comment there is what an edit of a comment here would be.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import mapal
from mapal.native import toolchain
from mapal.target import library


@contextmanager
def editable_installation(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory with `mapal/`, `targets/` and `runtime/`, in use until the block ends."""
    source = Path(mapal.__file__).parent
    shutil.copytree(
        source, directory / "mapal", ignore=shutil.ignore_patterns("__pycache__", "_data")
    )
    shutil.copytree(library.targets_directory(), directory / "targets")
    shutil.copytree(toolchain.runtime_directory(), directory / "runtime")
    with monkeypatch.context() as patch:
        for module in (mapal, library, toolchain):
            assert module.__file__ is not None
            place = directory / "mapal" / Path(module.__file__).relative_to(source)
            patch.setattr(module, "__file__", str(place))
        _forget_places()
        yield directory
    _forget_places()


def _forget_places() -> None:
    toolchain.runtime_directory.cache_clear()
    library.targets_directory.cache_clear()
