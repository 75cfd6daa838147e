"""`python -m mapal` is `mapal`."""

from mapal.cli.main import entry_point

entry_point()
