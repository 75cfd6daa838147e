"""The exceptions carry what the command line needs."""

from mapal.diagnostics import Unsupported, UserError


def test_user_error() -> None:
    assert (UserError("No file.").message, UserError("No file.").exit_status) == ("No file.", 2)
    assert UserError("No room.", 1).exit_status == 1
    assert str(UserError("No file.")) == "No file."


def test_unsupported() -> None:
    assert Unsupported("no such machine").reason == "no such machine"
