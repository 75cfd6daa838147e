"""NVIDIA's assembler as a check of PTX: does it accept the text, and what does a kernel use."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from mapal.diagnostics import CompilerBug

_LIMIT_SECONDS = 300
_KERNEL = re.compile(r"Compiling entry function '([^']+)'")
_USAGE = {
    "registers": re.compile(r"Used (\d+) registers"),
    "shared_memory_bytes": re.compile(r"(\d+) bytes smem"),
    "stack_frame_bytes": re.compile(r"(\d+) bytes stack frame"),
    "spill_store_bytes": re.compile(r"(\d+) bytes spill stores"),
    "spill_load_bytes": re.compile(r"(\d+) bytes spill loads"),
}


def find_ptxas() -> str | None:
    """The path of `ptxas`, if it is installed."""
    return shutil.which("ptxas")


def ptxas_version() -> str | None:
    """The release that `ptxas` names, such as `13.0, V13.0.88`; None if it is not installed."""
    path = find_ptxas()
    if path is None:
        return None
    result = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"release (.+)", result.stdout)
    return found[1].strip() if found else "unknown"


def resources(ptx: str, cpu: str) -> dict[str, Any]:
    """What each kernel uses (registers, shared memory, stack, spills), by kernel name. Raises
    `CompilerBug` if `ptxas` does not accept the text: we wrote it."""
    path = find_ptxas()
    if path is None:
        raise CompilerBug("ptxas is not installed")
    with tempfile.TemporaryDirectory(prefix="mapal-") as directory:
        Path(directory, "device.ptx").write_text(ptx, encoding="utf-8")
        result = subprocess.run(
            [path, "-v", f"-arch={cpu}", "-o", "device.cubin", "device.ptx"],
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    if result.returncode != 0:
        raise CompilerBug(f"ptxas rejects the emitted PTX: {result.stderr.strip()[:2000]}")
    return parse_usage(result.stdout + result.stderr)


def parse_usage(text: str) -> dict[str, Any]:
    """The numbers in the report of `ptxas -v`."""
    usage: dict[str, dict[str, int]] = {}
    kernel: dict[str, int] | None = None
    for line in text.splitlines():
        if found := _KERNEL.search(line):
            kernel = usage.setdefault(found[1], dict.fromkeys(_USAGE, 0))
        elif kernel is not None:
            for name, pattern in _USAGE.items():
                if found := pattern.search(line):
                    kernel[name] = int(found[1])
    return dict(sorted(usage.items()))
