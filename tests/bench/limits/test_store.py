"""Results that are kept: whole ones only."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.bench.limits.store import keep_result, kept_result


def test_a_result_is_kept_with_its_evidence(tmp_path: Path) -> None:
    found, store = tmp_path / "found.npy", tmp_path / "store"
    found.write_bytes(b"numbers")
    assert kept_result(store, "row") is None
    expected = keep_result(store, "row", found, ("reference", "interpreter"))
    assert expected.path.read_bytes() == b"numbers"
    assert kept_result(store, "row") == expected


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("row.npy", b"numbes"),
        ("row.npy", b""),
        ("row.npy", None),
        ("row.json", b""),
        ("row.json", b"[" * 100_000),
        ("row.json", b'["an older form"]'),
        ("row.json", b'{"sha256": 7, "evidence": null}'),
        ("row.json", None),
    ],
)
def test_what_is_damaged_is_not_there(tmp_path: Path, name: str, data: bytes | None) -> None:
    found, store = tmp_path / "found.npy", tmp_path / "store"
    found.write_bytes(b"numbers")
    keep_result(store, "row", found, ("reference",))
    (store / name).unlink()
    if data is not None:
        (store / name).write_bytes(data)
    assert kept_result(store, "row") is None
    keep_result(store, "row", found, ("reference",))
    assert kept_result(store, "row") is not None
