"""`python -m mapal` is `mapal`."""

import sys

from mapal.cli.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
