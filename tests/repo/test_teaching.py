"""What the teacher is told stands in the lessons: predictions, exercises, minutes, links and commands."""

import itertools
import re
import shlex
import sys

import pytest

from ctxkit import TokenCounter
from ctxkit.exercises import catalog
from ctxkit.lessons import find_lessons
from tests.repo.conftest import ROOT, complaint

FILE = ROOT / "docs" / "teaching.md"
TEXT = FILE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
PREDICTIONS = SECTIONS["What learners predict, and why"]
LINKS = [link for link in re.findall(r"\]\(([^)]+)\)", TEXT) if not link.startswith("http")]
BLOCKS = re.findall(r"^ *```(?:sh|bat)\n(.*?)^ *```", TEXT, re.MULTILINE | re.DOTALL)
LINES = [*"\n".join(BLOCKS).splitlines(), *re.findall(r"`([^`\n]+)`", TEXT)]
MAKE = sorted({found[0] for line in LINES if (found := re.search(r"(?:\w+=\S+ )*make \w.*", line))})
KIT = sorted({line.split(" -m ctxkit ")[1] for line in LINES if " -m ctxkit " in line})


def rows(section: str) -> list[list[str]]:
    """The rows of a timetable that begin with a time."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in SECTIONS[section].splitlines()]
    return [row for row in cells if re.fullmatch(r"\d:\d\d", row[0])]


def minutes(time: str) -> int:
    hours, rest = time.split(":")
    return 60 * int(hours) + int(rest)


@pytest.mark.parametrize("question", list(catalog.questions()))
def test_every_prediction_has_its_wrong_guesses(question: str) -> None:
    answer, thoughts = re.split(rf"`{question}`: ", PREDICTIONS)[1].split("**", 1)
    assert answer
    assert "Expect" in thoughts.split("**")[0]


def test_every_id_is_that_of_an_exercise_or_a_prediction() -> None:
    named = set(re.findall(r"[`\"](\d\d-[\w-]+)[`\"]", TEXT))
    assert len(named) > 20
    assert named <= {*catalog.questions(), *catalog.exercises()}


def test_a_lesson_gets_the_minutes_that_its_title_card_promises() -> None:
    cards = {lesson.number: lesson.path.read_text(encoding="utf-8") for lesson in find_lessons()}
    plan = rows("Half a day")
    taught = {
        row[1][:2]: minutes(after[0]) - minutes(row[0])
        for row, after in itertools.pairwise(plan)
        if row[1][:2].isdigit()
    }
    assert len(taught) > 6
    promised = {
        number: int(found[1])
        for number in taught
        if (found := re.search(r"minutes alone, (\d+) taught", cards[number]))
    }
    assert taught == promised


@pytest.mark.parametrize(("section", "end"), [("90 minutes", "1:30"), ("Half a day", "4:00")])
def test_a_timetable_goes_forward_and_ends_in_time(section: str, end: str) -> None:
    times = [minutes(row[0]) for row in rows(section)]
    assert len(times) > 9
    assert times == sorted(set(times))
    assert times[0] == 0
    assert times[-1] < minutes(end)


@pytest.mark.parametrize("link", LINKS)
def test_links_lead_somewhere(link: str) -> None:
    path, _, heading = link.partition("#")
    assert (FILE.parent / path).exists()
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in SECTIONS}
    assert path or heading in slugs


@pytest.mark.parametrize("line", MAKE)
def test_make_knows_the_command(line: str) -> None:
    words = shlex.split(line)
    settings = [word for word in words if "=" in word]
    goals = [word for word in words if "=" not in word and word != "make"]
    assert complaint("make", "--dry-run", *goals, *settings) == ""


@pytest.mark.parametrize("line", KIT)
def test_the_kit_knows_the_command(line: str) -> None:
    command = shlex.split(line)[0]
    assert complaint(sys.executable, "-m", "ctxkit", command, "--help") == ""


def test_the_commands_were_found() -> None:
    assert {"make lab", "make doctor", "make wheelhouse", "make reset LESSON=03"} <= set(MAKE)
    assert "CTXKIT_MODEL=offline make lab" in MAKE
    assert "doctor" in KIT


def test_each_setting_of_the_environment_has_a_form_for_windows() -> None:
    variables = {name for line in MAKE for name in re.findall(r"^(\w+)=", line)}
    assert variables == {"CTXKIT_ANSWERS", "CTXKIT_MODEL"}
    [line] = re.findall(r"^ *set (.+)$", TEXT, re.MULTILINE)
    name, _, value = line.partition("=")
    assert name in variables
    assert f'`$env:{name} = "{value}"`' in TEXT


def test_the_names_that_are_typed_fall_apart_as_told() -> None:
    named = re.findall(r"\*([^*|]+)\* \((\d+)(?: tokens)?\)", SECTIONS["90 minutes"])
    assert len(named) == 2
    assert [(name, TokenCounter().count_text(name)) for name, _ in named] == [(n, int(t)) for n, t in named]
