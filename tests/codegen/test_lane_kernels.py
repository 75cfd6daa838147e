"""Elements side by side in lanes: the bits of the plain loops, whatever way each lane takes."""

from __future__ import annotations

import pytest

from mapal.codegen import emit
from mapal.lower import Arithmetic
from mapal.target import load_profile
from tests.codegen.kernel_runs import NEVER, Case, assert_same_bits, profiles, rewritten
from tests.codegen.test_window_kernels import numbers

COUNTS = (1, 2, 7, 33, 64, 100)

BODIES = {
    "loops of different lengths": """
fn steps(start: i32) -> i32 {
    mut n: i32 <- start;
    mut count: i32 <- 0;
    loop {
        (n != 1 && count < 200) -> {
            -true-> {
                (n % 2 == 0) -> { -true-> n / 2; -false-> n * 3 + 1; } -> n;
                count + 1 -> count;
                -> loop;
            }
            -false-> (n, count) -> both;
        }
    }
    both.0 + both.1 * 1000 -> ret;
}
fn main(x: [i32; $n]) -> [i32; $n] {
    x -> map { v -> v * v + 1 -> steps } -> ret;
}
""",
    "what the exit computes is of the last pass": """
fn main(x: [f32; $n], limit: f32) -> [f32; $n] {
    x -> enumerate -> map { pair ->
        pair.0 -> i;
        pair.1 -> v;
        mut sum: f32 <- v;
        mut k: i32 <- 0;
        loop {
            i - k -> j;
            (j >= 0) -> { -true-> x[j]; -false-> 0.75; } -> next;
            sum * 0.5 + next -> grown;
            (grown < limit && k < 20) -> {
                -true-> { grown -> sum; k + 1 -> k; -> loop; }
                -false-> grown * 3.0 - sum + next -> out;
            }
        }
        out
    } -> ret;
}
""",
    "a loop in an arm and an arm in a loop": """
fn main(x: [f64; $n], y: [i64; $n]) -> [f64; $n] {
    (x, y) -> zip -> map { p ->
        (p.1 > 100) -> {
            -true-> {
                mut a: f64 <- p.0;
                mut k: i64 <- p.1;
                loop {
                    (k > 90) -> {
                        -true-> {
                            (a > 0.0) -> { -true-> a - 1.5; -false-> a * -1.25 + 0.1; } -> a;
                            k - 3 -> k;
                            -> loop;
                        }
                        -false-> a -> end;
                    }
                }
                end
            }
            -false-> p.0 -> abs -> sqrt;
        }
    } -> ret;
}
""",
    "reads that a guard keeps in range": """
fn main(x: [f32; $n], at: [i32; $n]) -> [f32; $n] {
    $n -> iota -> map { i ->
        at[i] - 100 -> j;
        (j >= 0 && j < $n) -> {
            -true-> x[j] * 2.0;
            -false-> (i > 0) -> { -true-> x[i - 1]; -false-> -0.0; };
        }
    } -> ret;
}
""",
    "arrays that lanes compute": """
fn main(x: [[u8; 5]; $n], w: [[f32; 5]; 3]) -> [i32; $n] {
    x -> map { row ->
        row -> map { v -> v -> to_f32 -> / 7.0 } -> inputs;
        w -> map { unit ->
            (unit, inputs) -> zip -> pairs;
            (0.25, pairs) -> fold { sum, p -> sum + p.0 * p.1 }
        } -> scores;
        scores -> enumerate -> numbered;
        ((0, scores[0]), numbered) -> fold { best, next ->
            (next.1 > best.1) -> { -true-> next; -false-> best; }
        } -> winner;
        winner.0 -> at;
        (at >= 0 && at < 5) -> { -true-> row[at] -> to_i32; -false-> 0; } -> picked;
        winner.0 * 1000 + picked
    } -> ret;
}
""",
    "structs in and out": """
type Body { mass: f64, on: bool, x: f32, tag: u8 }
fn main(mass: [f64; $n], x: [f32; $n], tag: [u8; $n]) -> ([f64; $n], [bool; $n], [u8; $n]) {
    $n -> iota -> map { i ->
        Body { mass: mass[i], on: x[i] > 0.0, x: x[i], tag: tag[i] }
    } -> bodies;
    bodies -> map { at ->
        ((0.0, at.tag), bodies) -> fold { sum, other ->
            (other.on && other.tag > at.tag) -> {
                -true->  (sum.0 + other.mass * 0.5, sum.1 + other.tag);
                -false-> (sum.0 - at.mass, sum.1);
            }
        } -> pulled;
        Body { mass: pulled.0, on: pulled.1 > at.tag, x: at.x, tag: pulled.1 }
    } -> moved;
    moved -> map { b -> b.mass } -> ret.0;
    moved -> map { b -> b.on } -> ret.1;
    moved -> map { b -> b.tag } -> ret.2;
}
""",
    "numbers of every kind": """
fn main(x: [f32; $n], k: [i64; $n], b: [u8; $n]) -> [i64; $n] {
    $n -> iota -> map { i ->
        x[i] -> v;
        v -> floor -> to_i32 -> lower;
        v -> ceil -> to_i32 -> upper;
        (0, [3, -5, 7]) -> fold { sum, m ->
            (upper, m) -> min -> least;
            sum * 31 + (lower / 7) % 5 + least
        } -> mixed;
        b[i] / 3 + b[i] % 10 -> to_i64 -> small;
        (k[i] / -7 + k[i] % 13, small) -> max -> large;
        mixed -> to_i64 -> wide;
        v * v -> to_f64 -> round -> to_i64 -> squared;
        wide + large * 1000003 + squared
    } -> ret;
}
""",
    "the extremes of zeros and nothing": """
fn main(x: [f32; $n], y: [f32; $n]) -> [f32; $n] {
    (x, y) -> zip -> map { p ->
        p.1 -> floor -> below;
        p.0 / (p.1 - below) -> odd;
        (0.0, [odd, -0.0, p.1]) -> fold { a, b ->
            (a, b) -> min -> least;
            (odd, b) -> max -> most;
            least - most
        }
    } -> ret;
}
""",
    "a loop that counts for all": """
fn main(x: [f64; $n]) -> [f64; $n] {
    x -> map { v ->
        mut a: f64 <- v;
        mut b: f64 <- 1.0;
        mut k: i32 <- 0;
        loop {
            (k < 9) -> {
                -true-> {
                    (k % 3 == 0) -> { -true-> a * 0.5 + b; -false-> a - b; } -> a;
                    b * 1.25 -> b;
                    k + 1 -> k;
                    -> loop;
                }
                -false-> a + b -> end;
            }
        }
        end
    } -> ret;
}
""",
}

