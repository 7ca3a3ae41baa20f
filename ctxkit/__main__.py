"""`python -m ctxkit`: the command line of the kit, which `ctxkit.cli` describes."""

import sys

if __name__ == "__main__":
    # First of all, and in words that Python 3.7 reads: further on an older Python only finds names missing.
    if sys.version_info < (3, 10):  # noqa: UP036
        found = "%d.%d" % sys.version_info[:2]  # noqa: UP031
        sys.exit("problem: this is Python " + found + ", the kit needs one from 3.10 to 3.13")
    from ctxkit.cli import main

    sys.exit(main())
