"""The caches of this machine, as its system describes them.

What is read is checked, since virtual machines report zeros and contradictions: a cache that
does not add up is left out, and `notes` says why, beside where each one that was found comes
from. Keys of notes are those of the facts of a profile, without unit: `l1d`, `l2`, `l3`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mapal.target.profile import CacheGeometry, SharedCache
from mapal.target.schema import wanted_fact

_PAGE_BYTES_KEY = "hw.pagesize"
_LEVELS = {
    ("1", "Data"): "l1d",
    ("2", "Unified"): "l2",
    ("2", "Data"): "l2",
    ("3", "Unified"): "l3",
}


@dataclass(slots=True)
class Caches:
    """What was found; None where nothing reliable is known."""

    l1d: CacheGeometry | None = None
    l2: SharedCache | None = None
    l3: SharedCache | None = None
    notes: dict[str, str] = field(default_factory=dict)


class _Contradiction(Exception):  # noqa: N818  (internal; becomes a note)
    pass


def read_caches(root: Path) -> Caches:
    """The caches of a fastest core from a Linux `sysfs` tree whose `cpu*` directories lie in
    `root`."""
    found = Caches(notes=dict.fromkeys(("l1d", "l2", "l3"), "unreadable: the system lists none"))
    core = _fastest_core(root)
    if core is None:
        return found
    for index in sorted(_glob(core / "cache", "index[0-9]*")):
        name = _LEVELS.get((_word(index / "level") or "", _word(index / "type") or ""))
        if name is None:
            continue
        try:
            geometry = _geometry(index)
            cache: CacheGeometry | SharedCache = geometry
            if name != "l1d":
                cache = SharedCache(
                    bytes=geometry.bytes,
                    cores=_sharing(index, core),
                    line_bytes=geometry.line_bytes,
                    ways=geometry.ways,
                )
            _require_facts(name, cache)
            setattr(found, name, cache)
            found.notes[name] = str(index)
        except _Contradiction as reason:
            setattr(found, name, None)
            found.notes[name] = f"unreadable: {index}: {reason}"
    _drop_inversions(found)
    return found


def _drop_inversions(found: Caches) -> None:
    """A cache smaller than one before it is an invention of a virtual machine."""
    smaller = found.l1d.bytes if found.l1d is not None else 0
    for name in ("l2", "l3"):
        cache: SharedCache | None = getattr(found, name)
        if cache is None:
            continue
        if cache.bytes < smaller:
            setattr(found, name, None)
            found.notes[name] = f"unreadable: {cache.bytes} bytes, less than the level before it"
        else:
            smaller = cache.bytes


def _fastest_core(root: Path) -> Path | None:
    """The first core of the class with the greatest capacity or, failing that, clock rate."""
    found = [path for path in _glob(root, "cpu[0-9]*") if path.name[3:].isdecimal()]
    cores = sorted(found, key=lambda path: int(path.name[3:]))
    if not cores:
        return None

    def speed(core: Path) -> tuple[int, int]:
        capacity = _positive(core / "cpu_capacity") or 0
        return capacity, _positive(core / "cpufreq" / "cpuinfo_max_freq") or 0

    return max(cores, key=speed)


def _geometry(index: Path) -> CacheGeometry:
    """The geometry in one `cache/index*` directory. Raises `_Contradiction`."""
    size = _size(index / "size")
    line = _positive(index / "coherency_line_size")
    sets = _positive(index / "number_of_sets")
    ways = _positive(index / "ways_of_associativity")
    if not (size and line and sets and ways):
        raise _Contradiction("size, line, sets or ways are missing or zero")
    if sets * ways * line != size:
        raise _Contradiction(f"{sets} sets x {ways} ways x {line} bytes are not {size} bytes")
    return CacheGeometry(bytes=size, line_bytes=line, sets=sets)


def _require_facts(name: str, cache: CacheGeometry | SharedCache) -> None:
    """Raises `_Contradiction` for a cache that no profile can describe."""
    for key, number in asdict(cache).items():
        wanted = None if number is None else wanted_fact(f"{name}_{key}", number)
        if wanted is not None:
            raise _Contradiction(f"{name}_{key} is {number}, not {wanted}")


def _sharing(index: Path, core: Path) -> int:
    """Physical cores that share a cache. Raises `_Contradiction`."""
    sharing = _list_count(index / "shared_cpu_list")
    siblings = _list_count(core / "topology" / "thread_siblings_list")
    if not sharing or not siblings or sharing % siblings:
        raise _Contradiction("which cores share it is not known")
    return sharing // siblings


def apple_caches(read: Callable[[str], str | None]) -> Caches:
    """The caches of a performance core of an Apple processor. `read` gives the text of a
    `sysctl` key or None. Sets are not readable there; a page holds one line of each set. There
    is no third level of a core's own."""

    def number(key: str) -> int | None:
        text = read(key)
        return int(text) if text is not None and text.isdecimal() and int(text) > 0 else None

    found = Caches(notes=dict.fromkeys(("l1d", "l2"), "unreadable: sysctl does not say"))
    found.notes["l3"] = "unreadable: sysctl describes none"
    size, line = number("hw.perflevel0.l1dcachesize"), number("hw.cachelinesize")
    page = number(_PAGE_BYTES_KEY)
    if size and line and page and page % line == 0 and size % page == 0:
        l1d = CacheGeometry(bytes=size, line_bytes=line, sets=page // line)
        _take(found, "l1d", l1d, "hw.perflevel0.l1dcachesize, hw.cachelinesize, hw.pagesize")
    l2_bytes, cores = number("hw.perflevel0.l2cachesize"), number("hw.perflevel0.cpusperl2")
    if l2_bytes and cores:
        l2 = SharedCache(bytes=l2_bytes, cores=cores)
        _take(found, "l2", l2, "hw.perflevel0.l2cachesize, hw.perflevel0.cpusperl2")
    return found


def _take(found: Caches, name: str, cache: CacheGeometry | SharedCache, keys: str) -> None:
    """Enters a cache that the given keys of `sysctl` describe."""
    try:
        _require_facts(name, cache)
    except _Contradiction as reason:
        found.notes[name] = f"unreadable: sysctl: {reason}"
        return
    setattr(found, name, cache)
    found.notes[name] = f"sysctl {keys}"


def _glob(directory: Path, pattern: str) -> Iterable[Path]:
    try:
        return list(directory.glob(pattern))
    except OSError:
        return []


def _word(path: Path) -> str | None:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None


def _positive(path: Path) -> int | None:
    text = _word(path)
    return int(text) if text is not None and text.isdecimal() and int(text) > 0 else None


def _size(path: Path) -> int | None:
    """A size as the kernel writes it: `48K`, `1M` or plain bytes."""
    text = _word(path)
    if not text:
        return None
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1], 1)
    digits = text[:-1] if factor > 1 else text
    return int(digits) * factor if digits.isdecimal() and int(digits) > 0 else None


def _list_count(path: Path) -> int | None:
    """How many processors a list like `0-3,8-11` names."""
    text = _word(path)
    if not text:
        return None
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            return None
        width = int(last or first) - int(first) + 1
        if width < 1:
            return None
        count += width
    return count
