"""The C toolchain: what counts as found, reproducible libraries and executables, errors."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mapal.codegen.llvm.entry import ABI
from mapal.diagnostics import UserError
from mapal.native import toolchain
from mapal.native.llvm import compile_module
from mapal.native.run import run_executable
from mapal.native.toolchain import (
    Compiler,
    Search,
    build_runtime,
    find_compiler,
    link,
    require_compiler,
    runtime_sources,
)
from mapal.target import load_profile

PROGRAM = """
@name = private constant [5 x i8] c"demo\\00"
@mapal_program_descriptor = constant { i32, ptr, i32, ptr, i32, ptr, ptr } {
  i32 ABI, ptr @name, i32 0, ptr null, i32 0, ptr null, ptr @entry }
declare void @mapal_print_i32(i32, i1 zeroext)
define void @entry(ptr %inputs, ptr %outputs) {
  call void @mapal_print_i32(i32 42, i1 zeroext true)
  ret void
}
""".replace("ABI", str(ABI))


@pytest.fixture(scope="module")
def compiler() -> Compiler:
    found = find_compiler().compiler
    assert found is not None, "the tests need a C compiler"
    return found


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_program_links_and_runs_and_bytes_repeat(compiler: Compiler, tmp_path: Path) -> None:
    sources = {name: path.read_bytes() for name, path in runtime_sources().items()}
    runtime = build_runtime(compiler, sources)
    assert runtime == build_runtime(compiler, sources)
    assert b"/tmp" not in runtime
    program = compile_module(PROGRAM, load_profile("generic"), 2).object
    linked = link(compiler, program, runtime)
    assert linked == link(compiler, program, runtime, scratch=str(tmp_path))
    assert b"mapal-" not in linked.replace(b".mapal-", b"")
    executable = tmp_path / "demo"
    executable.write_bytes(linked)
    executable.chmod(0o755)
    outcome = run_executable(executable)
    assert (outcome.exit, outcome.stdout, outcome.stderr) == (0, b"42\n", b"")
    assert list(tmp_path.iterdir()) == [executable]


def test_the_fingerprint_has_versions_and_no_path(compiler: Compiler) -> None:
    assert "/" not in compiler.fingerprint
    assert any(character.isdigit() for character in compiler.fingerprint)


def test_a_c_error_and_a_link_error_are_reported(compiler: Compiler) -> None:
    with pytest.raises(UserError, match=r"(?s)failed:.*error") as caught:
        build_runtime(compiler, {"broken.c": b"int f(void) { return }\n"})
    assert caught.value.exit_status == toolchain.TOOLCHAIN_FAILURE
    with pytest.raises(UserError, match="failed"):
        link(compiler, b"garbage", b"!<arch>\n")


def test_a_warning_in_the_runtime_is_an_error(compiler: Compiler) -> None:
    with pytest.raises(UserError, match="unused"):
        build_runtime(compiler, {"w.c": b"void f(void) { int unused; }\n"})


def test_candidates_that_fail_are_passed_over_and_named(tmp_path: Path) -> None:
    fake = script(tmp_path / "fakecc", "echo 'fakecc: fatal error: no crt1.o' >&2; exit 1")
    silent = script(tmp_path / "silentcc", "exit 0")
    path = os.environ["PATH"]
    search = find_compiler({"CC": str(fake), "PATH": path})
    assert search.compiler is not None
    assert search.failures == (f"{fake}: fakecc: fatal error: no crt1.o",)
    search = find_compiler({"CC": f"{silent} -x", "PATH": path})
    assert search.failures == (f"{silent} -x: exit status 0",)
    search = find_compiler({"CC": "/absent/cc", "PATH": path})
    assert search.failures == ("/absent/cc: not found",)


def test_without_room_there_is_no_other_compiler_to_try(tmp_path: Path) -> None:
    said = "cannot write: No space left on device"
    full = script(tmp_path / "cc", f"echo '{said}' >&2; echo 'error: failed' >&2; exit 1")
    with pytest.raises(UserError, match=f"cc: No space left on device in {tempfile.gettempdir()}"):
        find_compiler({"CC": str(full), "PATH": os.environ["PATH"]})


def test_temporary_files_of_tools_lie_beside_ours(
    tmp_path: Path, compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "absent"))
    tells = f'echo "$TMPDIR" >> {tmp_path}/told; exec {shlex.join(compiler.command)} "$@"'
    build_runtime(Compiler((str(script(tmp_path / "cc", tells)),), "x"), {"a.c": b""})
    places = set((tmp_path / "told").read_text().split())
    assert len(places) == 1
    assert Path(places.pop()).name.startswith("mapal-")


def test_a_tool_that_dies_without_a_word_is_named(tmp_path: Path) -> None:
    dying = script(tmp_path / "cc", 'case "$*" in *print-prog*) echo ar;; *) kill -9 $$;; esac')
    with pytest.raises(UserError, match="failed:\nkilled by SIGKILL"):
        build_runtime(Compiler((str(dying),), "x"), {"a.c": b""})
    search = find_compiler({"CC": str(dying), "PATH": os.environ["PATH"]})
    assert search.failures == (f"{dying}: killed by SIGKILL",)


def test_cc_decides_and_may_carry_options() -> None:
    search = find_compiler({"CC": "cc -O1", "PATH": os.environ["PATH"]})
    assert search.compiler is not None
    assert search.compiler.command[1:] == ("-O1",)


def test_what_changes_results_is_in_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIBRARY_PATH", raising=False)
    wrapper = script(tmp_path / "wrapped", 'exec cc "$@"')
    other = script(tmp_path / "other" / "wrapped", 'exec cc -O0 "$@"')

    def found(text: str) -> str:
        search = find_compiler({"CC": text, "PATH": os.environ["PATH"]})
        assert (search.compiler is not None, search.failures) == (True, ())
        return search.compiler.fingerprint if search.compiler is not None else ""

    texts = ("cc", "cc -O1", "cc -O0", str(wrapper), str(other))
    fingerprints = [found(text) for text in texts]
    monkeypatch.setenv("LIBRARY_PATH", str(tmp_path))
    fingerprints.append(found("cc"))
    assert len(set(fingerprints)) == len(fingerprints)
    assert not any("/" in text for text in fingerprints)
    monkeypatch.setenv("LIBRARY_PATH", "")
    assert found("cc") == fingerprints[0]


def test_a_quote_without_its_partner_is_no_command() -> None:
    search = find_compiler({"CC": 'cc "', "PATH": os.environ["PATH"]})
    assert search.compiler is not None
    assert search.failures == ('cc ": not found',)


def test_nothing_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "packaged_zig", lambda: None)
    assert find_compiler({"PATH": str(tmp_path)}) == Search(None, ())
    broken = script(tmp_path / "zig", "exit 9")
    monkeypatch.setattr(toolchain, "packaged_zig", lambda: broken)
    assert find_compiler({"PATH": str(tmp_path)}).failures == (f"{broken} cc: exit status 9",)


def fake_installation(tmp_path: Path, found: Compiler | None) -> Callable[..., Search]:
    results = [Search(None, ("cc: broken",)), Search(found, ("zig: broken",))]
    return lambda *_: results.pop(0)


def test_the_packaged_compiler_is_installed_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    wanted = Compiler(("zig", "cc"), "zig 1", is_zig=True)
    monkeypatch.setattr(toolchain, "find_compiler", fake_installation(tmp_path, wanted))
    monkeypatch.setattr(toolchain, "install_packaged", lambda: None)
    assert require_compiler(said.append) is wanted
    assert said[0] == "C compiler cc: broken"
    assert "installing the package ziglang" in said[1]
    monkeypatch.setattr(toolchain, "find_compiler", fake_installation(tmp_path, None))
    with pytest.raises(UserError, match="no working C compiler: zig: broken"):
        require_compiler(said.append)


def test_a_compiler_that_is_there_is_used_without_a_word(compiler: Compiler) -> None:
    said: list[str] = []
    assert require_compiler(said.append).fingerprint == compiler.fingerprint
    assert said == []


def test_a_failed_installation_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = script(tmp_path / "python", "echo 'ERROR: no index' >&2; exit 1")
    monkeypatch.setattr(sys, "executable", str(pip))
    with pytest.raises(UserError, match="cannot be installed: ERROR: no index"):
        toolchain.install_packaged()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "absent"))
    with pytest.raises(UserError, match="No such file"):
        toolchain.install_packaged()
    monkeypatch.setattr(sys, "executable", str(script(tmp_path / "good", "exit 0")))
    toolchain.install_packaged()


def test_a_compiler_that_vanished_is_an_error(tmp_path: Path) -> None:
    gone = Compiler((str(tmp_path / "absent"),), "absent")
    with pytest.raises(UserError, match="cannot be started"):
        build_runtime(gone, {"a.c": b"int a;\n"})
    no_archiver = script(
        tmp_path / "cc", 'case "$*" in *print-prog*) echo /absent/ar;; *) exit 0;; esac'
    )
    with pytest.raises(UserError, match="/absent/ar: cannot be started"):
        build_runtime(Compiler((str(no_archiver),), "x"), {"a.c": b"int a;\n"})


def test_zig_is_called_with_its_own_words(tmp_path: Path) -> None:
    log = tmp_path / "log"
    zig = script(
        tmp_path / "zig",
        f'echo "$@" >> {log}\n[ "$1" = version ] && echo 0.17.1\n'
        'for word; do case "$previous" in -o) touch "$word";; esac; previous=$word; done\n'
        '[ "$1" = ar ] && touch "$3"; exit 0',
    )
    compiler = toolchain._probe((str(zig), "cc"))
    assert compiler.is_zig
    assert compiler.fingerprint.startswith("zig 0.17.1 ")
    build_runtime(compiler, {"a.c": b""})
    link(compiler, b"", b"")
    lines = log.read_text().splitlines()
    assert lines[-2].startswith("ar rcsD libmapal_rt.a a.o")
    assert lines[-1].split()[-1] == "-s"
    assert subprocess.run([str(zig), "x"], check=False).returncode == 0
