"""The command line: `python -m ctxkit lab | lessons | reset 03 | doctor`. The Makefile calls nothing else.

Contract: exit code 0 when all went well, 1 with a line that says what to do when it did not, 2 for a wrong
command line. Read in this order: this file (the commands), `copies` (the learner's copies), `lab`
(JupyterLab), `checks` (the doctor).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ctxkit.cli.checks import doctor
from ctxkit.lessons import UnknownLesson

__all__ = ["doctor", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` is the command line without the program's name, by default this process's own.

    >>> main(["reset", "77"])
    problem: there is no lesson '77'; there are 00, 01, 02, 03
    1
    """
    parser = _parser()
    arguments, rest = parser.parse_known_args(argv)
    if rest and arguments.command != "lab":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        return _run(arguments, rest)
    except (UnknownLesson, OSError) as error:
        print(f"problem: {error}")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ctxkit", description="See what a language model actually sees.", allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
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
