"""Arrays that are not stored element by element, and versions of updated arrays."""

from __future__ import annotations

import random

import pytest

from mapal.interpreter.sequences import Numbered, Repeated, Updated, Zipped, updated


def test_computed_sequences_behave_like_lists() -> None:
    zipped = Zipped([1, 2, 3], range(3), 3)
    assert list(zipped) == [(1, 0), (2, 1), (3, 2)] == zipped[:]
    assert zipped[-1] == (3, 2)
    assert len(zipped) == 3
    assert Repeated(4, 3) == [4, 4, 4]
    assert list(Repeated(4, 3)) == [4, 4, 4]
    assert Repeated(4, 3)[1:] == [4, 4]
    assert Numbered("ab", 2) == [(0, "a"), (1, "b")]
    assert Numbered("ab", 2)[1] == (1, "b")
    assert Repeated(4, 3) != 4
    with pytest.raises(IndexError):
        zipped[3]
    with pytest.raises(TypeError):
        hash(zipped)


def test_each_version_of_an_array_keeps_its_elements() -> None:
    """Random updates of random versions, read in random order, against copies."""
    generator = random.Random(3)
    versions: list[Updated] = [updated(range(5), 0, 0, 5)]
    copies = [[0, 1, 2, 3, 4]]
    for step in range(300):
        number = generator.choice([len(versions) - 1, generator.randrange(len(versions))])
        index = generator.randrange(5)
        versions.append(versions[number].updated(index, step))
        copies.append(copies[number].copy())
        copies[-1][index] = step
        read = generator.randrange(len(versions))
        assert [versions[read][i] for i in range(5)] == copies[read]
        assert list(versions[read]) == copies[read]
    assert [list(version) for version in versions] == copies


def test_a_chain_of_updates_works_on_one_list() -> None:
    newest = updated([1, 2, 3], 0, 7, 3)
    elements = newest._own()
    for step in range(5):
        newest = newest.updated(1, step)
        assert newest._own() is elements


def test_a_long_forgotten_version_is_still_right_and_goes_quietly() -> None:
    oldest = updated([1, 2, 3], 0, 7, 3)
    newest = oldest
    for step in range(200_000):
        newest = newest.updated(step % 3, step)
    other = newest.updated(0, 0)
    assert list(other) == [0, 199_999, 199_997]
    assert list(oldest) == [7, 2, 3]
    del oldest, newest


def test_iterating_sees_the_version_it_began_with() -> None:
    version = updated([1, 2, 3], 0, 7, 3)
    elements = iter(version)
    version.updated(1, 9)
    assert list(elements) == [7, 2, 3]
