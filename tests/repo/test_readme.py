"""What the README says can be done can be done."""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.repo.conftest import ROOT, complaint

README = (ROOT / "README.md").read_text(encoding="utf-8")
CODE = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
LINKS = re.findall(r"\]\(([^)]+)\)", README)
SHELL = [line for language, text in CODE if language in ("sh", "bat") for line in text.splitlines()]
INLINE = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", README, flags=re.MULTILINE | re.DOTALL))
COMMANDS = [line.split("#")[0].strip() for line in SHELL + INLINE]
MAKE = sorted({line for line in COMMANDS if re.match(r"make \w", line)})
KIT = sorted({line.split(" -m ")[1] for line in COMMANDS if " -m ctxkit " in line})


def test_the_example_runs_as_printed() -> None:
    (example,) = [text for language, text in CODE if language == "python"]
    test = doctest.DocTestParser().get_doctest(example, {}, "README example", "README.md", 0)
    assert len(test.examples) > 5
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("link", [link for link in LINKS if not link.startswith("http")])
def test_links_into_the_repository_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


@pytest.mark.parametrize("line", MAKE)
def test_make_knows_the_command(line: str) -> None:
    command = shlex.split(line)
    assert complaint(command[0], "--dry-run", *command[1:]) == ""


@pytest.mark.parametrize("line", KIT)
def test_the_kit_knows_the_command(line: str) -> None:
    name, command, *_ = shlex.split(line)
    assert complaint(sys.executable, "-m", name, command, "--help") == ""


def test_the_commands_were_found() -> None:
    assert {"make lab", "make test", "make reset LESSON=03"} <= set(MAKE)
    assert {"ctxkit lab", "ctxkit lessons", "ctxkit reset 03", "ctxkit doctor"} <= set(KIT)


def test_learners_are_led_to_the_doctor_and_not_to_the_long_tests() -> None:
    start, rest = README.split("## Your copies")
    assert "make doctor" in start
    assert "make test" not in start
    assert re.search(r"`make test` takes \d+ minutes", rest)


def test_every_lesson_is_listed_in_reading_order_under_its_own_number_and_title() -> None:
    from ctxkit.lessons import find_lessons

    listed = re.findall(r"^(\d+)\. \[(.+?)\]\(notebooks/(.+?)\)", README, re.MULTILINE)
    assert listed == [(str(int(lesson.number)), lesson.title, lesson.name) for lesson in find_lessons()]


def test_every_module_of_the_package_is_in_the_guided_list() -> None:
    private = {"__init__.py", "__main__.py", "py.typed", "__pycache__", "_notebooks"}
    entries = [path.name for path in (ROOT / "ctxkit").iterdir() if path.name not in private]
    public = [name for name in entries if not name.startswith("_")]
    assert len(public) > 5
    assert [name for name in public if f"(ctxkit/{name})" not in README] == []


def test_the_windows_lines_are_those_of_the_makefile() -> None:
    makefile = Path(ROOT / "Makefile").read_text(encoding="utf-8")
    assert '.venv\\Scripts\\python -m pip install -e ".[lab]"' in SHELL
    assert "--editable '.[lab]'" in makefile
