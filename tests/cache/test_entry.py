"""The form of an entry: what is written comes back, and nothing else does."""

from __future__ import annotations

import hashlib
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.cache import Damaged, Entry, decode, encode

KEY = "0f" * 32


@given(
    files=st.dictionaries(st.text(max_size=8), st.binary(max_size=64), max_size=4),
    stage=st.text(max_size=8),
    summary=st.none() | st.text(max_size=8),
)
def test_what_is_encoded_comes_back(
    files: dict[str, bytes], stage: str, summary: str | None
) -> None:
    entry = Entry(stage=stage, files=files, summary=summary)
    assert decode(KEY, encode(KEY, entry)) == entry


@given(data=st.binary(max_size=200))
def test_nothing_else_is_an_entry(data: bytes) -> None:
    with pytest.raises(Damaged):
        decode(KEY, data)


def test_every_position_counts() -> None:
    data = encode(KEY, Entry(stage="s", files={"a": b"one", "b": b""}, summary="equal"))
    random_bits = random.Random(1)
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 1 << random_bits.randrange(8)
        with pytest.raises(Damaged):
            decode(KEY, bytes(changed))
        with pytest.raises(Damaged):
            decode(KEY, data[:position])
    with pytest.raises(Damaged):
        decode(KEY, data + b"\0")
    with pytest.raises(Damaged):
        decode("f0" * 32, data)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"{}\n",
        b"[]\n",
        json.dumps({"stage": "s", "summary": None, "files": [["a", 4]]}).encode() + b"\nabc",
        json.dumps({"stage": "s", "summary": None, "files": [["a", 2]]}).encode() + b"\nabc",
        json.dumps({"stage": "s", "summary": None, "files": [["a", "2"]]}).encode() + b"\nab",
    ],
)
def test_a_right_hash_over_a_wrong_form_is_damage(head: bytes) -> None:
    digest = hashlib.sha256(KEY.encode() + b"\n" + head).hexdigest().encode()
    with pytest.raises(Damaged):
        decode(KEY, b"mapal-result 1\n" + digest + b"\n" + head)
