"""Numbers of kernels: in a profile, in the tuning file beside it, and mistakes in either."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.target import (
    Tiles,
    list_profiles,
    load_profile,
    parse_profile,
    parse_tuning,
    profile_files,
)
from mapal.target.document import DocumentError
from mapal.target.tiles import PARAMETERS, kernel_names, tiles_of

PROFILE = """\
name: mine
summary: s
triple: x86_64-unknown-linux-gnu
cpu: x86-64-v3
features: []
facts: {vector_bytes: 32, vector_registers: 16, fused_multiply_add: true}
policy:
  tiles:
    matmul-f32-exact: {rows: 16, vectors: 1, depth: 512}
    matmul-direct-f64-fused: {rows: 6, vectors: 4}
"""
TUNING = """\
name: mine
cpu: znver4
tiles:
  matmul-f32-exact: {depth: 1024, row_block: 96}
  matmul-f64-fused: {rows: 8}
evidence:
  - anything: 1
"""


def parse(profile: str, tuning: str | None = None) -> Tiles:
    files = {"mine.yaml": profile.encode()}
    if tuning is not None:
        files["mine.tune.yaml"] = tuning.encode()
    return parse_profile(files, "mine.yaml", "x86_64").tiles


def test_a_profile_may_fix_numbers() -> None:
    tiles = parse(PROFILE)
    assert tiles.get("matmul-f32-exact") == {"rows": 16, "vectors": 1, "depth": 512}
    assert tiles.get("matmul-f32-fused") == {}
    profile = parse_profile({"mine.yaml": PROFILE.encode()}, "mine.yaml", "x86_64")
    again = parse_profile({"mine.yaml": profile.to_yaml().encode()}, "mine.yaml", "x86_64")
    assert again == profile


def test_what_was_tuned_wins_number_by_number() -> None:
    tiles = parse(PROFILE, TUNING)
    assert tiles.get("matmul-f32-exact") == {
        "rows": 16,
        "vectors": 1,
        "depth": 1024,
        "row_block": 96,
    }
    assert tiles.get("matmul-f64-fused") == {"rows": 8}
    assert tiles.get("matmul-direct-f64-fused") == {"rows": 6, "vectors": 4}


def test_equal_numbers_are_equal_in_any_order() -> None:
    assert tiles_of({"b": {"y": 1, "x": 2}, "a": {}}) == tiles_of({"a": {}, "b": {"x": 2, "y": 1}})


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("matmul-f32-exact:", "matmul-f32-exakt:", "did you mean 'matmul-f32-exact'"),
        ("depth:", "deapth:", "unknown key 'deapth'"),
        ("depth: 512", "depth: 4", "an integer from 8 to"),
        ("depth: 512", "depth: many", "an integer from 8 to"),
        ("{rows: 6, vectors: 4}", "6", "expected a mapping"),
    ],
)
def test_mistakes_are_named(old: str, new: str, expected: str) -> None:
    assert old in PROFILE
    with pytest.raises(DocumentError) as caught:
        parse(PROFILE.replace(old, new))
    assert expected in str(caught.value)
    assert str(caught.value).startswith("targets/mine.yaml:")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("name: mine", "name: yours", "expected the profile's, 'mine'"),
        ("cpu: znver4\n", "", "key 'cpu' is missing"),
        ("evidence:\n  - anything: 1", "evidence: 1", "expected a list"),
        ("tiles:", "tails:", "unknown key 'tails'"),
        ("depth: 1024", "depth: 0", "an integer from 8 to"),
    ],
)
def test_mistakes_in_a_tuning_file_are_named(old: str, new: str, expected: str) -> None:
    assert old in TUNING
    with pytest.raises(DocumentError) as caught:
        parse(PROFILE, TUNING.replace(old, new))
    assert expected in str(caught.value)
    assert str(caught.value).startswith("targets/mine.tune.yaml:")


def test_a_tuning_file_says_where_it_was_measured() -> None:
    assert parse_tuning(TUNING.encode(), "mine.tune.yaml").cpu == "znver4"


def test_a_tuning_file_elsewhere_is_named_as_it_is() -> None:
    with pytest.raises(DocumentError, match=r"\Abuild/targets/mine\.tune\.yaml:1:1: error: "):
        parse_tuning(b"", "mine.tune.yaml", "build/targets/mine.tune.yaml")


def test_a_tuning_file_belongs_to_its_profile_and_is_none_itself(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(PROFILE, encoding="utf-8")
    assert set(profile_files("mine", tmp_path)) == {"mine.yaml"}
    (tmp_path / "mine.tune.yaml").write_text(TUNING, encoding="utf-8")
    assert list_profiles(tmp_path) == ("mine",)
    assert set(profile_files("mine", tmp_path)) == {"mine.yaml", "mine.tune.yaml"}
    assert load_profile("mine", directory=tmp_path).tiles.get("matmul-f64-fused") == {"rows": 8}
    (tmp_path / "gpu.yaml").write_text(
        "name: gpu\nsummary: s\nhost: mine\ndevice: {}\n", encoding="utf-8"
    )
    assert set(profile_files("gpu", tmp_path)) == {"gpu.yaml", "mine.yaml", "mine.tune.yaml"}
    by_path = load_profile(str(tmp_path / "mine.yaml"))
    assert by_path == load_profile("mine", directory=tmp_path)


def test_what_lies_beside_profiles_under_other_names_is_none(tmp_path: Path) -> None:
    names = ("mine.yaml", ".#mine.yaml", "._mine.yaml", "mine copy.yaml", "mine.tune.yaml")
    for name in names:
        (tmp_path / name).write_text("", encoding="utf-8")
    assert list_profiles(tmp_path) == ("mine",)


def test_numbers_for_a_gpu_are_not_passed_over() -> None:
    files = profile_files("cuda-ada")
    files["cuda-ada.tune.yaml"] = TUNING.replace("name: mine", "name: cuda-ada").encode()
    with pytest.raises(DocumentError, match=r"cuda-ada\.tune\.yaml:1:1: .* in generic\.tune\.yaml"):
        parse_profile(files, "cuda-ada.yaml", "x86_64")


def test_every_kind_has_a_name_for_each_type_and_mode() -> None:
    assert len(kernel_names()) == 4 * len(PARAMETERS)
    assert {"matmul-f64-exact", "matmul-direct-f32-fused"} < set(kernel_names())
