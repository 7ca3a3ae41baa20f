"""Messages as one quoted block, and where a long one is cut."""

from __future__ import annotations

import pytest

from ctxkit import Message, TokenCounter, ToolCall
from ctxkit.transforms.summaries.frame import framed, unframed
from ctxkit.transforms.summaries.transcript import chunks, entry


class MeasuringCounter(TokenCounter):
    """Adds up the characters that it is asked to count."""

    characters = 0

    def count_text(self, text):
        self.characters += len(text)
        return super().count_text(text)


def line(characters):
    return ("the ferry waits for the tide, then it leaves; " * (characters // 40))[:characters]


def test_a_longer_line_costs_as_much_more_as_it_is_longer():
    measured = []
    for characters in (20_000, 80_000):
        counter = MeasuringCounter()
        runs = chunks([line(characters)], 100, counter)
        assert "".join(piece for run in runs for piece in run) == line(characters)
        measured.append(counter.characters)
    assert measured[1] < 5 * measured[0]


@pytest.mark.parametrize("text", [" " * 20_000 + "a", "x" * 3_000, "🍕" * 500, "ne\u0301" * 700, ""])
def test_pieces_are_all_of_the_text_and_fit(text):
    counter = TokenCounter()
    runs = chunks([text], 64, counter)
    assert "".join(piece for run in runs for piece in run) == text
    assert all(sum(counter.count_text(piece) + 1 for piece in run) <= 64 for run in runs)


@pytest.mark.parametrize(
    "text", ["\u6f6e\u6c50", "Z\u00fcrich", "\u043f\u0440\u0438\u043b\u0438\u0432", "\U0001f30a"]
)
def test_arguments_are_read_in_their_own_letters(text):
    call = Message.assistant(None, [ToolCall("a", "search", {"q": text})])
    assert entry(call) == f'assistant calls search (a): {{"q":"{text}"}}'


@pytest.mark.parametrize(
    "template",
    ["{{ summary }}", "So far: {{ summary }}", "Before\n{{ summary }}\nafter.\n", "({{ summary }})"],
)
def test_a_frame_comes_off_as_it_went_on(template):
    for summary in ("They spoke.", "So far: (they spoke)", "after."):
        message = framed(summary, template)
        assert unframed(message, template) == summary
        parts = Message("user", [{"type": "text", "text": f"{message.content}\n"}], kind="summary")
        assert unframed(parts, template) == summary
