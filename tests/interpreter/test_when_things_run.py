"""What runs, and when: each row of the language's table, and the order of traps and effects.

A division by a zero input, or an index out of range, shows that an operation ran.
"""

from __future__ import annotations

import pytest

from tests.interpreter.programs import ending, result_of, run_text

DIVIDES = "div_zero"

USED_BY_ONE_ARM = """
fn main(d: i32, c: bool) -> i32 {
    100 / d -> q;
    c -> { -true-> q; -false-> 0; } -> ret;
}
"""
ALSO_PRINTED = """
fn main(d: i32, c: bool) -> i32 {
    100 / d -> q;
    q -> println;
    c -> { -true-> q; -false-> 0; } -> r;
    r -> ret;
}
"""
USED_BY_BOTH_ARMS = """
fn main(d: i32, c: bool) -> i32 {
    100 / d -> q;
    c -> { -true-> q; -false-> q + 1; } -> ret;
}
"""
USED_BY_TWO_ARMS_OF_A_MATCH = """
fn main(d: i32, n: i32) -> i32 {
    100 / d -> q;
    n -> { -0-> q; -1-> q; -_-> 7; } -> ret;
}
"""
USED_BY_ONE_ARM_OF_A_MATCH = """
fn main(d: i32, n: i32) -> i32 {
    100 / d -> q;
    n -> { -0-> 5; -1-> q; -_-> 7; } -> ret;
}
"""
USED_BY_THE_CONDITION = """
fn main(d: i32) -> i32 {
    100 / d -> q;
    (q > 3) -> { -true-> q; -false-> 0; } -> ret;
}
"""
WRITTEN_INSIDE_AN_ARM = """
fn main(d: i32, c: bool) -> i32 {
    c -> { -true-> { 100 / d -> idle; 1 } -false-> 0; } -> ret;
}
"""
USED_BY_NOBODY = """
fn main(d: i32) -> i32 { 100 / d -> unused; 5 -> ret; }
"""
NESTED_ARMS = """
fn main(d: i32, a: bool, b: bool) -> i32 {
    100 / d -> q;
    a -> { -true-> { b -> { -true-> q; -false-> 1; } } -false-> 2; } -> ret;
}
"""


@pytest.mark.parametrize(
    ("text", "inputs", "expected"),
    [
        (USED_BY_ONE_ARM, {"d": 0, "c": False}, "done"),
        (USED_BY_ONE_ARM, {"d": 0, "c": True}, DIVIDES),
        (ALSO_PRINTED, {"d": 0, "c": False}, DIVIDES),
        (USED_BY_BOTH_ARMS, {"d": 0, "c": False}, DIVIDES),
        (USED_BY_TWO_ARMS_OF_A_MATCH, {"d": 0, "n": 9}, DIVIDES),
        (USED_BY_ONE_ARM_OF_A_MATCH, {"d": 0, "n": 9}, "done"),
        (USED_BY_ONE_ARM_OF_A_MATCH, {"d": 0, "n": 0}, "done"),
        (USED_BY_ONE_ARM_OF_A_MATCH, {"d": 0, "n": 1}, DIVIDES),
        (USED_BY_THE_CONDITION, {"d": 0}, DIVIDES),
        (WRITTEN_INSIDE_AN_ARM, {"d": 0, "c": True}, DIVIDES),
        (WRITTEN_INSIDE_AN_ARM, {"d": 0, "c": False}, "done"),
        (USED_BY_NOBODY, {"d": 0}, DIVIDES),
        (NESTED_ARMS, {"d": 0, "a": True, "b": True}, DIVIDES),
        (NESTED_ARMS, {"d": 0, "a": True, "b": False}, "done"),
        (NESTED_ARMS, {"d": 0, "a": False, "b": True}, "done"),
    ],
)
def test_guards(text: str, inputs: dict[str, object], expected: str) -> None:
    assert ending(text, **inputs) == expected


def loop_over(before_guard: str, jump: str = "", leave: str = "i", before: str = "") -> str:
    """A loop that counts i from `start` to `n`, with work in each of its places."""
    return f"""
fn main(start: i32, n: i32, d: i32) -> i32 {{
    {before}
    mut i: i32 <- start;
    mut s: i32 <- 0;
    loop {{
        {before_guard}
        (i < n) -> {{
            -true-> {{ {jump} i + 1 -> i; -> loop; }}
            -false-> {leave} -> r;
        }}
    }}
    r -> ret;
}}
"""


