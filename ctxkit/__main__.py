"""`python -m ctxkit`: the command line of the kit, which `ctxkit.cli` describes."""

import sys

from ctxkit.cli import main

if __name__ == "__main__":
    sys.exit(main())
