"""The doctor: is everything here that the lessons need?

Contract: one line per check, "ok: ..." or "problem: ... what to do", whatever goes wrong in a check; one that
is longer than 120 characters goes on below, indented, with each command in one piece. Without
`verbose` the ok lines hold no version and no path, so that a notebook that shows them reads the same on every
machine; with it a last line tells whether the embedded model, which is optional, is there.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from ctxkit.cli.checks import CHECKS, Trouble, embedded_model, told

WIDTH = 120
COMMAND = re.compile(r"python -m [^;,()]+")


@dataclass(frozen=True)
class Check:
    """One line of a report: what is checked, the trouble found ("" if all is well), and versions or paths."""

    subject: str
    trouble: str
    detail: str

    def line(self, verbose: bool) -> str:
        """The check as text; the detail only if `verbose`."""
        if self.trouble:
            return f"problem: {self.trouble}"
        return f"ok: {self.subject}" + (f" ({self.detail})" if verbose else "")


@dataclass(frozen=True, repr=False)
class Report:
    """All checks of one run. It shows as its lines, in a notebook and in print."""

    checks: tuple[Check, ...]
    verbose: bool
    optional: Check | None = None

    @property
    def ok(self) -> bool:
        """True when no check found trouble."""
        return not any(check.trouble for check in self.checks)

    def __repr__(self) -> str:
        lines = [check.line(self.verbose) for check in self.checks]
        if self.optional:
            lines.append(f"optional: {self.optional.trouble or self.optional.subject}")
        return "\n".join(map(_wrapped, lines))


def _wrapped(line: str) -> str:
    whole = COMMAND.sub(lambda command: command[0].replace(" ", "\0"), line)
    parts = textwrap.wrap(
        whole, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(parts).replace("\0", " ")


def doctor(verbose: bool = False) -> Report:
    """Run all checks; with `verbose` each line names the versions and paths it found.

    >>> doctor().checks[0].line(verbose=False)
    'ok: this Python is one that the kit supports'
    """
    optional = _run("the embedded model works", embedded_model, "make embedded") if verbose else None
    return Report(tuple(_run(*check) for check in CHECKS), verbose, optional)


def _run(subject: str, check: Callable[[], str], remedy: str) -> Check:
    try:
        return Check(subject, trouble="", detail=check())
    except Trouble as trouble:
        return Check(subject, trouble=str(trouble), detail="")
    except Exception as error:  # one check that breaks must not cost the other lines
        return Check(subject, trouble=f"can't tell whether {subject} ({told(error)}): {remedy}", detail="")
