"""Finding the peers of a program."""

from pathlib import Path

from mapal.bench.peers import find_peers


def test_a_peer_is_named_after_the_program_or_its_source(tmp_path: Path) -> None:
    scripts = tmp_path / "peers"
    scripts.mkdir()
    (scripts / "numpy_product.py").touch()
    (scripts / "numpy_product_fused.py").touch()
    (own,) = find_peers(tmp_path, ["numpy"], "product-fused", "src/product.mapal")
    (shared,) = find_peers(tmp_path, ["numpy"], "product-128", "src/product.mapal")
    assert own.script == scripts / "numpy_product_fused.py"
    assert shared.script == scripts / "numpy_product.py"
    assert own.absent is None


def test_a_peer_without_script_is_absent_and_says_so(tmp_path: Path) -> None:
    missing, unknown = find_peers(tmp_path, ["c", "fortran"], "p", "src/p.mapal")
    assert missing.script is None
    assert missing.absent == "no script peers/c_p.c"
    assert unknown.absent is not None
    assert "unknown kind of peer" in unknown.absent
