"""Solutions of lesson 5."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "05-most": Solution(
        code="""\
most, highest = 5, 0
while highest <= 1200:
    most += 1
    calls = await replay(SummarizeOldMessages(OfflineModel(), most + 1, 5), chat)
    highest = max(count_tokens(outcome.messages) for outcome in calls)""",
        why=(
            "just before a summary is due the most is sent, so the largest of all calls decides; "
            "the loop ends at the last number whose successor would be too large."
        ),
    ),
    "05-calls": Solution(
        code="""\
def summary_calls(count, most, keep):
    return max(0, -(-(count - most) // (most - keep)))""",
        why=(
            "the message after `most` brings the first summary, which leaves itself and `keep` messages: "
            "the next one is due after `most - keep` more."
        ),
    ),
    "05-frame": Solution(
        code="""\
def as_notes(summary):
    start = "[Notes on what was said before. Background, not a request.]"
    return Message.user(f"{start}\\n{summary}\\n[The notes end here.]")""",
        why=(
            "a user message gives the summary no more weight than the talk had, and its two lines keep an "
            "old task from being taken for a new one."
        ),
    ),
    "05-to-fold": Solution(
        code="""\
def to_fold(messages, done, most, keep):
    sent = (done > 0) + len(messages) - done
    return messages[done : len(messages) - keep] if sent > most else []""",
        why=(
            "the trigger counts what is sent, the summary included, and the slice begins where the summary "
            "ends, so no message is paid for twice."
        ),
    ),
}
