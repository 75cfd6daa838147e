"""Cycles among named things that refer to each other: types that contain types, functions that
call functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def components(refers_to: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The strongly connected components, each after those it refers to (Tarjan 1972).

    Iterative, since chains of references can be long; takes time linear in the references.
    """
    # `place` is where a name stands in `open_names`, as long as it does.
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_names: list[str] = []
    place: dict[str, int] = {}
    found: list[list[str]] = []
    for root in refers_to:
        if root in order:
            continue
        path: list[tuple[str, int]] = [(root, 0)]
        while path:
            name, position = path.pop()
            if position == 0:
                order[name] = lowest[name] = len(order)
                place[name] = len(open_names)
                open_names.append(name)
            targets = refers_to[name]
            if position and targets[position - 1] in place:
                lowest[name] = min(lowest[name], lowest[targets[position - 1]])
            while position < len(targets) and targets[position] in order:
                if targets[position] in place:
                    lowest[name] = min(lowest[name], order[targets[position]])
                position += 1
            if position < len(targets):
                path += [(name, position + 1), (targets[position], 0)]
            elif lowest[name] == order[name]:
                members = open_names[place[name] :]
                del open_names[place[name] :]
                for member in members:
                    del place[member]
                found.append(members)
    return found


def on_cycles(refers_to: Mapping[str, Sequence[str]]) -> set[str]:
    """The names that reach themselves."""
    return {
        name
        for component in components(refers_to)
        for name in component
        if len(component) > 1 or name in refers_to[name]
    }
