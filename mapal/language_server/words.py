"""What the words of the language do, in a line each, for hovers."""

from __future__ import annotations

BUILTINS = {
    "print": ("number, bool or string -> print", "Prints the value. Ends its chain."),
    "println": (
        "number, bool or string -> println",
        "Prints the value and a line feed. Ends its chain.",
    ),
    "time": ("() -> time -> f64", "Milliseconds on a clock that never goes back."),
    "zip": ("([A; n], [B; n]) -> zip -> [(A, B); n]", "Pairs the elements of two arrays."),
    "enumerate": ("[A; n] -> enumerate -> [(i32, A); n]", "Pairs each element with its index."),
    "iota": ("n -> iota -> [i32; n]", "The array 0, 1, …, n-1. `n` is a constant."),
    "fill": ("(x, n) -> fill -> [T; n]", "The array of n times x. `n` is a constant."),
    "widen_i64": ("i32 -> widen_i64 -> i64", "The same number, exactly."),
    "widen_f32": ("i32 -> widen_f32 -> f32", "The nearest float of 32 bits."),
    "widen_f64": ("i32 or f32 -> widen_f64 -> f64", "The same number, exactly."),
    "to_i32": ("number -> to_i32 -> i32", "Integers wrap; floats truncate and saturate."),
    "to_i64": ("number -> to_i64 -> i64", "Integers wrap; floats truncate and saturate."),
    "to_u8": ("number -> to_u8 -> u8", "Integers wrap; floats truncate and saturate."),
    "to_f32": ("number -> to_f32 -> f32", "The nearest float of 32 bits."),
    "to_f64": ("number -> to_f64 -> f64", "The nearest float of 64 bits."),
    "sqrt": ("float -> sqrt", "The square root, correctly rounded."),
    "abs": ("number -> abs", "The magnitude. The smallest integer stays itself."),
    "min": ("(T, T) -> min -> T", "The smaller of two numbers; a NaN loses to a number."),
    "max": ("(T, T) -> max -> T", "The larger of two numbers; a NaN loses to a number."),
    "floor": ("float -> floor", "The nearest whole number below or equal."),
    "ceil": ("float -> ceil", "The nearest whole number above or equal."),
    "round": ("float -> round", "The nearest whole number; ties go to the even one."),
    "trunc": ("float -> trunc", "The nearest whole number toward zero."),
}
"""Builtin stages: how they are used, and what they do."""

KEYWORDS = {
    "map": ("[T; n] -> map { x -> body } -> [U; n]", "The body's value for each element."),
    "fold": (
        "(start, [T; n]) -> fold { acc, x -> body }",
        "Takes the elements one by one, from the left.",
    ),
    "reduce": (
        "[T; n] -> reduce { a, b -> body } -> T",
        "Combines the elements in a tree of a fixed shape.",
    ),
    "seq": ("value -> seq { statements tail }", "Statements in order, in the middle of a chain."),
    "loop": (
        "loop { (condition) -> { -true-> { …; -> loop; } -false-> value -> name; } }",
        "Repeats until its guard selects the exit arm. `-> loop` begins the next pass.",
    ),
    "ret": ("value -> ret", "Names the result of the function. What follows still runs."),
    "mut": ("mut name <- value", "Declares a name that flows can update: `value -> name`."),
    "fn": ("fn name(parameter: T) -> R { … }", "Declares a function."),
    "type": ("type Name { field: T, … }", "Declares a product with named fields."),
}
"""Keywords, and `reduce`, which is one before braces."""

SCALARS = {
    "i32": "Signed integers of 32 bits; arithmetic wraps.",
    "i64": "Signed integers of 64 bits; arithmetic wraps.",
    "u8": "Unsigned integers of 8 bits; arithmetic wraps.",
    "f32": "IEEE 754 floats of 32 bits.",
    "f64": "IEEE 754 floats of 64 bits.",
    "bool": "`true` or `false`.",
}
"""The scalar types."""
