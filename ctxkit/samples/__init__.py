"""Conversations written for the kit: each is real enough to read and small enough to check by hand.

- `dolphins`: 41 messages that wander from dolphins to octopuses; the last question is answered in message 1
  only.
- `calculator`: a short talk with a calculator tool, one call and then two parallel ones.
- `harbour`: planning a day out, with long tool results, parallel calls and a system message.
- `lighthouse`: 12 exchanges of a keeper who says her name, her job and her hobby, then looks things up twice;
  for threads.
- `phrasebook`: 100 turns and an open question; a traveller learns Italian, and its answer stands in turn 1.
- `giant`: a first message of 3,000,000 characters, built by code; then "OK" and a short question.
- `growing_log`: a night with a log that is read four times and grows; the error stands in its middle.
- `night_watch`: nine tool results in a night, for pipelines; the last question is answered in message 3 only.
- `broken_...`: small histories with one fault each, for `check` and `repair`.

The data files hold messages in OpenAI's shape, in `data/`, one file for each name.
"""

from __future__ import annotations

from pathlib import Path

from ctxkit.messages import Message, load_messages
from ctxkit.samples.giant import giant
from ctxkit.samples.growing_log import growing_talk
from ctxkit.samples.night_watch import night_watch

_DATA = Path(__file__).with_name("data")
_BUILT = {"giant": giant, "growing_log": growing_talk, "night_watch": night_watch}


def sample_names() -> list[str]:
    """The names that `load_sample` takes, in alphabetical order.

    >>> sample_names()[-4:]
    ['harbour', 'lighthouse', 'night_watch', 'phrasebook']
    """
    stored = [entry.name.removesuffix(".json") for entry in _DATA.iterdir() if entry.name.endswith(".json")]
    return sorted([*stored, *_BUILT])


def load_sample(name: str) -> list[Message]:
    """Give a new list of the messages of one sample. Raises ValueError listing all names when there is none
    of that name.

    >>> len(load_sample("dolphins")), load_sample("dolphins")[18].content
    (41, "I am a baker, so I'm used to being up at four. Any job that wants that?")
    """
    if name in _BUILT:
        return _BUILT[name]()
    if name not in sample_names():
        raise ValueError(f"No sample is called {name!r}. Samples: {', '.join(sample_names())}")
    return load_messages((_DATA / f"{name}.json").read_text(encoding="utf-8"))