NEXT_STATE_ONLY = loop_over("10 / (n - i) -> q;", jump="s + q -> s;")
EXIT_ONLY = loop_over("10 / (i - start) -> q;", leave="q")
BY_NOBODY = loop_over("10 / (n - i) -> q;")
BY_BOTH = loop_over("10 / (n - i) -> q;", jump="s + q -> s;", leave="q")
IN_THE_JUMP_ARM = loop_over("", jump="10 / d -> q;")
IN_THE_EXIT_ARM = loop_over("", leave="10 / (i - start)")
BEFORE_THE_LOOP = loop_over("", jump="s + q -> s;", before="10 / d -> q;")
BY_THE_CONDITION = """
fn main(n: i32) -> i32 {
    mut i: i32 <- 0;
    loop {
        10 / (n - i) -> q;
        (q < 100 && i < n) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> r; }
    }
    r -> ret;
}
"""


@pytest.mark.parametrize(
    ("text", "inputs", "expected"),
    [
        # Work for the next state does not run on the last pass, where i = n.
        (NEXT_STATE_ONLY, {"start": 0, "n": 3, "d": 1}, "done"),
        # Work for the exit value runs once, there: not on the first pass, where i = start.
        (EXIT_ONLY, {"start": 0, "n": 3, "d": 1}, "done"),
        (EXIT_ONLY, {"start": 3, "n": 3, "d": 1}, DIVIDES),
        # Work for nobody, for both arms or for the condition runs on every pass.
        (BY_NOBODY, {"start": 0, "n": 3, "d": 1}, DIVIDES),
        (BY_BOTH, {"start": 0, "n": 3, "d": 1}, DIVIDES),
        (BY_THE_CONDITION, {"n": 3}, DIVIDES),
        # Work of the jump arm stays there, also when it does not depend on the loop.
        (IN_THE_JUMP_ARM, {"start": 0, "n": 0, "d": 0}, "done"),
        (IN_THE_JUMP_ARM, {"start": 0, "n": 1, "d": 0}, DIVIDES),
        (IN_THE_EXIT_ARM, {"start": 0, "n": 1, "d": 0}, "done"),
        (IN_THE_EXIT_ARM, {"start": 1, "n": 1, "d": 0}, DIVIDES),
        # Work before the loop does not move into it.
        (BEFORE_THE_LOOP, {"start": 0, "n": 0, "d": 0}, DIVIDES),
    ],
)
def test_loops(text: str, inputs: dict[str, object], expected: str) -> None:
    assert ending(text, **inputs) == expected


def test_exit_value_is_that_of_the_pass_whose_guard_failed() -> None:
    assert (
        result_of(
            """
            fn main() -> i32 {
                mut i: i32 <- 1;
                mut acc: i32 <- 0;
                loop {
                    (i <= 10) -> {
                        -true-> { acc + i -> acc; i + 1 -> i; -> loop; }
                        -false-> acc -> total;
                    }
                }
                total -> ret;
            }
            """
        )
        == 55
    )


def test_state_changes_together() -> None:
    text = """
    fn main(n: i32) -> (i32, i32) {
        mut i: i32 <- 0;
        mut a: i32 <- 1;
        mut b: i32 <- 2;
        loop {
            (i < n) -> {
                -true-> { a -> t: i32; b -> a; t -> b; i + 1 -> i; -> loop; }
                -false-> (a, b) -> both;
            }
        }
        both -> ret;
    }
    """
    assert result_of(text, n=0) == (1, 2)
    assert result_of(text, n=1) == (2, 1)
    assert result_of(text, n=2) == (1, 2)


def test_inner_loop_runs_each_time_and_its_name_lives_on() -> None:
    text = """
    fn main(n: i32) -> i32 {
        mut total: i32 <- 0;
        mut i: i32 <- 0;
        loop {
            (i < n) -> {
                -true-> {
                    mut j: i32 <- 0;
                    loop {
                        (j <= i) -> {
                            -true-> { total + j -> total; j + 1 -> j; -> loop; }
                            -false-> 0 -> done;
                        }
                    }
                    total * 2 -> total;
                    i + 1 -> i;
                    -> loop;
                }
                -false-> total -> r;
            }
        }
        r -> ret;
    }
    """
    expected = 0
    for i in range(4):
        expected = (expected + sum(range(i + 1))) * 2
    assert result_of(text, n=4) == expected


