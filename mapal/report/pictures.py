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
_ACTIVE = ("<script", "<foreignobject", "<image", "<use", "<noscript", "</noscript", "<style")
_ACTIVE_ATTRIBUTE = re.compile(r"href\s*=|\son\w+\s*=")
_ATTRIBUTES = ("href", " on", "\ton", "\non")
"""What must stand there for `_ACTIVE_ATTRIBUTE` to match; looking for it is much quicker."""


def inline_picture(svg: str, title: str) -> str:
    """The `<svg>` element to put into a page; `title` is escaped text that names it.

    Raises `CompilerBug` if the picture has anything in it that Graphviz does not draw."""
    if _is_active(svg.lower()):
        raise CompilerBug(f"the picture {title} is no drawing")
    text = _COMMENTS.sub("", _PROLOGUE.sub("", svg, count=1))
    text = _NAMES.sub("", _WHITE.sub("", _TITLES.sub("", text)))
    text = _SPACE.sub("><", text).strip()
    return _SIZE.sub(rf'<svg role="img" aria-label="{title}" width="\1" height="\2"', text, count=1)


def _is_active(svg: str) -> bool:
    if any(element in svg for element in _ACTIVE):
        return True
    return any(word in svg for word in _ATTRIBUTES) and bool(_ACTIVE_ATTRIBUTE.search(svg))
