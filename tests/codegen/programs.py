"""Programs whose arrays move in awkward ways; each prints enough to notice a wrong copy.

A name says what is difficult about the program. `test_programs` runs them natively against the
interpreter.
"""

from __future__ import annotations

PROGRAMS: dict[str, str] = {
    "swap of two carried arrays": """
fn main() {
    mut a: [i32; 3] <- [1, 2, 3];
    mut b: [i32; 3] <- [10, 20, 30];
    mut i: i32 <- 0;
    loop {
        (i < 3) -> {
            -true-> { a -> old; b -> a; old -> b; i + 1 -> i; -> loop; }
            -false-> a[0] * 100 + b[0] -> r;
        }
    }
    r -> println;
}
""",
    "rotation of three carried arrays with an update of one": """
fn main() {
    mut a: [i32; 2] <- [1, 2];
    mut b: [i32; 2] <- [3, 4];
    mut c: [i32; 2] <- [5, 6];
    mut i: i32 <- 0;
    loop {
        (i < 4) -> {
            -true-> {
                a -> first;
                b -> a;
                c -> b;
                first -> c;
                c[0] <- c[0] + i;
                i + 1 -> i;
                -> loop;
            }
            -false-> ((a[0] * 10 + b[0]) * 10 + c[0]) * 10 + c[1] -> r;
        }
    }
    r -> println;
}
""",
    "two carried arrays that start as one": """
fn main() {
    [7, 8, 9] -> start: [i32; 3];
    mut a: [i32; 3] <- start;
    mut b: [i32; 3] <- start;
    mut i: i32 <- 0;
    loop {
        (i < 2) -> {
            -true-> { a[i] <- 100; b[i + 1] <- a[i] + 1; i + 1 -> i; -> loop; }
            -false-> (a, b) -> both;
        }
    }
    both.0[0] -> println; both.0[1] -> println; both.0[2] -> println;
    both.1[0] -> println; both.1[1] -> println; both.1[2] -> println;
    start[0] -> println;
}
""",
    "the old array is read after the update": """
fn main() {
    mut v: [i32; 4] <- [1, 2, 3, 4];
    mut i: i32 <- 0;
    mut sum: i32 <- 0;
    loop {
        (i < 4) -> {
            -true-> {
                v -> before;
                v[i] <- v[i] * 10;
                sum + before[i] -> sum;
                i + 1 -> i;
                -> loop;
            }
            -false-> (v, sum) -> r;
        }
    }
    r.0[3] -> println; r.1 -> println;
}
""",
    "replaced or kept, by a condition": """
fn main() {
    mut v: [i32; 5] <- [1, 2, 3, 4, 5];
    mut i: i32 <- 0;
    loop {
        (i < 6) -> {
            -true-> {
                i % 2 == 0 -> even;
                even -> { -true-> { v -> map { x -> x + i } } -false-> v; } -> v;
                i + 1 -> i;
                -> loop;
            }
            -false-> v -> r;
        }
    }
    (0, r) -> fold { s, x -> s * 7 + x } -> println;
}
""",
    "updated or kept, by a condition, and read by the exit": """
fn main() {
    mut v: [i32; 5] <- [1, 2, 3, 4, 5];
    mut i: i32 <- 0;
    loop {
        v -> seen;
        (i < 5) -> {
            -true-> {
                (v[i] % 2 == 0) -> { -true-> { mut w <- v; w[i] <- 0; w } -false-> v; } -> v;
                i + 1 -> i;
                -> loop;
            }
            -false-> { mut last <- v; last[0] <- seen[4] * 10; last -> r; }
        }
    }
    (0, r) -> fold { s, x -> s * 7 + x } -> println;
}
""",
    "nested loops that sort a carried array": """
fn main() {
    mut v: [i32; 6] <- [4, 1, 6, 2, 5, 3];
    mut i: i32 <- 0;
    loop {
        (i < 6) -> {
            -true-> {
                mut j: i32 <- 0;
                loop {
                    (j < 5) -> {
                        -true-> {
                            v[j] -> x;
                            v[j + 1] -> y;
                            (x > y) -> {
                                -true-> { mut w <- v; w[j] <- y; w[j + 1] <- x; w }
                                -false-> v;
                            } -> v;
                            j + 1 -> j;
                            -> loop;
                        }
                        -false-> 0 -> done;
                    }
                }
                i + 1 -> i;
                -> loop;
            }
            -false-> v -> sorted;
        }
    }
    (0, sorted) -> fold { s, x -> s * 10 + x } -> println;
}
""",
    "an inner loop that starts from an array the outer one still needs": """
fn main() {
    mut v: [i32; 3] <- [1, 2, 3];
    mut i: i32 <- 0;
    mut total: i32 <- 0;
    loop {
        (i < 3) -> {
            -true-> {
                mut w <- v;
                mut j: i32 <- 0;
                loop {
                    (j < 3) -> {
                        -true-> { w[j] <- w[j] + 10 * i; j + 1 -> j; -> loop; }
                        -false-> w[0] + w[1] + w[2] -> sum;
                    }
                }
                total + sum - v[i] -> total;
                v[i] <- v[i] * 2;
                i + 1 -> i;
                -> loop;
            }
            -false-> (total, v) -> r;
        }
    }
    r.0 -> println; r.1[0] -> println; r.1[2] -> println;
}
""",
    "components of an element change places": """
fn main() {
    mut v: [([i32; 2], [i32; 2]); 2] <- [([1, 2], [3, 4]), ([5, 6], [7, 8])];
    v[0] -> e;
    v[0] <- (e.1, e.0);
    v[1] <- (v[0].0, v[1].0);
    v[0].0[0] -> println; v[0].1[1] -> println; v[1].0[0] -> println; v[1].1[1] -> println;
}
""",
    "rows of a nested array are exchanged in a loop": """
fn main() {
    mut m: [[i32; 3]; 3] <- [[1, 2, 3], [4, 5, 6], [7, 8, 9]];
    mut i: i32 <- 0;
    loop {
        (i < 2) -> {
            -true-> {
                m[i] -> upper;
                m[i + 1] -> lower;
                m[i] <- lower;
                m[i + 1] <- upper;
                i + 1 -> i;
                -> loop;
            }
            -false-> m -> r;
        }
    }
    r -> map { row -> (0, row) -> fold { s, x -> s * 10 + x } } -> sums;
    sums[0] -> println; sums[1] -> println; sums[2] -> println;
}
""",
    "a row changed in place while the matrix is needed": """
fn main() {
    [[1, 2], [3, 4]] -> m: [[i32; 2]; 2];
    mut row <- m[1];
    row[0] <- 99;
    row[0] + m[1][0] -> println;
}
""",
    "functions that hand arrays through": """
fn same(v: [i32; 3]) -> [i32; 3] { v -> ret; }
fn twice(v: [i32; 3]) -> ([i32; 3], [i32; 3]) { (v, v) -> ret; }
fn mixed(v: [i32; 3], k: u8, flag: bool) -> (u8, [i32; 3], bool, [u8; 2]) {
    mut w <- v;
    w[k] <- 50;
    (k + 200, w, !flag, [k, k + 1]) -> ret;
}
fn main() {
    [1, 2, 3] -> v: [i32; 3];
    v -> same -> s;
    v -> twice -> t;
    mut a <- t.0;
    a[0] <- 10;
    a[0] + t.1[0] + s[0] + v[0] -> println;
    (v, 2, true) -> mixed -> m;
    m.0 -> println; m.1[2] -> println; m.2 -> println; m.3[1] -> println;
    v[2] -> println;
}
""",
    "a fold whose accumulator is a pair of arrays": """
fn main() {
    [3, 1, 2] -> v: [i32; 3];
    (([0, 0, 0], [0, 0, 0]), v) -> fold { acc, x ->
        mut a <- acc.0;
        a[x % 3] <- a[x % 3] + x;
        (acc.1, a)
    } -> r;
    (0, r.0) -> fold { s, x -> s * 10 + x } -> println;
    (0, r.1) -> fold { s, x -> s * 10 + x } -> println;
}
""",
    "a histogram by fold": """
fn main() {
    1000 -> iota -> map { i -> (i * i) % 7 } -> samples;
    (0, 7) -> fill -> zero;
    (zero, samples) -> fold { bins, s ->
        mut b <- bins;
        b[s] <- b[s] + 1;
        b
    } -> bins;
    (0, bins) -> fold { s, x -> s * 3 + x } -> println;
    zero[1] -> println;
}
""",
    "laws that reach memory": """
fn total(v: [i32; 4]) -> i32 { (0, v) -> fold { s, x -> s * 10 + x } -> ret; }
fn first(v: [(i32, bool); 3]) -> bool { v[0].1 -> ret; }
fn main() {
    4 -> iota -> n;
    n -> total -> println;
    (7, 4) -> fill -> total -> println;
    (true, 3) -> fill -> enumerate -> first -> println;
    (n, 2) -> fill -> map { row -> row -> total } -> t;
    t[1] -> println;
    mut i: i32 <- 0;
    mut sum: i32 <- 0;
    loop {
        (i < 3) -> {
            -true-> { n -> total -> once; sum + once -> sum; i + 1 -> i; -> loop; }
            -false-> sum -> r;
        }
    }
    r -> println;
    (n, n) -> zip -> pairs;
    (r > 0) -> { -true-> pairs; -false-> n -> enumerate; } -> chosen;
    chosen[3].0 + chosen[2].1 -> println;
    mut carried <- n;
    mut k: i32 <- 0;
    loop {
        (k < 4) -> {
            -true-> { carried[k] <- carried[k] * carried[k]; k + 1 -> k; -> loop; }
            -false-> carried -> squares;
        }
    }
    squares -> total -> println;
    n -> total -> println;
}
""",
    "maps that make arrays of structs of arrays": """
type Cell { tag: u8, values: [f32; 2], on: bool }
fn main() {
    3 -> iota -> map { i ->
        i -> to_f32 -> x;
        i -> to_u8 -> t;
        Cell { tag: t, values: [x, x * 0.5], on: i % 2 == 0 }
    } -> cells;
    cells[2].values[1] -> println;
    cells[1].on -> println;
    cells -> map { c -> (c.values, c.tag) } -> parts;
    parts[2].0[0] -> println; parts[2].1 -> println;
    mut more <- cells;
    more[1] <- Cell { tag: 250, values: more[2].values, on: true };
    more[1].tag -> println; more[1].values[0] -> println; cells[1].tag -> println;
}
""",
    "reductions of several lengths and element types": """
fn main() {
    1 -> iota -> reduce { a, b -> a - b } -> println;
    63 -> iota -> reduce { a, b -> a - b } -> println;
    64 -> iota -> reduce { a, b -> a - b } -> println;
    100 -> iota -> reduce { a, b -> a - b } -> println;
    4096 -> iota -> reduce { a, b -> a - b } -> println;
    4100 -> iota -> reduce { a, b -> a - b } -> println;
    20000 -> iota -> reduce { a, b -> a - b } -> println;
    12288 -> iota -> map { i -> i -> to_f32 -> / 7.0 } -> reduce { a, b -> a * 0.5 + b } -> println;
    300 -> iota -> map { i -> i -> to_f64 -> x; (i, x) } -> reduce { a, b ->
        (a.0 + b.0, a.1 - b.1)
    } -> pair;
    pair.0 -> println; pair.1 -> println;
    200 -> iota -> map { i -> [i, 1] } -> reduce { a, b -> [b[1] + a[0], a[1] - b[0]] } -> r;
    r[0] -> println; r[1] -> println;
    10 -> factor;
    70 -> iota -> reduce { a, b -> a * factor + b } -> println;
}
""",
    "long chains of integer matches": """
fn pick(k: i32) -> i32 {
    k -> { -0-> 5; -1-> k * 3; -2-> 100 / k; -7-> 9; -_-> { 10 / (k - 3) }; } -> ret;
}
fn main() {
    0 -> pick -> println; 1 -> pick -> println; 2 -> pick -> println;
    7 -> pick -> println; 4 -> pick -> println; 3 -> pick -> println;
}
""",
    "a protected read in a map": """
fn main() {
    [1, 2, 3, 4] -> a: [i32; 4];
    100 -> iota -> map { i -> (i < 4) -> { -true-> a[i]; -false-> 0; } } -> b;
    (0, b) -> fold { s, x -> s + x } -> println;
    100000000 -> far: i32;
    (far < 4) -> { -true-> a[far]; -false-> -1; } -> println;
}
""",
    "a trap in a body after others have passed": """
fn main() {
    "start" -> println;
    [4, 2, 0, 1, 0] -> v: [i32; 5];
    v -> map { x -> v[x] } -> ok;
    ok[0] -> println;
    v -> map { x -> 100 / x } -> r;
    r[0] -> println;
}
""",
    "small integers at their limits": """
fn main() {
    255 -> to_u8 -> top: u8;
    (1, 300) -> fill -> ones: [i32; 300];
    ones[top] -> println;
    top + 1 -> println; -top -> println;
    -2147483648 -> low: i32;
    low / -1 -> println; low % -1 -> println; -low -> println; low -> abs -> println;
    [1, 2] -> two: [i32; 2];
    two[top] -> println;
}
""",
    "truth values in memory": """
fn main() {
    10 -> iota -> map { i -> i % 3 == 0 } -> flags;
    (true, flags) -> fold { a, b -> a && b } -> println;
    mut f <- flags;
    f[1] <- true;
    f -> enumerate -> map { p -> (p.1, p.0) } -> pairs;
    (0, pairs) -> fold { s, p -> p.0 -> { -true-> s + p.1; -false-> s; } } -> println;
    flags[1] -> println;
}
""",
    "an array literal inside loops and maps": """
fn main() {
    mut v: [[i32; 2]; 2] <- [[0, 0], [0, 0]];
    mut i: i32 <- 0;
    loop {
        (i < 3) -> {
            -true-> { [[i, v[1][0]], v[0]] -> v; i + 1 -> i; -> loop; }
            -false-> v -> r;
        }
    }
    r[0][0] * 1000 + r[0][1] * 100 + r[1][0] * 10 + r[1][1] -> println;
}
""",
    "an exit that makes an array from the carried one": """
fn grow(n: i32) -> [i32; 4] {
    mut v: [i32; 4] <- [0, 0, 0, 0];
    mut i: i32 <- 0;
    loop {
        (i < n) -> {
            -true-> { v[i] <- i + 1; i + 1 -> i; -> loop; }
            -false-> v -> map { x -> x * x } -> r;
        }
    }
    r -> ret;
}
fn main() {
    3 -> grow -> a;
    0 -> grow -> b;
    a[2] -> println; b[0] -> println;
    4 -> grow -> c;
    c[3] + a[3] -> println;
    5 -> grow -> d;
    d[0] -> println;
}
""",
    "two carried arrays of which the exit selects one": """
fn choose(k: i32) -> [i32; 3] {
    mut a: [i32; 3] <- [0, 0, 0];
    mut b: [i32; 3] <- [5, 5, 5];
    mut i: i32 <- 0;
    loop {
        (i < 3) -> {
            -true-> { a[i] <- i + 1; b[i] <- i * 10; i + 1 -> i; -> loop; }
            -false-> (k > 0) -> { -true-> a; -false-> b; } -> r;
        }
    }
    r -> ret;
}
fn laws(k: i32) -> [i32; 3] {
    3 -> iota -> a0; mut a <- a0;
    (9, 3) -> fill -> b0; mut b <- b0;
    mut i: i32 <- 0;
    loop {
        (i < 3) -> {
            -true-> { a[i] <- a[i] + 1; b[i] <- b[i] * 2 + i; i + 1 -> i; -> loop; }
            -false-> (k > 0) -> { -true-> a; -false-> b; } -> r;
        }
    }
    r -> ret;
}
fn main() {
    1 -> choose -> x; 0 -> choose -> y; 1 -> laws -> z; 0 -> laws -> w;
    x[0] * 100 + x[1] * 10 + x[2] -> println;
    y[0] * 100 + y[1] * 10 + y[2] -> println;
    z[0] * 100 + z[1] * 10 + z[2] -> println;
    w[0] * 100 + w[1] * 10 + w[2] -> println;
}
""",
    "a result that is computed early and changed later": """
fn both(v: [i32; 3]) -> ([i32; 3], [i32; 3]) {
    v -> map { x -> x * 2 } -> first;
    mut second <- first;
    second[0] <- 99;
    (first, second) -> ret;
}
fn slots(v: [i32; 3]) -> ([i32; 3], [i32; 3]) {
    v -> map { x -> x + 1 } -> first;
    first -> ret.0;
    mut second <- first;
    second[2] <- 77;
    second -> ret.1;
}
fn main() {
    [1, 2, 3] -> v: [i32; 3];
    v -> both -> r;
    v -> slots -> s;
    r.0[0] -> println; r.1[0] -> println; s.0[2] -> println; s.1[2] -> println;
}
""",
    "the same array for both parts of the next state": """
fn main() {
    mut a: [i32; 2] <- [1, 2];
    mut b: [i32; 2] <- [3, 4];
    mut i: i32 <- 0;
    loop {
        (i < 3) -> {
            -true-> {
                a -> map { x -> x + i } -> n;
                (i % 2 == 0) -> { -true-> { b -> map { y -> y * 2 } } -false-> n; } -> a;
                n -> b;
                i + 1 -> i;
                -> loop;
            }
            -false-> (a, b) -> r;
        }
    }
    r.0[0] -> println; r.0[1] -> println; r.1[0] -> println; r.1[1] -> println;
}
""",
    "guards that select products and laws": """
fn pick(k: i32, d: i32) -> i32 {
    [1, 2, 3] -> a: [i32; 3];
    3 -> iota -> n;
    k -> {
        -0-> { (10 / d, a, true) }
        -1-> { (20 / d, n, false) }
        -_-> { (30, [d, d, d], true) };
    } -> chosen;
    chosen.2 -> println;
    chosen.1[2] + chosen.0 -> ret;
}
fn both(flag: bool, x: i32) -> (i32, f32) {
    flag -> { -true-> { (x, 1.5) } -false-> { (0 - x, 2.5) } } -> ret;
}
fn nothing(x: i32) { x -> print; }
fn main() {
    (0, 2) -> pick -> println; (1, 5) -> pick -> println; (2, 0) -> pick -> println;
    (true, 4) -> both -> p; p.0 -> println; p.1 -> println;
    7 -> nothing; "" -> println;
    (1, 0) -> pick -> println;
}
""",
    "constants in structs and of every width": """
type Entry { key: u8, on: bool, weight: f64, parts: [i64; 2] }
fn main() {
    [
        Entry { key: 200, on: true, weight: 0.1, parts: [1, -9000000000] },
        Entry { key: 3, on: false, weight: 123456789012.5, parts: [2, 3] }
    ] -> table: [Entry; 2];
    [[200, 1, 34], [92, 7, 0]] -> bytes: [[u8; 3]; 2];
    [true, false, true] -> flags: [bool; 3];
    1 -> k;
    table[k].weight -> println; table[k - 1].key -> println; table[k - 1].parts[k] -> println;
    bytes[k][0] -> println; bytes[0][2] -> println; flags[k] -> println; flags[k + 1] -> println;
    table -> map { e -> e.on } -> on;
    on[0] -> println;
    (bytes, flags[0]) -> pair;
    pair.0[1][1] -> println;
}
""",
    "an exit that turns round the array in its own place": """
fn turn(v: [i32; 3], k: i32) -> [i32; 3] {
    v -> map { x -> x + 1 } -> start;
    3 -> iota -> idx;
    mut a: [i32; 3] <- start;
    mut i: i32 <- 0;
    loop {
        (i < 3) -> {
            -true-> { a[i] <- a[i] * 10 + i; i + 1 -> i; -> loop; }
            -false-> (k > 0) -> { -true-> a; -false-> { idx -> map { j -> a[2 - j] } } } -> r;
        }
    }
    r -> ret;
}
fn main() {
    [1, 2, 3] -> v: [i32; 3];
    (v, 1) -> turn -> x;
    (v, 0) -> turn -> y;
    x[0] -> println; x[2] -> println; y[0] -> println; y[2] -> println;
}
""",
    "arrays that use the memory of earlier ones": """
fn main() {
    16 -> iota -> map { i -> i * i } -> a;
    a -> map { x -> x + 1 } -> b;
    b -> map { x -> x * 2 } -> c;
    (c, b) -> zip -> map { p -> p.0 - p.1 } -> d;
    d -> map { x -> x + c[3] } -> e;
    mut f <- e;
    f[2] <- 7;
    f -> map { x -> x % 11 } -> g;
    g -> map { x -> x + f[2] } -> h;
    (0, h) -> fold { s, x -> s * 3 + x } -> println;
    (0, f) -> fold { s, x -> s + x } -> println;
    (0, c) -> fold { s, x -> s + x } -> println;
}
""",
    "of two names that data choose, one is of the loop's own array": """
fn main() {
    8 -> iota -> map { x -> x * 2 + 1 } -> own;
    8 -> iota -> map { x -> x * 7 } -> other;
    mut a: [i32; 8] <- own; mut i: i32 <- 0; mut s: i32 <- 0;
    loop {
        (i < 8) -> {
            -true-> {
                (own[i] > 6) -> { -true-> { (other, a) } -false-> { (a, a) } } -> names;
                s * 3 + names.0[7 - i] -> s;
                a[i] <- i;
                i + 1 -> i;
                -> loop;
            }
            -false-> (a, s) -> r;
        }
    }
    r.1 -> println; r.0[5] -> println;
}
""",
    "updates that the next pass does not begin with": """
fn main() {
    12 -> iota -> map { x -> x * 2 + 1 } -> own; 3 -> iota -> three;
    mut a: [i32; 12] <- own; mut i: i32 <- 0;
    loop {
        (i < 12) -> {
            -true-> { mut b <- a; b[i] <- i; a -> a; i + 1 -> i; -> loop; }
            -false-> a -> r;
        }
    }
    r[0] -> println; r[11] -> println;
    mut c: [i32; 12] <- own; mut k: i32 <- 0;
    loop {
        (k < 4) -> {
            -true-> {
                (c, three) -> fold { acc, j -> mut b <- c; b[k * 3 + j] <- 70; b } -> c;
                k + 1 -> k;
                -> loop;
            }
            -false-> c -> t;
        }
    }
    t[1] -> println; t[2] -> println;
}
""",
    "a row of a matrix is replaced while a cell of it is needed": """
fn main() {
    3 -> iota -> map { i -> [i, i * 2 + 1, i * 5] } -> m;
    mut a <- m;
    a[1] <- [70, 80, 90];
    m[1][2] * 100 + a[1][2] -> println;
    m[1] -> row;
    mut b <- m;
    b[1] <- a[1];
    row[1] * 100 + b[1][1] -> println;
}
""",
    "a row of an updated matrix in another row of it": """
fn main() {
    4 -> iota -> map { i -> [i, i + 1, i + 2] } -> m;
    mut a <- m;
    a[1] -> row;
    mut w <- row; w[2] <- 55;
    a[2] <- w;
    a[1] <- a[2];
    a[0] <- row;
    a[1][2] + a[0][2] * 100 + w[2] -> println;
}
""",
}
