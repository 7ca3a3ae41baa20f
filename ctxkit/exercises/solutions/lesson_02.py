"""Solutions of lesson 2."""

from ctxkit.exercises.model import Solution

SOLUTIONS = {
    "02-frame": Solution(
        code="""\
frame = counter.count(Message.user("x")) - counter.count_text("x")""",
        why=(
            "what a message costs beyond its text is its frame: the marks around it and the name of its role."
        ),
    ),
    "02-reserve": Solution(
        code="""\
usage = ContextWindow(4096).measure(chat)
reserve = usage.limit - usage.total""",
        why=(
            "a request is over once total + reserve exceeds the limit, so the reserve may take all that "
            "is left."
        ),
    ),
    "02-heaviest": Solution(
        code="""\
def heaviest(messages, counter):
    costs = [counter.count(message) for message in messages]
    return costs.index(max(costs))""",
        why="`count` takes the whole message: role, text or parts, name, calls with their arguments.",
    ),
    "02-newest-that-fit": Solution(
        code="""\
def newest_that_fit(messages, limit, counter):
    for count in range(len(messages), 0, -1):
        if counter.count_all(messages[-count:]) <= limit:
            return count
    return 0""",
        why=(
            "the first number from above that fits is the largest; with 0 the slice would be the whole "
            "list, so the loop ends at 1."
        ),
    ),
}
