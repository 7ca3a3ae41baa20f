"""A long conversation with a running summary: `SummaryThread` beside LangGraph's own graph, in one run.

Both keep one thread in an SQLite file, with the same model that answers and summarises at once, the same
trigger (more than 6 messages) and the same rule (the newest 2 stay). LangGraph's side is guide B's graph,
written anew, with its `SqliteSaver`; both have the same turns, one after the other. Ten turns with a tool
follow, where the guide's rule cuts between a call and its result. Last comes a long thread of the kit alone:
the time per turn of its last thousand, beside the first thousand of a new one, taken in turns with them.

    python benchmarks/threads.py [turns of the long thread]
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from report import Table

from ctxkit import Message, Reply, SqliteStore, SummaryThread, ToolCall, check, tool
from ctxkit.transforms.summaries.transcript import BEGIN

TURNS, SHARE = 10_000, 1_000
BESIDE, WITH_TOOL = 601, 10  # the last of 601 ends in a summary; a turn takes LangGraph 20 ms, so not more
GROWTH = 1.5
SUMMARY = "The user is Ada, a lighthouse keeper, who reads papers and asks about the ferry."


def question(turn: int) -> str:
    return f"turn {turn}: when does the ferry to pier {turn % 7} leave, and is there room for a bicycle?"


def answer(turn: int) -> str:
    return f"It leaves at {turn % 24}:{turn % 60:02d}, and there is room for a bicycle."


@tool
def timetable(pier: int) -> str:
    """Look up when the ferry leaves."""
    return f"Pier {pier}: 14:20"


class Ours:
    """The kit's thread."""

    name = "ctxkit"

    def __init__(self, path: Path, use_tools: bool) -> None:
        self.summaries = self.removed = self.turns = 0
        self.use_tools, self.broken = use_tools, 0
        self.thread = SummaryThread(self, SqliteStore(path), "t", tools=[timetable] if use_tools else [])

    async def chat(self, messages: Any, tools: Any = ()) -> Reply:
        if BEGIN in str(messages[0].content):
            self.summaries += 1
            return Reply(Message.assistant(SUMMARY))
        self.broken += bool(check(messages))
        if self.use_tools and messages[-1].role == "user":
            return Reply(Message.assistant("", [ToolCall(f"c{self.turns}", "timetable", {"pier": 1})]))
        return Reply(Message.assistant(answer(self.turns)))

    async def turn(self) -> None:
        async for event in self.thread.send(question(self.turns)):
            self.removed += len(event.removed)
        self.turns += 1

    def close(self) -> None:
        self.thread.store.close()

    def kept(self) -> int:
        return len(self.thread.state.messages)


class State(MessagesState):
    summary: str


class Theirs:
    """Guide B's graph on LangGraph."""

    name = "langgraph"

    def __init__(self, path: Path, use_tools: bool) -> None:
        self.summaries = self.removed = self.turns = self.broken = 0
        self.use_tools = use_tools
        self.config: Any = {"configurable": {"thread_id": "t"}}
        self.saver = SqliteSaver.from_conn_string(str(path))
        graph = StateGraph(State)
        graph.add_node("conversation", self.conversation)
        graph.add_node("tools", self.run_tool)
        graph.add_node("summarise", self.summarise)
        graph.add_edge(START, "conversation")
        graph.add_conditional_edges("conversation", self.condition, ["tools", "summarise", END])
        graph.add_edge("tools", "conversation")
        graph.add_edge("summarise", END)
        self.graph = graph.compile(checkpointer=self.saver.__enter__())

    def conversation(self, state: State) -> Any:
        summary = state.get("summary", "")
        notes: list[BaseMessage] = [SystemMessage(f"Summary so far: {summary}")] if summary else []
        sent = [*notes, *state["messages"]]
        self.broken += bool(check([shape(message) for message in sent]))
        if self.use_tools and sent[-1].type == "human":
            call = {"name": "timetable", "args": {"pier": 1}, "id": f"c{self.turns}"}
            return {"messages": [AIMessage("", tool_calls=[call])]}
        return {"messages": [AIMessage(answer(self.turns))]}

    def run_tool(self, state: State) -> Any:
        [call] = state["messages"][-1].tool_calls  # type: ignore[union-attr]
        return {"messages": [ToolMessage(timetable(call["args"]["pier"]), tool_call_id=call["id"])]}

    def condition(self, state: State) -> str:
        if getattr(state["messages"][-1], "tool_calls", ()):
            return "tools"
        return "summarise" if len(state["messages"]) > 6 else END

    def summarise(self, state: State) -> Any:
        self.summaries += 1
        gone = [RemoveMessage(id=str(message.id)) for message in state["messages"][:-2]]
        self.removed += len(gone)
        return {"summary": SUMMARY, "messages": gone}

    async def turn(self) -> None:
        for _ in self.graph.stream({"messages": [HumanMessage(question(self.turns))]}, self.config):
            pass
        self.turns += 1

    def close(self) -> None:
        self.saver.__exit__(None, None, None)

    def kept(self) -> int:
        return len(self.graph.get_state(self.config).values["messages"])


