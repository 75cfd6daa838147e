"""The symbols of one extraction: their ranges, their digits, and what is known of them.

A symbol stands for an integer that is the same wherever a value mentions it: a position of a
collection, a counter, an input, an index out of data. What is known of symbols depends on the
place in the program (the arm of a guard, behind an access), so ranges are narrowed in scopes and
restored at their end.

A division by a constant takes a symbol apart: with `s = 64 q + r` in place of `s`, `s / 64` is
`q` and `s % 64` is `r`, and all other forms stay linear (Knuth, TAOCP 2, 4.1: mixed radix).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mapal.affine.index import Interval, Linear, Sym, span_of

MOST_PREMISES = 24
"""How many premises a proof gets to see."""

NOTHING_LESS = -(1 << 63)
NOTHING_MORE = (1 << 63) - 1


def constant(value: int) -> Linear:
    return Linear({}, value)


def times(form: Linear, factor: int) -> Linear:
    if factor == 0:
        return Linear({}, 0)
    return Linear({s: c * factor for s, c in form.terms.items()}, form.offset * factor)


def plus(a: Linear, b: Linear) -> Linear:
    terms = dict(a.terms)
    for symbol, coefficient in b.terms.items():
        total = terms.get(symbol, 0) + coefficient
        if total:
            terms[symbol] = total
        else:
            del terms[symbol]
    return Linear(terms, a.offset + b.offset)


def minus(a: Linear, b: Linear) -> Linear:
    return plus(a, times(b, -1))


class Symbols:
    """A table of symbols. `ranges` holds of each what is known here, `bases` what is known
    everywhere; both cover every symbol."""

    def __init__(self) -> None:
        self.ranges: dict[Sym, Interval] = {}
        self.bases: dict[Sym, Interval] = {}
        self.parameters: set[Sym] = set()
        """Symbols with one value for the whole run of a function."""
        self.age: dict[Sym, int] = {}
        """Counts up with each new symbol; digits are as old as what they were taken from."""
        self.uneven: set[Sym] = set()
        """Symbols whose digits take more values together than the symbol has."""
        self._quotients: dict[tuple[frozenset[tuple[Sym, int]], int, int], Sym] = {}
        self._digits: dict[Sym, tuple[Linear, int, Sym, Sym]] = {}
        self._parts: dict[Sym, tuple[Sym, int, bool]] = {}
        self._premises: dict[Sym, list[Linear]] = {}
        self._trail: list[tuple[Sym, Interval | None]] = []

    def fresh(self, prefix: str, low: int, high: int) -> Sym:
        """A new symbol with a range; names that begin alike differ in a number."""
        symbol = f"{prefix}{len(self.ranges)}"
        self.age[symbol] = len(self.age)
        self.ranges[symbol] = self.bases[symbol] = (low, high)
        return symbol

    # Scopes -------------------------------------------------------------------------

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is assumed inside holds only there."""
        start = len(self._trail)
        try:
            yield
        finally:
            while len(self._trail) > start:
                symbol, interval = self._trail.pop()
                if interval is None:
                    self._premises[symbol].pop()
                else:
                    self.ranges[symbol] = interval

    def _narrow(self, symbol: Sym, low: int, high: int) -> bool:
        old = self.ranges[symbol]
        new = (max(old[0], low), min(old[1], high))
        if new[0] > new[1]:
            return False
        if new != old:
            self._trail.append((symbol, old))
            self.ranges[symbol] = new
        return True

    def assume_nonnegative(self, form: Linear) -> bool:
        """Takes for true that a form is at least 0, until the end of the scope. False if it cannot
        be: then nothing ever gets here, and nothing needs to be known."""
        form = self.expanded(form)
        possible = bool(form.terms) or form.offset >= 0
        for symbol, coefficient in form.terms.items():
            others = {s: c for s, c in form.terms.items() if s != symbol}
            most = form.offset + span_of(others, self.ranges)[1]
            if coefficient > 0:
                possible &= self._narrow(symbol, -(most // coefficient), NOTHING_MORE)
            else:
                possible &= self._narrow(symbol, NOTHING_LESS, most // -coefficient)
        if len(form.terms) > 1:
            for symbol in form.terms:
                self._premises.setdefault(symbol, []).append(form)
                self._trail.append((symbol, None))
        return possible

    def define_nonnegative(self, form: Linear) -> None:
        """Records what is true of symbols wherever they occur."""
        for symbol in form.terms:
            self._premises.setdefault(symbol, []).insert(0, form)

    def premises_about(self, form: Linear) -> list[Linear]:
        """Premises that share a symbol with an expanded form, then those that share one with
        these; expanded too."""
        if not self._premises:
            return []
        found: dict[int, Linear] = {}
        work, seen = list(form.terms), set(form.terms)
        for symbol in work:
            for premise in self._premises_of(symbol):
                if id(premise) in found:
                    continue
                if len(found) == MOST_PREMISES:
                    return list(found.values())
                found[id(premise)] = expanded = self.expanded(premise)
                work += [s for s in expanded.terms if s not in seen]
                seen.update(expanded.terms)
        return list(found.values())

    def _premises_of(self, symbol: Sym) -> Iterator[Linear]:
        """The premises that mention a symbol or what it is a digit of, the latest first."""
        at: Sym | None = symbol
        while at is not None:
            yield from reversed(self._premises.get(at, ()))
            at = self._parts[at][0] if at in self._parts else None

    # Forms --------------------------------------------------------------------------

    def expanded(self, form: Linear) -> Linear:
        """The form over symbols that have not been taken apart."""
        if not self._digits or self._digits.keys().isdisjoint(form.terms):
            return form
        result = Linear({}, form.offset)
        for symbol, coefficient in form.terms.items():
            whole = self._digits.get(symbol)
            part = Linear({symbol: 1}, 0) if whole is None else self.expanded(whole[0])
            result = plus(result, times(part, coefficient))
        return result

    def span(self, form: Linear) -> Interval:
        """The least and the greatest value here."""
        form = self.expanded(form)
        low, high = span_of(form.terms, self.ranges)
        return low + form.offset, high + form.offset

    def leaves(self, symbol: Sym) -> list[Sym]:
        """The digits of a symbol, the heaviest first; itself if it is whole."""
        whole = self._digits.get(symbol)
        if whole is None:
            return [symbol]
        return self.leaves(whole[2]) + self.leaves(whole[3])

    def origin(self, symbol: Sym) -> Sym:
        """What a digit was taken from, in the end."""
        while symbol in self._parts:
            symbol = self._parts[symbol][0]
        return symbol

    def is_even(self, symbol: Sym) -> bool:
        """Whether the digits of a symbol are a box: each choice of them is a value of it."""
        whole = self._digits.get(symbol)
        if whole is None:
            return True
        return symbol not in self.uneven and self.is_even(whole[2]) and self.is_even(whole[3])

    def divided(self, form: Linear, divisor: int) -> tuple[Linear, Linear] | None:
        """Quotient, rounded down, and remainder of a form by a positive constant, if both are
        linear. May take symbols apart."""
        form = self.expanded(form)
        quotient = Linear(
            {s: c // divisor for s, c in form.terms.items() if c % divisor == 0},
            form.offset // divisor,
        )
        rest = Linear({s: c for s, c in form.terms.items() if c % divisor}, form.offset % divisor)
        found = self._window(quotient, rest, self.ranges, divisor)
        if found is not None:
            return found
        hollow = dict(self.ranges)
        split: list[tuple[Sym, int]] = []
        for symbol, coefficient in rest.terms.items():
            low, high = self.bases[symbol]
            if coefficient > 0 and divisor % coefficient == 0 and low >= 0:
                size = divisor // coefficient
                if high >= size:
                    hollow[symbol] = (0, size - 1)
                    split.append((symbol, size))
        if not split or self._window(quotient, rest, hollow, divisor) is None:
            return None
        for symbol, size in split:
            self._take_apart(symbol, size)
        return self.divided(form, divisor)

    def quotient(self, form: Linear, divisor: int) -> Linear:
        """A form divided by a positive constant and rounded down, as a symbol of its own that two
        inequalities tie to the form."""
        form = self.expanded(form)
        key = (frozenset(form.terms.items()), form.offset, divisor)
        symbol = self._quotients.get(key)
        if symbol is None:
            low, high = span_of(form.terms, self.bases)
            low, high = (low + form.offset) // divisor, (high + form.offset) // divisor
            symbol = self._quotients[key] = self.fresh("q", low, high)
            if self.parameters.issuperset(form.terms):
                self.parameters.add(symbol)
            rest = minus(form, Linear({symbol: divisor}, 0))
            self.define_nonnegative(rest)
            self.define_nonnegative(plus(times(rest, -1), constant(divisor - 1)))
        return Linear({symbol: 1}, 0)

    def _window(
        self, quotient: Linear, rest: Linear, ranges: dict[Sym, Interval], divisor: int
    ) -> tuple[Linear, Linear] | None:
        """The division, if the rest keeps to one multiple of the divisor."""
        low, high = span_of(rest.terms, ranges)
        carry = (low + rest.offset) // divisor
        if (high + rest.offset) // divisor != carry:
            return None
        return (
            Linear(quotient.terms, quotient.offset + carry),
            Linear(rest.terms, rest.offset - carry * divisor),
        )

    def _take_apart(self, symbol: Sym, size: int) -> None:
        """`symbol = size * q + r` from now on. What is known of it here becomes known of them."""
        low, high = self.bases[symbol]
        upper, lower = f"{symbol}/{size}", f"{symbol}%{size}"
        self.ranges[upper] = self.bases[upper] = (low // size, high // size)
        self.ranges[lower] = self.bases[lower] = (0, size - 1)
        self.age[upper] = self.age[lower] = self.age[symbol]
        if symbol in self.parameters:
            self.parameters |= {upper, lower}
        whole = Linear({upper: size, lower: 1}, 0)
        self._digits[symbol] = (whole, size, upper, lower)
        self._parts[upper], self._parts[lower] = (symbol, size, True), (symbol, size, False)
        if low % size or (high + 1) % size:
            self.uneven.add(symbol)
            self.define_nonnegative(Linear({upper: size, lower: 1}, -low))
            self.define_nonnegative(Linear({upper: -size, lower: -1}, high))
        now_low, now_high = self.ranges[symbol]
        if (now_low, now_high) != (low, high):
            self.assume_nonnegative(plus(whole, constant(-now_low)))
            self.assume_nonnegative(plus(times(whole, -1), constant(now_high)))

    def substituted(self, form: Linear, symbol: Sym, value: Linear) -> Linear | None:
        """The form with a value in place of a symbol and of its digits; None if those digits of
        the value are not linear."""
        result = Linear({}, form.offset)
        for mentioned, coefficient in form.terms.items():
            part = self._part(mentioned, symbol, value)
            if part is None:
                return None
            result = plus(result, times(part, coefficient))
        return result

    def _part(self, mentioned: Sym, symbol: Sym, value: Linear) -> Linear | None:
        if mentioned == symbol:
            return value
        found = self._parts.get(mentioned)
        if found is None:
            return Linear({mentioned: 1}, 0)
        whole = self._part(found[0], symbol, value)
        if whole is None or whole == Linear({found[0]: 1}, 0):
            return Linear({mentioned: 1}, 0) if whole is not None else None
        if self.span(whole)[0] < 0:
            return None
        both = self.divided(whole, found[1])
        return None if both is None else both[0 if found[2] else 1]
