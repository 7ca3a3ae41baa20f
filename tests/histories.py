"""Histories for tests: short forms as in the cases, generated ones for properties, and what a valid history
is.

`valid_faults` is written from the rules of the providers, apart from the kit's own code, so that it can judge
that code.
"""

from __future__ import annotations

from hypothesis import strategies as st

from ctxkit import Message, ToolCall


def U(text="hello"):
    return Message.user(text)


def S(text="Answer briefly."):
    return Message.system(text)


def D(text="rules"):
    return Message("developer", text)


def A(text="fine"):
    return Message.assistant(text)


def C(*ids, text="", name="search"):
    """An assistant message that makes one call for each id (the cases' `A[a,b]`)."""
    return Message.assistant(text, [ToolCall(call_id, name, {"q": call_id}) for call_id in ids])


def T(call_id, text="result"):
    return Message.tool(text, call_id)


def SUM(text="They spoke of dolphins.", role="user"):
    return Message(role, text, kind="summary")


def shape(messages):
    """One letter a message, as the cases write them: S U A T, C for a message with calls."""
    return "".join("C" if m.tool_calls else m.role[0].upper() for m in messages)


def head(messages):
    found = []
    for message in messages:
        if message.role not in ("system", "developer"):
            break
        found.append(message)
    return found


def open_questions(messages):
    """The user messages at the end that nobody has answered."""
    found = []
    for message in reversed(messages):
        if message.role != "user" or message.kind == "summary":
            break
        found.insert(0, message)
    return found


def last_group(messages):
    """The last message, or the last call with all its results."""
    for i in range(len(messages) - 1, -1, -1):
        if messages[i].role != "tool":
            return messages[i:]
    return []


def valid_faults(messages):
    """What a provider would refuse: judged position by position."""
    faults = []
    i = 0
    while i < len(messages):
        message = messages[i]
        i += 1
        if message.role == "tool":
            faults.append(f"result {i - 1} without its call")
        wanted = [call.id for call in message.tool_calls]
        got = []
        while message.tool_calls and i < len(messages) and messages[i].role == "tool":
            got.append(messages[i].tool_call_id)
            i += 1
        if got != wanted:
            faults.append(f"calls {wanted} have results {got}")
    return faults


WORDS = ["tide", "harbour", "lantern", "cargo", "seagull", "compass", "anchor", "rope", "salt", "ferry"]
texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=12).map(" ".join)
contents = st.one_of(
    texts,
    texts,
    st.none(),
    texts.map(
        lambda text: [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    ),
)
call_ids = st.sampled_from(["a", "b", "c", "d"])  # so few that later turns use them again


@st.composite
def exchanges(draw):
    """A call with one to three ids and what became of its results: all kinds of damage included."""
    ids = draw(st.lists(call_ids, min_size=1, max_size=3, unique=draw(st.integers(0, 4)) > 0))
    call = Message.assistant(draw(contents), [ToolCall(i, "search", {"q": i}) for i in ids])
    results = [Message.tool(draw(contents), i) for i in dict.fromkeys(ids)]
    damage = draw(
        st.sampled_from(["none", "none", "none", "lost", "late", "twice", "orphan", "swapped", "early"])
    )
    if damage == "lost":
        results.pop()
    elif damage == "late":
        results.insert(len(results) - 1, draw(st.sampled_from([U("wait"), S("note"), A("hm")])))
    elif damage == "twice":
        results.append(Message.tool(draw(texts), ids[0]))
    elif damage == "orphan":
        results.append(Message.tool(draw(texts), "nobody"))
    elif damage == "swapped":
        results.reverse()
    if damage == "early":
        return [*results, call]
    return [call, *results]


@st.composite
def histories(draw, max_turns=8):
    """Any history: a head or none, turns with and without tools, system notes, summaries, open ends."""
    messages = draw(st.lists(st.sampled_from([S(), D(), S("Be kind.")]), max_size=2))
    for _ in range(draw(st.integers(0, max_turns))):
        turn = draw(st.sampled_from(["talk", "talk", "tools", "tools", "users", "note", "summary"]))
        if turn == "talk":
            messages += [Message.user(draw(contents)), Message.assistant(draw(contents))]
        elif turn == "tools":
            messages += [Message.user(draw(texts))] * draw(st.integers(0, 1)) + draw(exchanges())
        elif turn == "users":
            messages += [Message.user(draw(contents)) for _ in range(draw(st.integers(1, 3)))]
        elif turn == "note":
            messages.append(Message.system(draw(texts)))
        else:
            messages.append(SUM(draw(texts), draw(st.sampled_from(["user", "assistant"]))))
    return messages