GRIDS = {
    "the rim of a plate": """
fn main(heat: [f32; $cells]) -> [f32; $cells] {
    $cells -> iota -> map { p ->
        heat[p] -> here;
        p / $columns -> row;
        p % $columns -> column;
        row == 0 || row == $rows - 1 || column == 0 || column == $columns - 1 -> rim;
        rim -> {
            -true->  here;
            -false-> {
                heat[p - $columns] + heat[p + $columns] + heat[p - 1] + heat[p + 1] -> around;
                here + 0.2 * (around - 4.0 * here)
            }
        }
    } -> ret;
}
""",
    "points that escape": """
fn main(scale: f32) -> [i32; $cells] {
    $cells -> iota -> map { p ->
        p % $columns -> to_f32 -> column;
        p / $columns -> to_f32 -> row;
        column * scale - 2.0 -> cx;
        row * scale - 1.25 -> cy;
        mut x: f32 <- 0.0;
        mut y: f32 <- 0.0;
        mut n: i32 <- 0;
        loop {
            (x * x + y * y <= 4.0 && n < 50) -> {
                -true-> {
                    x * x - y * y + cx -> next;
                    2.0 * x * y + cy -> y;
                    next -> x;
                    n + 1 -> n;
                    -> loop;
                }
                -false-> n -> end;
            }
        }
        end
    } -> ret;
}
""",
}

