"""`python -m ctxkit`: the same as the command `ctxkit`, and sure to use this Python."""

import sys

from ctxkit.cli import main

if __name__ == "__main__":
    sys.exit(main())
