"""Access records of small programs: cells, loops, places, and what is not known."""

from __future__ import annotations

from mapal.affine import Access, Affine, Dynamic, path_before
from mapal.affine.index import linear
from mapal.analysis.accesses import AccessRecord, extract
from mapal.analysis.accesses.records import Table
from mapal.ir import ops
from mapal.ir.graph import Graph
from tests.analysis.test_bounds import graph_of


def records(source: str) -> tuple[Graph, Table]:
    graph = graph_of(source)
    return graph, extract(graph).table


def reads_by_index(graph: Graph, table: Table) -> list[AccessRecord]:
    """The reads that `Index` operations make, in the order of the walk."""
    return [
        record for record in table.records if isinstance(graph.morphisms[record.site].op, ops.Index)
    ]


def test_rows_and_columns_are_loops_of_their_own() -> None:
    graph, table = records("""
        fn main(a: [f32; 48], b: [f32; 48]) -> [f32; 64] {
            6 -> iota -> ks;
            64 -> iota -> map { cell ->
                (0.0, ks) -> fold { s, k -> s + a[cell / 8 * 6 + k] * b[k * 8 + cell % 8] }
            } -> ret;
        }""")
    left, right = (table.access(record) for record in reads_by_index(graph, table))
    row, column, k = (symbol for symbol, _, _ in left.loops)
    assert [(low, high) for _, low, high in left.loops] == [(0, 7), (0, 7), (0, 5)]
    assert linear(left.map[0]) == ({row: 6, k: 1}, 0)
    assert linear(right.map[0]) == ({k: 8, column: 1}, 0)
    (store,) = (table.access(r) for r in table.records if r.write and not r.rmw)
    assert linear(store.map[0]) == ({row: 8, column: 1}, 0)
    assert path_before(left.path, store.path)
    assert not path_before(store.path, left.path)
    sums = [table.access(record) for record in table.records if record.rmw]
    assert [(access.write, access.map) for access in sums] == [(False, ()), (True, ())]


def test_what_data_decide_is_dynamic_and_arms_are_guarded() -> None:
    graph, table = records("""
        fn main(v: [i32; 9], at: [i32; 9], k: i32) -> [i32; 9] {
            at -> map { i -> (i > k) -> { -true-> v[i]; -false-> v[k]; } -> x; x } -> ret;
        }""")
    by_data, by_input = (table.access(r) for r in reads_by_index(graph, table))
    assert by_data.map == (Dynamic(),)
    assert by_data.dynamic
    assert by_data.guarded
    assert by_input.guarded
    # An input has one value: a symbol that no loop binds.
    assert isinstance(by_input.map[0], Affine)
    assert not by_input.dynamic


def test_rows_of_nested_arrays_are_cells_of_the_whole() -> None:
    graph, table = records("""
        fn main(m: [[i32; 4]; 3]) -> [i32; 3] {
            m -> map { row -> row[3] + row[0] } -> ret;
        }""")
    found = [table.access(record) for record in reads_by_index(graph, table)]
    assert {access.array for access in found} == {found[0].array}
    (symbol, low, high) = found[0].loops[0]
    assert (low, high) == (0, 2)
    assert [[linear(part) for part in access.map] for access in found] == [
        [({symbol: 1}, 0), ({}, 3)],
        [({symbol: 1}, 0), ({}, 0)],
    ]


def test_zips_and_enumerations_read_what_they_are_made_of() -> None:
    _, table = records("""
        fn main(a: [i32; 5], b: [i32; 5]) -> [i32; 5] {
            (a, b) -> zip -> enumerate -> map { p -> p.0 + (p.1).0 * (p.1).1 } -> ret;
        }""")
    reads = [record for record in table.records if not record.write]
    assert len({record.storage for record in reads}) == 2
    assert all(len(record.index) == 1 and not record.whole for record in reads)


def test_updates_of_a_carried_array_share_its_storage() -> None:
    graph, table = records("""
        fn main(v: [i32; 9]) -> [i32; 9] {
            mut a: [i32; 9] <- v;
            mut i: i32 <- 0;
            loop { (i < 9) -> { -true-> { a[i] <- a[8 - i] + 1; i + 1 -> i; -> loop; }
                                -false-> a -> r; } }
            r -> ret;
        }""")
    (update,) = (r for r in table.records if isinstance(graph.morphisms[r.site].op, ops.Update))
    (read,) = reads_by_index(graph, table)
    assert (update.storage, update.array) == (read.storage, read.array)
    assert update.is_exact
    access: Access = table.access(update)
    ((counter, low, high),) = access.loops
    assert (low, high) == (0, 8)
    assert linear(access.map[0]) == ({counter: 1}, 0)
    assert linear(table.access(read).map[0]) == ({counter: -1}, 8)
    whole = [record for record in table.records if record.whole and record.write]
    assert [record.storage for record in whole] == [update.storage]


def test_a_loop_that_may_end_early_is_not_exact() -> None:
    graph, table = records("""
        fn main(v: [i32; 9]) -> i32 {
            mut i: i32 <- 0; mut s: i32 <- 0;
            loop { (i < 9 && s < 100) -> { -true-> { s + v[i] -> s; i + 1 -> i; -> loop; }
                                           -false-> s -> r; } }
            r -> ret;
        }""")
    (read,) = reads_by_index(graph, table)
    assert not read.is_exact
    assert table.access(read).loops[0][1:] == (0, 8)


def test_an_array_under_two_names_has_escaped() -> None:
    _, table = records("""
        fn main(k: i32) -> [i32; 4] {
            4 -> iota -> map { i -> i + k } -> a;
            4 -> iota -> map { i -> i - k } -> b;
            (k > 0) -> { -true-> a; -false-> b; } -> c;
            c -> ret;
        }""")
    made = {record.storage for record in table.records if record.write}
    assert table.escaped == made


def test_a_name_beside_one_that_may_be_another_array_has_escaped_too() -> None:
    _, table = records("""
        fn main(k: i32) -> [i32; 4] {
            4 -> iota -> map { i -> i + k } -> a;
            4 -> iota -> map { i -> i - k } -> b;
            (k > 0) -> { -true-> { (a, b) } -false-> { (a, a) } } -> c;
            c.0 -> ret;
        }""")
    made = {record.storage for record in table.records if record.write}
    assert table.escaped == made
