"""Finding the peers of a program."""

from pathlib import Path

from mapal.bench.peers import Peer, find_peers


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


def test_cfast_without_a_file_of_its_own_is_the_c_peer_with_other_flags(tmp_path: Path) -> None:
    peers = tmp_path / "peers"
    peers.mkdir()
    (peers / "c_a.c").touch()
    (found,) = find_peers(tmp_path, ["cfast"], "a-64", "src/a.mapal")
    assert found == Peer("cfast", peers / "c_a.c")
    (peers / "cfast_a.c").touch()
    (found,) = find_peers(tmp_path, ["cfast"], "a-64", "src/a.mapal")
    assert found == Peer("cfast", peers / "cfast_a.c")
    (found,) = find_peers(tmp_path, ["cfast"], "b", "src/b.mapal")
    assert found.absent == "no script peers/cfast_b.c"
