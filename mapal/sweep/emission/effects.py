"""Steps that print or read the clock; skipped where effects cannot stand."""

from __future__ import annotations

from mapal.ir.types import STR, is_printable
from mapal.sweep.emission.emitter import Emitter, Numbers
from mapal.sweep.script import Block

_TEXTS = ("", " ", "value ", "a\tb", "ünïcödé", 'quote " and \\', "x" * 70, "%d @main {}")


def print_value(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """Prints a known number or `bool`, or a literal if there is none."""
    if not e.may_print or e.token is None or not e.afford():
        return
    value = e.pick(is_printable, n.next())
    if value is None:
        value = e.number(n.below(100))
    newline = n.below(4) < 3
    e.token = e.b.print(e.token, value, newline, e.key())
    e.note(f"print {e.b.ty(value)}")
    if e.loops:
        e.note(f"print {min(e.loops, 3)} loops deep")


def print_text(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    if not e.may_print or e.token is None or not e.afford():
        return
    text = e.b.constant(_TEXTS[n.below(len(_TEXTS))], STR, e.key())
    e.token = e.b.print(e.token, text, bool(n.below(2)), e.key())
    e.note("print text")


def clock(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """Reads the clock; who runs the program gives it one that counts."""
    if not e.may_print or e.token is None or not e.afford():
        return
    reading = e.b.time_ms(e.token, e.key())
    e.token = e.b.proj(reading, 0, e.key())
    e.know(e.b.proj(reading, 1, e.key()))
    e.note("clock read")
