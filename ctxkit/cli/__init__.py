"""The command line: `python -m ctxkit lab | lessons | reset 03 | doctor`. The Makefile calls nothing else.

Contract: exit code 0 when all went well, 1 with a line that says what to do when it did not, 2 for a wrong
command line; an empty one lists the commands. When nobody reads the output any more (`| head -1`), the end is
quiet, with exit code 1.

Read in this order: this file (the commands), `copies` (the learner's copies), `lab` (JupyterLab), `checks`
and `report` (the doctor).
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from ctxkit.cli.report import doctor
from ctxkit.lessons import BrokenLesson, UnknownLesson

__all__ = ["doctor", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` is the command line without the program's name, by default this process's own.

    >>> main(["reset", "77"])  # doctest: +ELLIPSIS
    problem: there is no lesson '77'; there are 00, 01, ...
    1
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # A path with a letter that the terminal doesn't know must not cost the other lines.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            return _obey(argv)
        finally:
            # Here and not at exit, where Python can only complain about a reader that is gone.
            print(end="", flush=True)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"problem: the output can't be written ({error.strerror})", file=sys.stderr)
        # What is left unwritten goes nowhere, so that Python's own flush at exit succeeds.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _obey(argv: Sequence[str] | None) -> int:
    parser = _parser()
    arguments, rest = parser.parse_known_args(argv)
    if arguments.command is None and not rest:
        parser.print_help()
        return 0
    if rest and arguments.command != "lab":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        return _run(arguments, rest)
    except (UnknownLesson, BrokenLesson) as error:
        print(f"problem: {error}")
    except OSError as error:
        print(f"problem: {_sentence(error)}")
    return 1


def _sentence(error: OSError) -> str:
    """What the system refused, without its number, and what to do; the kit's own errors say so already."""
    if not error.strerror:
        return str(error)
    place = error.filename or "a file"
    return f"{place} can't be read or written ({error.strerror}); to see more: python -m ctxkit doctor"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ctxkit", description="See what a language model actually sees.", allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", title="commands", metavar="command")
    commands.add_parser(
        "lab",
        help="open the lessons in JupyterLab",
        description="Open your copies of the lessons. Everything after 'lab' goes on to JupyterLab.",
        epilog="example: python -m ctxkit lab --no-browser --port 9999",
        allow_abbrev=False,
    )
    commands.add_parser("lessons", help="copy the lessons that are missing in my_lessons, and list them all")
    reset = commands.add_parser("reset", help="set your copy of a lesson aside and make a fresh one")
    reset.add_argument("lesson", help="number of the lesson, such as 03")
    commands.add_parser("doctor", help="check that everything the lessons need is here")
    return parser


def _run(arguments: argparse.Namespace, rest: list[str]) -> int:
    # Imported here: `reset` and `doctor` must work where JupyterLab can't even be imported.
    from ctxkit.cli import copies, lab

    if arguments.command == "lab":
        return lab.open_lab(rest)
    if arguments.command == "lessons":
        return copies.show_lessons()
    if arguments.command == "reset":
        return copies.reset_lesson(arguments.lesson)
    report = doctor(verbose=True)
    print(report)
    return 0 if report.ok else 1
