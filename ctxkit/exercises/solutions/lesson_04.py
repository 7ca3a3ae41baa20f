"""Solutions of lesson 4."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "04-min-age": Solution(
        code="""\
replies = [message for message in chat[18:] if message.role == "assistant"]
min_age = len(replies) + 1""",
        why="the older of the two has as many replies after it as `replies` holds; one more keeps it whole.",
    ),
    "04-cut": Solution(
        code="""\
def cut(text, size):
    chunks = [""]
    for line in text.splitlines(keepends=True):
        if len(chunks[-1]) + len(line) > size:
            chunks.append("")
        chunks[-1] += line
    return chunks""",
        why="a chunk ends where the next line would not fit, so every chunk holds whole lines.",
    ),
    "04-to-pay": Solution(
        code="""\
def to_pay(before, after):
    for known, (old, new) in enumerate(zip(before, after)):
        if old != new:
            return len(after) - known
    return max(0, len(after) - len(before))""",
        why="the cache knows the summary after each chunk, as long as all chunks before it are the same.",
    ),
    "04-collapse": Solution(
        code="""\
def collapse(lines):
    runs = []
    for line in lines:
        if runs and runs[-1][0] == line:
            runs[-1][1] += 1
        else:
            runs.append([line, 1])
    return [line if n == 1 else f"{line} [repeated {n} times]" for line, n in runs]""",
        why="only the last run can grow, so one look at it is enough for each line.",
    ),
}
