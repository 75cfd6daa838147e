"""Detection: the host's own profile, the origin of its facts, and what can run where."""

from __future__ import annotations

import pytest

from mapal.target import load_profile, parse_profile
from mapal.target.caches import Caches
from mapal.target.detect import (
    detect,
    detect_host,
    host_identity,
    native_detection,
    native_profile,
    why_not_executable,
)


def features(*names: str) -> dict[str, bool]:
    return dict.fromkeys(names, True) | {"absent": False}


@pytest.mark.parametrize(
    ("triple", "names", "unit"),
    [
        ("x86_64-unknown-linux-gnu", ("avx512f", "avx512vl", "avx2", "fma"), (64, 32, True)),
        ("x86_64-unknown-linux-gnu", ("avx512f", "avx2"), (32, 16, False)),
        ("x86_64-unknown-linux-gnu", ("sse2",), (16, 16, False)),
        ("arm64-apple-darwin24.0.0", (), (16, 32, True)),
    ],
)
def test_the_vector_unit_follows_the_extensions(
    triple: str, names: tuple[str, ...], unit: tuple[int, int, bool]
) -> None:
    profile = native_profile(cpu="some", features=features(*names), triple=triple, caches=Caches())
    assert (profile.vector_bytes, profile.vector_registers, profile.fused_multiply_add) == unit
    assert "-absent" in profile.features


def test_the_host_profile_reads_back_and_runs_here() -> None:
    profile = detect_host()
    assert profile.name == "native"
    text = profile.to_yaml()
    assert parse_profile({"native.yaml": text.encode()}, "native.yaml", "any") == profile
    assert why_not_executable(profile, profile) is None
    assert load_profile("native") == profile
    assert host_identity() == host_identity()


def test_every_fact_says_where_it_comes_from() -> None:
    found = detect()
    assert found.profile == detect_host()
    text = found.profile.to_yaml(found.notes)
    lines = text[text.index("facts:") : text.index("policy:")].splitlines()[1:]
    assert lines
    assert [line for line in lines if "#" not in line] == []
    assert parse_profile({"native.yaml": text.encode()}, "native.yaml", "any") == found.profile


def test_what_no_system_tells_comes_from_a_table_or_is_left_out() -> None:
    def found(cpu: str, *names: str) -> tuple[int | None, int | None]:
        profile = native_profile(
            cpu=cpu, features=features(*names), triple="x86_64-linux-gnu", caches=Caches()
        )
        return profile.fused_per_cycle, profile.pairs_per_cycle

    assert found("znver4", "fma") == (1, 1)
    assert found("skylake-avx512", "fma") == (2, 1)
    assert found("znver3") == (None, 2)
    assert found("nobody-knows", "fma") == (None, None)


def test_facts_that_are_not_there_say_why() -> None:
    caches = Caches(notes={"l1d": "unreadable: 0 ways", "l2": "x", "l3": "unreadable: absent"})
    detection = native_detection(
        cpu="nobody-knows", features={}, triple="x86_64-linux-gnu", caches=caches
    )
    text = detection.profile.to_yaml(detection.notes)
    assert "  # l1d: unreadable: 0 ways\n" in text
    assert "  # l3: unreadable: absent\n" in text
    assert "  # fused_per_cycle: unknown: the table of processors has no nobody-knows\n" in text
    assert parse_profile({"native.yaml": text.encode()}, "native.yaml", "any") == detection.profile


def test_reasons_for_not_running_here() -> None:
    host = native_profile(
        cpu="x86-64-v3",
        features={f[1:]: True for f in load_profile("x86-64-v3").features},
        triple="x86_64-unknown-linux-gnu",
        caches=Caches(),
    )
    assert why_not_executable(load_profile("x86-64-v3"), host) is None
    missing = why_not_executable(load_profile("x86-64-v4"), host)
    assert missing is not None
    assert "avx512f" in missing
    assert "aarch64" in str(why_not_executable(load_profile("aarch64-generic"), host))
    assert "GPU" in str(why_not_executable(load_profile("cuda-ada"), host))
    arm = native_profile(
        cpu="generic", features={"neon": True}, triple="aarch64-linux-gnu", caches=Caches()
    )
    assert "needs macos" in str(why_not_executable(load_profile("apple-m"), arm))
