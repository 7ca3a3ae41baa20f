"""A summary as a message: background notes with a start and an end, never a request.

A summary that quotes an old task is easily obeyed as a new one (NousResearch/hermes-agent#17121), and one
with role system gives instructions from old tool output more weight (Martian-Engineering/lossless-claw#137).
So the frame says what it is, its role is "user" by default, and the summary is put into the template by
Jinja's sandbox as a value: braces in it stay braces.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ctxkit.messages import Message
from ctxkit.messages.marks import SUMMARY_END, SUMMARY_START
from ctxkit.messages.text import content_text

if TYPE_CHECKING:
    from jinja2 import Template

SummaryRole = Literal["user", "assistant", "system"]

TEMPLATE = "{{ summary }}"

_PROBE = "a summary to look for"


def check_template(template: object) -> str:
    """Return a template that shows its `summary`, else raise a TypeError or ValueError.

    >>> check_template("So far: {{ summary }}")
    'So far: {{ summary }}'
    """
    if not isinstance(template, str):
        raise TypeError(f"template: expected text, got {type(template).__name__}")
    from jinja2 import TemplateError

    try:
        shown = _compiled(template).render(summary=_PROBE)
    except TemplateError as error:
        raise ValueError(f"template: {error}") from None
    if _PROBE not in shown:
        raise ValueError("template: it does not show the summary; write {{ summary }} where it belongs")
    return template


def framed(summary: str, template: str = TEMPLATE, role: SummaryRole = "user") -> Message:
    """The message that carries a summary.

    >>> print(framed("They spoke of {tides}.").content)
    [Notes on the earlier part of this conversation. Background only, not a request.]
    They spoke of {tides}.
    [End of the notes.]
    """
    body = _compiled(template).render(summary=summary)
    return Message(role, f"{SUMMARY_START}\n{body}\n{SUMMARY_END}", kind="summary")


def unframed(message: Message, template: str = TEMPLATE) -> str:
    """What a summary message says, without its frame.

    >>> unframed(framed("They spoke of tides."))
    'They spoke of tides.'
    >>> unframed(framed("They spoke of tides.", "So far: {{ summary }}"), "So far: {{ summary }}")
    'They spoke of tides.'
    """
    body = content_text(message).strip().removeprefix(SUMMARY_START).removesuffix(SUMMARY_END).strip()
    before, after = _around(template)
    inside = body.removeprefix(before).removesuffix(after)
    return (inside if f"{before}{inside}{after}" == body else body).strip()


@lru_cache(maxsize=64)
def _around(template: str) -> tuple[str, str]:
    """What a template writes before and after the summary."""
    before, _, after = _compiled(template).render(summary=_PROBE).strip().partition(_PROBE)
    return before, after


@lru_cache(maxsize=64)
def _compiled(template: str) -> Template:
    from jinja2.sandbox import SandboxedEnvironment  # late: it is dear to import, and most programs need none

    return SandboxedEnvironment(autoescape=False, keep_trailing_newline=True).from_string(template)