PATTERNS = {
    "groups of four": """
fn main(a: [f32; $cells], b: [f32; $cells]) -> [f32; $cells] {
    4 -> iota -> ks;
    $cells -> iota -> map { cell ->
        cell / 16 * 16 -> group;
        cell % 16 / 4 * 4 -> row;
        cell % 4 -> column;
        (-0.0, ks) -> fold { sum, k ->
            (sum, a[group + row + k] - b[group + k * 4 + column]) -> max
        }
    } -> ret;
}
""",
    "rows turned round and spread": """
fn main(a: [i32; $cells], b: [u8; $cells]) -> [i32; $cells] {
    3 -> iota -> ks;
    $cells -> iota -> map { cell ->
        cell % 32 -> at;
        cell - at -> first;
        (7, ks) -> fold { sum, k ->
            b[first + (31 - at)] -> to_i32 -> turned;
            a[first + at / 2 * 2] + a[first + at % 8 + k * 2] - turned + sum * 3
        }
    } -> ret;
}
""",
}


def lane_case(source: str, arithmetic: Arithmetic = "exact", **sizes: int) -> Case:
    """A program with its sizes put in, and inputs for its parameters."""
    for name, size in sorted(sizes.items(), key=lambda pair: -len(pair[0])):
        source = source.replace(f"${name}", str(size))
    text = source[source.index("fn main(") + 8 :]
    parameters = [part.split(": ", 1) for part in text[: text.index(") ->")].split(", ")]
    inputs = {}
    for number, (name, ty) in enumerate(parameters):
        scalar = ty.strip("[]").split(";")[0]
        count = 1
        for extent in ty.strip("[]").replace("]", "").split(";")[1:]:
            count *= int(extent)
        inputs[name] = numbers(count, scalar, number)
    return Case(source=source, inputs=inputs, arithmetic=arithmetic)


@pytest.mark.parametrize("profile", profiles())
@pytest.mark.parametrize("name", BODIES)
def test_lanes_have_the_bits_of_the_loops(name: str, profile: str) -> None:
    cases = [lane_case(BODIES[name], n=count) for count in COUNTS]
    if load_profile(profile).fused_multiply_add:
        cases.append(lane_case(BODIES[name], "fused", n=33))
    assert_same_bits(cases, profile)


@pytest.mark.parametrize("profile", profiles())
@pytest.mark.parametrize("name", GRIDS)
def test_rows_of_lanes_have_the_bits_of_the_loops(name: str, profile: str) -> None:
    sizes = ((5, 64), (3, 37), (40, 16), (7, 3), (1, 50))
    cases = [
        lane_case(GRIDS[name], cells=rows * columns, rows=rows, columns=columns)
        for rows, columns in sizes
    ]
    assert_same_bits(cases, profile)


@pytest.mark.parametrize("profile", profiles())
@pytest.mark.parametrize("name", PATTERNS)
def test_known_patterns_have_the_bits_of_the_loops(name: str, profile: str) -> None:
    assert_same_bits([lane_case(PATTERNS[name], cells=cells) for cells in (32, 352)], profile)


@pytest.mark.parametrize("name", [*BODIES, *GRIDS, *PATTERNS])
def test_these_bodies_do_go_into_lanes(name: str) -> None:
    source = {**BODIES, **GRIDS, **PATTERNS}[name]
    case = lane_case(source, n=64, cells=320, rows=5, columns=64)
    plan = emit(rewritten(case.source), load_profile("x86-64-v4"), name="p", cuts_from=NEVER).plan
    shapes = [site["shape"] for site in plan["sites"] if site["kind"] == "map"]
    assert any(shape.startswith("side by side") for shape in shapes), plan["sites"]