def test_loop_in_an_arm_and_in_an_exit_arm() -> None:
    text = """
    fn main(c: bool) -> i32 {
        c -> {
            -true-> {
                mut i: i32 <- 0;
                loop { (i < 5) -> { -true-> { i + 1 -> i; -> loop; } -false-> i * 10 -> r; } }
                r
            }
            -false-> 3;
        } -> first;
        mut k: i32 <- 0;
        loop {
            (k < first) -> {
                -true-> { k + 7 -> k; -> loop; }
                -false-> {
                    mut m: i32 <- k;
                    loop { (m > 1) -> { -true-> { m / 2 -> m; -> loop; } -false-> m + k -> q; } }
                    q -> last;
                }
            }
        }
        last -> ret;
    }
    """
    assert result_of(text, c=True) == 57
    assert result_of(text, c=False) == 8


def test_effects_in_each_part_of_a_loop() -> None:
    outcome = run_text(
        """
        fn main() {
            mut i: i32 <- 0;
            loop {
                i -> print;
                (i < 2) -> {
                    -true-> { "j" -> print; i + 1 -> i; -> loop; }
                    -false-> { "x" -> println; -> ret; }
                }
            }
        }
        """
    )
    assert outcome.output == b"0j1j2x\n"
    assert outcome.result is None


# The order of traps and effects ----------------------------------------------------------------


def test_output_before_a_trap_is_kept_and_what_follows_is_not_printed() -> None:
    outcome = run_text(
        """
        fn main(d: i32) {
            "before" -> println;
            1 / d -> q;
            "after" -> println;
        }
        """,
        {"d": 0},
    )
    assert outcome.kind == "trapped"
    assert outcome.output == b"before\n"


def test_no_operation_crosses_an_effect() -> None:
    """The loop is pure and late, but the trap stands behind a print."""
    outcome = run_text(
        """
        fn main(d: i32) {
            mut i: i32 <- 0;
            loop { (i < 9) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> r; } }
            r -> println;
            1 / d -> q;
            "never" -> println;
        }
        """,
        {"d": 0},
    )
    assert outcome.trap is not None
    assert outcome.output == b"9\n"


def test_a_trap_after_an_endless_pure_loop_wins() -> None:
    text = """
    fn main(d: i32) -> i32 {
        mut i: i32 <- 0;
        loop { (i < 9) -> { -true-> { i * 1 -> i; -> loop; } -false-> i -> r; } }
        1 / d -> q;
        r -> ret;
    }
    """
    assert ending(text, d=0) == DIVIDES


def test_of_two_traps_the_lower_position_is_named() -> None:
    text = """
    fn main(d: i32, v: [i32; 2]) -> i32 {
        v[d + 5] -> a;
        1 / d -> b;
        a + b -> ret;
    }
    """
    assert ending(text, d=0, v=[1, 2]) == "index_oob"
    other = text.replace("v[d + 5] -> a;", "").replace("1 / d -> b;", "1 / d -> b; v[d + 5] -> a;")
    assert ending(other, d=0, v=[1, 2]) == DIVIDES


def test_logic_is_strict() -> None:
    text = """
    fn main(v: [i32; 2], i: i32) -> bool { i < 2 && v[i] > 0 -> ret; }
    """
    assert result_of(text, v=[1, -1], i=1) is False
    assert ending(text, v=[1, -1], i=2) == "index_oob"
    assert ending(text, v=[1, -1], i=-1) == "index_oob"


def test_a_call_runs_dead_work_of_its_function_and_only_when_selected() -> None:
    text = """
    fn risky(d: i32) -> i32 { 1 / d -> unused; 4 -> ret; }
    fn main(d: i32, c: bool) -> i32 { c -> { -true-> d -> risky; -false-> 0; } -> ret; }
    """
    assert ending(text, d=0, c=False) == "done"
    assert ending(text, d=0, c=True) == DIVIDES


def test_trap_in_a_body_ends_the_run() -> None:
    text = """
    fn main(v: [i32; 4]) -> [i32; 4] { v -> map { x -> 12 / x } -> ret; }
    """
    assert result_of(text, v=[1, 2, 3, 4]) == [12, 6, 4, 3]
    assert ending(text, v=[1, 2, 0, 4]) == DIVIDES
