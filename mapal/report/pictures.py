"""Pictures of graphs made fit to stand in the page: small, without names of their own, and
with nothing in them that could act."""

from __future__ import annotations

import re

from mapal.diagnostics import CompilerBug

_PROLOGUE = re.compile(r"\A.*?(?=<svg\b)", re.DOTALL)
_COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
_NAMES = re.compile(r' (?:id|font-family|xmlns:xlink|xml:space)="[^"]*"')
_TITLES = re.compile(r"<title>[^<]*</title>")
_SPACE = re.compile(r">\s+<")
_WHITE = re.compile(r'<polygon fill="white" stroke="none"[^>]*/>')
_SIZE = re.compile(r'<svg width="(\d+)pt" height="(\d+)pt"')
_ACTIVE = re.compile(r"<script|<foreignobject|<image|<use|href\s*=|\son\w+\s*=|</?noscript", re.I)


def inline_picture(svg: str, title: str) -> str:
    """The `<svg>` element to put into a page; `title` is escaped text that names it.

    Raises `CompilerBug` if the picture has anything in it that Graphviz does not draw."""
    if _ACTIVE.search(svg) is not None:
        raise CompilerBug(f"the picture {title} is no drawing")
    text = _COMMENTS.sub("", _PROLOGUE.sub("", svg, count=1))
    text = _NAMES.sub("", _WHITE.sub("", _TITLES.sub("", text)))
    text = _SPACE.sub("><", text).strip()
    return _SIZE.sub(rf'<svg role="img" aria-label="{title}" width="\1" height="\2"', text, count=1)