def shape(message: BaseMessage) -> dict[str, Any]:
    """A LangChain message in OpenAI's shape."""
    role = {"human": "user", "ai": "assistant"}.get(message.type, message.type)
    fields: dict[str, Any] = {"role": role, "content": message.content}
    if isinstance(message, ToolMessage):
        fields["tool_call_id"] = message.tool_call_id
    if isinstance(message, AIMessage) and message.tool_calls:
        fields["tool_calls"] = [
            {"id": call["id"], "function": {"name": call["name"], "arguments": call["args"]}}
            for call in message.tool_calls
        ]
    return fields


async def timed(side: Ours | Theirs, turns: int = 1) -> float:
    """Milliseconds a turn."""
    start = time.perf_counter()
    for _ in range(turns):
        await side.turn()
    return 1000 * (time.perf_counter() - start) / turns


def growth(times: list[float]) -> float:
    """The time of the last quarter, as a multiple of the first's."""
    quarter = len(times) // 4
    return sum(times[-quarter:]) / sum(times[:quarter])


def size(folder: str) -> float:
    """Megabytes of the files in a folder."""
    return sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6


async def beside(table: Table, turns: int, use_tools: bool) -> None:
    """The same turns on both sides, one after the other."""
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        ours, theirs = (
            Ours(Path(one) / "threads.db", use_tools),
            Theirs(Path(other) / "threads.db", use_tools),
        )
        pairs = [(await timed(ours), await timed(theirs)) for _ in range(turns)]
        our_times, their_times = ([pair[place] for pair in pairs] for place in (0, 1))
        table.heading(f"{turns:,} turns{' with a tool' if use_tools else ''}")
        table.row("messages left", ours.kept(), theirs.kept(), exactly=3 if use_tools else 2)
        table.row("messages removed", ours.removed, theirs.removed, exactly=removed(ours, turns, use_tools))
        table.row(
            "summary calls", ours.summaries, theirs.summaries, exactly=None if use_tools else (turns - 1) // 3
        )
        table.row("requests that a provider refuses", ours.broken, theirs.broken, exactly=0)
        table.row("on disk", size(one), size(other), unit=" MB", at_most=size(other), because="LangGraph's")
        mean, limit = sum(our_times) / turns, sum(their_times) / turns
        table.row("time a turn", mean, limit, unit=" ms", at_most=limit, because="LangGraph's")
        if not use_tools:
            table.row("last quarter / first", growth(our_times), growth(their_times), at_most=GROWTH)
        ours.close()
        theirs.close()


def removed(side: Ours, turns: int, use_tools: bool) -> int:
    """What must have gone: all messages but those that are left."""
    return (4 if use_tools else 2) * turns - side.kept()


async def alone(table: Table, turns: int) -> None:
    """A long thread of the kit, and a new one beside its end."""
    with TemporaryDirectory() as long, TemporaryDirectory() as new:
        side, other = (Ours(Path(folder) / "threads.db", False) for folder in (long, new))
        share = min(SHARE, turns // 2)
        whole = await timed(side, turns - share)
        # In turns, so that whatever else the machine does is added to both.
        pairs = [(await timed(other), await timed(side)) for _ in range(share)]
        first, last = (sum(times) / share for times in zip(*pairs, strict=True))
        table.heading(f"{turns:,} turns, one thread")
        table.row("messages left", side.kept())
        table.row(
            "summary calls", side.summaries, exactly=(turns - 1) // 3, because="one for each 6 messages"
        )
        table.row("on disk", size(long), unit=" MB")
        table.row("turns before the last, each", whole, unit=" ms")
        table.row(f"first {share:,} turns, each", first, unit=" ms")
        table.row(f"last {share:,} turns, each", last, unit=" ms")
        table.row("last / first", last / first, at_most=GROWTH)
        side.close()
        other.close()


def main() -> None:
    table = Table(Ours.name, Theirs.name)
    asyncio.run(beside(table, BESIDE, use_tools=False))
    asyncio.run(beside(table, WITH_TOOL, use_tools=True))
    asyncio.run(alone(table, int(sys.argv[1]) if len(sys.argv) > 1 else TURNS))
    table.finish()


if __name__ == "__main__":
    main()
