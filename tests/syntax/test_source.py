"""Bytes of a file to source text."""

import pytest

from mapal.diagnostics import UserError
from mapal.syntax import decode_source


def test_utf_8_is_decoded_as_it_is() -> None:
    assert decode_source("\ufefffn 𝄞\r\n".encode(), "a.mapal") == "\ufefffn 𝄞\r\n"


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"\xff", "1:1"),
        ("é\né".encode() + b"\xc3", "2:2"),
        (b"ab\x80", "1:3"),
        (b"\xed\xa0\x80", "1:1"),
    ],
)
def test_other_bytes_are_an_error_with_a_place(data: bytes, place: str) -> None:
    with pytest.raises(UserError) as caught:
        decode_source(data, "dir/a.mapal")
    assert caught.value.message.startswith(f"dir/a.mapal:{place}: ")
    assert caught.value.exit_status == 2
