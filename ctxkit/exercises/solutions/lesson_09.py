"""Solutions of lesson 9."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "09-break-even": Solution(
        code="""\
for percent in range(101):
    prices = Pricing(2, 2 * percent / 100, 8)
    both = await simulate(chat, usual_strategies(4096), 4096, prices)
    if both["summarise old"].money < both["send everything"].money:
        break""",
        why="the replay is the same each time, and only the prices change, as with the lab's third slider.",
    ),
    "09-reused": Solution(
        code="""\
def reused(before, after, counter):
    tokens = 0
    for old, new in zip(before, after):
        if old != new:
            break
        tokens += counter.count(new)
    return tokens""",
        why="a server's cache holds the beginning of a prompt, so the first difference ends it.",
    ),
    "09-challenge": Solution(
        code="""\
stages = [SummarizeToolResults(model, max_tokens=40)]""",
        why=(
            "three long results are most of the night. Shortened to a few lines each, they are sent with "
            "every later call at a tenth of their size; what people said stays whole."
        ),
    ),
    "09-frontier": Solution(
        code="""\
def frontier(rows):
    def beats(other, row):
        no_worse = other["money"] <= row["money"] and other["facts"] >= row["facts"]
        return no_worse and (other["money"], other["facts"]) != (row["money"], row["facts"])
    return [row["name"] for row in rows if not any(beats(other, row) for other in rows)]""",
        why="no worse in both and different in one means better in one, so equal rows never beat each other.",
    ),
}
