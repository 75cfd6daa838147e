"""`python -m mapal` is `mapal`."""

import sys

from mapal.cli.main import main

sys.exit(main(sys.argv[1:]))
