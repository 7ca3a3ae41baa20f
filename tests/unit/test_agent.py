"""Tools, conversations and the agent's loop."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from typing import Annotated

import pytest
from pydantic import AfterValidator, Field, TypeAdapter

from ctxkit import (
    Agent,
    BudgetImpossible,
    ClearToolResults,
    ContextWindow,
    Conversation,
    KeepRecentMessages,
    Message,
    Reply,
    ToolCall,
    Usage,
    check,
    dump_messages,
    load_messages,
    prefix_reuse,
    run,
    tool,
)
from ctxkit.messages import load
from ctxkit.models.errors import EmptyReply, RanOutWhileThinking, RequestRefused
from tests.fakes import FakeModel
from tests.histories import shape


@tool
def calculator(expression: str) -> float:
    """Work out an expression.

    Only the four operations.
    """
    return {"200 * 0.15": 30.0}[expression]


@tool
async def weather(city: str, days: int = 1) -> dict:
    """The weather of a city."""
    return {"city": city, "days": days}


def calls(*calls):
    return Message.assistant(
        "", [ToolCall(f"c{i}", name, arguments) for i, (name, arguments) in enumerate(calls)]
    )


def asked(text="What is 15% of 200?"):
    talk = Conversation()
    talk.add_user(text)
    return talk


class TestTool:
    def test_the_schema_comes_from_annotations_and_docstring(self):
        assert weather.schema == {
            "type": "function",
            "function": {
                "name": "weather",
                "description": "The weather of a city.",
                "parameters": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 1}},
                    "required": ["city"],
                },
            },
        }
        assert calculator("200 * 0.15") == 30.0

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ({"expression": "200 * 0.15"}, "30.0"),
            ({}, "Error: wrong arguments for calculator: expression: Field required"),
            ({"expression": "1", "unit": "m"}, "unit: Extra inputs are not permitted"),
            ({"expression": "1 / 0"}, "Error: calculator failed: KeyError"),
        ],
    )
    def test_a_failure_is_a_result_that_says_so(self, arguments, says):
        assert says in run(calculator.run(arguments))

    def test_results_are_text(self):
        assert json.loads(run(weather.run({"city": "Chur"}))) == {"city": "Chur", "days": 1}

    def test_parameters_need_annotations(self):
        with pytest.raises(TypeError, match="'x' needs an annotation"):
            tool(lambda x: x)

        def spread(*values: int) -> int:
            return sum(values)

        def before(x: int, /) -> int:
            return x

        with pytest.raises(TypeError, match="values"):
            tool(spread)
        with pytest.raises(TypeError, match="x: a model gives arguments by name"):
            tool(before)
        with pytest.raises(TypeError, match="expected a function, got int"):
            tool(5)

    def test_what_annotated_says_is_shown_and_checked(self):
        @tool
        def tide(hours: Annotated[int, Field(ge=0, description="from now")] = 0) -> str:
            return f"in {hours} h"

        shown = tide.schema["function"]["parameters"]["properties"]["hours"]
        assert shown == {"type": "integer", "minimum": 0, "description": "from now", "default": 0}
        assert run(tide.run({})) == "in 0 h"
        assert run(tide.run({"hours": -1})).startswith("Error: wrong arguments for tide: hours: Input should")

    def test_parameters_may_have_the_names_of_pydantics_own(self):
        @tool
        def query(schema: str, _id: int, model_config: str = "plain") -> str:
            return f"{schema} {_id} {model_config}"

        assert query.schema["function"]["parameters"]["required"] == ["schema", "_id"]
        assert run(query.run({"schema": "tides", "_id": 7})) == "tides 7 plain"

    def test_a_check_of_an_argument_that_breaks_is_a_failed_call(self):
        @tool
        def tide(place: Annotated[str, AfterValidator(lambda name: {"Chur": "no sea"}[name])]) -> str:
            return place

        assert run(tide.run({"place": "Chur"})) == "no sea"
        assert run(tide.run({"place": "Bern"})).startswith("Error: tide failed: KeyError")

    def test_a_check_inside_the_tool_is_not_taken_for_wrong_arguments(self):
        @tool
        def parse(row: str) -> int:
            return TypeAdapter(int).validate_python(row)

        assert run(parse.run({"row": "tide"})).startswith("Error: parse failed: ValidationError")

    def test_a_tool_that_exits_is_a_failed_call(self):
        @tool
        def quits() -> str:
            sys.exit(2)

        assert run(quits.run({})) == "Error: quits failed: SystemExit: 2"


class TestAgent:
    def test_arguments_that_are_none_are_refused_at_once(self):
        with pytest.raises(TypeError, match=r"window: .* write ContextWindow\(8192\)"):
            Agent(FakeModel(), window=8192)
        with pytest.raises(TypeError, match=r"model: .* write OllamaModel\('llama3.2'\)"):
            Agent("llama3.2")
        with pytest.raises(TypeError, match=r"model: .* got type"):
            Agent(FakeModel)
        with pytest.raises(TypeError, match="tools: expected a list of tools, got Tool"):
            Agent(FakeModel(), calculator)
        with pytest.raises(TypeError, match=r"write Conversation\(messages\)"):
            run(Agent(FakeModel()).run([Message.user("Hi")]))


class TestLoop:
    def test_the_calculator(self):
        """Guide C's example: call and result stay in the history."""
        model = FakeModel(calls(("calculator", {"expression": "200 * 0.15"})), "It is 30.0.")
        talk = asked()
        result = run(Agent(model, [calculator]).run(talk))
        assert result.finished and result.reply.content == "It is 30.0."
        assert [m.role for m in talk.messages] == ["user", "assistant", "tool", "assistant"]
        assert talk.messages[2].content == "30.0"
        assert check(talk.messages) == []
        assert [len(c.sent) for c in result.calls] == [1, 3]
        assert model.offered[0] == (calculator.schema,)

    def test_parallel_calls_run_at_the_same_time_and_keep_their_order(self):
        both = threading.Barrier(2, timeout=10)

        @tool
        def first() -> str:
            both.wait()
            return "1"

        @tool
        def second() -> str:
            both.wait()
            return "2"

        talk = asked()
        run(Agent(FakeModel(calls(("second", {}), ("first", {})), "done"), [first, second]).run(talk))
        assert [m.content for m in talk.messages if m.role == "tool"] == ["2", "1"]

    def test_calls_that_share_an_id_each_keep_their_result(self):
        """Some servers give every call of a reply the same id; repair would drop the second with its work."""
        cities = {"Chur": "a", "Thun": "a_2", "Bern": "a", "Sion": "b"}
        twins = [ToolCall(call_id, "weather", {"city": city}) for city, call_id in cities.items()]
        talk = asked()
        result = run(Agent(FakeModel(Message.assistant("", twins), "Done."), [weather]).run(talk))
        assert check(talk.messages) == []
        assert [call.id for call in talk.messages[1].tool_calls] == ["a", "a_2", "a_3", "b"]
        told = [json.loads(message.content)["city"] for message in talk.messages if message.role == "tool"]
        assert told == list(cities)
        assert result.calls[1].sent == talk.messages[:-1]

    def test_an_unknown_tool_is_a_result_that_says_so(self):
        talk = asked()
        run(Agent(FakeModel(calls(("compass", {})), "Sorry."), [calculator]).run(talk))
        assert "no tool 'compass'. Tools: calculator" in talk.messages[2].content

    def test_max_steps_ends_it_with_a_sound_conversation(self):
        talk = asked()
        result = run(Agent(FakeModel(calls(("weather", {"city": "Chur"}))), [weather], max_steps=3).run(talk))
        assert not result.finished and len(result.calls) == 3
        assert shape(talk.messages) == "UCTCTCT"

    def test_transforms_change_what_is_sent_and_nothing_that_is_stored(self):
        talk = Conversation([Message(("user", "assistant")[i % 2], f"word {i}") for i in range(10)])
        talk.add_user("And now?")
        before = talk.messages
        model = FakeModel("Yes.")
        result = run(Agent(model, transforms=[ClearToolResults(), KeepRecentMessages(3)]).run(talk))
        assert talk.messages[:-1] == before
        assert len(model.requests[0]) == 3
        assert [d.action for d in result.calls[0].outcome.decisions].count("dropped") == 8

    def test_a_request_over_the_window_is_refused_before_it_is_sent(self):
        model, talk = FakeModel(), asked("word " * 500)
        with pytest.raises(BudgetImpossible) as caught:
            run(Agent(model, [calculator], window=ContextWindow(300)).run(talk))
        assert model.requests == [] and len(talk) == 1
        assert caught.value.tokens > 550

    def test_schemas_count_in_the_window(self):
        with pytest.raises(BudgetImpossible):
            run(Agent(FakeModel(), [weather] * 1, window=ContextWindow(60)).run(asked()))
        assert run(Agent(FakeModel(), window=ContextWindow(60)).run(asked())).finished

    def test_usage_and_reuse_are_recorded(self):
        model = FakeModel(
            calls(("weather", {"city": "Chur"})), Reply(Message.assistant("Sunny."), Usage(prompt_tokens=90))
        )
        result = run(Agent(model, [weather]).run(asked()))
        assert [c.usage.prompt_tokens for c in result.calls] == [None, 90]
        assert [c.reused for c in result.calls] == [
            0,
            prefix_reuse(result.calls[0].sent, result.calls[1].sent),
        ]
        assert result.calls[1].reused > 0

    @pytest.mark.parametrize(
        ("reply", "kind"),
        [
            ("", EmptyReply),
            ("\u200b", EmptyReply),
            ("<think>only", EmptyReply),
            (Message.assistant(None), EmptyReply),
            (Message.assistant([{"type": "thinking", "thinking": "only"}]), EmptyReply),
            (Reply(Message.assistant(""), done_reason="length", thinking="only"), RanOutWhileThinking),
            (Message.user("Hm."), TypeError),
            (Message.tool("30.0", "a"), TypeError),
        ],
    )
    def test_82_what_is_no_answer_is_not_stored_as_one(self, reply, kind):
        talk = asked()
        with pytest.raises(kind):
            run(Agent(FakeModel(reply)).run(talk))
        assert len(talk) == 1

    @pytest.mark.parametrize(
        ("content", "stored"),
        [
            ("<think>15 % of 200</think>30", "30"),
            (
                [{"type": "thinking", "thinking": "Easy."}, {"type": "text", "text": "30"}],
                [{"type": "text", "text": "30"}],
            ),
            (["<think>Easy.</think>30"], ["30"]),
            (
                [{"type": "image_url", "image_url": {"url": "data:,"}}],
                [{"type": "image_url", "image_url": {"url": "data:,"}}],
            ),
        ],
    )
    def test_82_what_was_thought_before_an_answer_is_not_stored(self, content, stored):
        talk = asked()
        result = run(Agent(FakeModel(Message.assistant(content))).run(talk))
        assert talk.messages[-1] == result.reply == Message.assistant(stored)
        assert result.calls[0].reply.message.content == content

    def test_i_thinking_parts_beside_a_call_stay_with_it(self):
        """Providers refuse one without the other; thinking in the text of a call is no such part."""
        thought = [{"type": "thinking", "thinking": "The tool knows.", "signature": "c2ln"}]
        steps = [
            Message.assistant(content, [ToolCall("a", "weather", {"city": "Chur"})])
            for content in (thought, "<think>The tool knows.</think>")
        ]
        talk = asked()
        run(Agent(FakeModel(*steps, "Sunny."), [weather]).run(talk))
        assert [message.content for message in talk.messages[1::2]] == [thought, "", "Sunny."]

    @pytest.mark.parametrize(
        "history", [[], [Message.system("Be brief.")], [Message.user("Hi"), Message.assistant("Hello!")]]
    )
    def test_93_with_nothing_to_answer_the_model_is_not_asked(self, history):
        model, talk = FakeModel(), Conversation(history)
        with pytest.raises(RequestRefused):
            run(Agent(model).run(talk))
        assert model.requests == [] and talk.messages == history

    def test_what_a_model_does_to_its_list_is_not_taken_for_what_was_sent(self):
        class Adapter(FakeModel):
            async def chat(self, messages, tools=()):
                messages.insert(0, Message.system("Mine."))
                return await super().chat(messages, tools)

        result = run(Agent(Adapter("30")).run(asked()))
        assert [message.role for message in result.calls[0].sent] == ["user"]

    def test_two_tools_of_one_name_are_refused(self):
        with pytest.raises(ValueError, match="weather"):
            Agent(FakeModel(), [weather, weather])


class TestStopping:
    def test_in_the_middle_of_a_tool(self):
        """What was finished is kept, what was not says so, and the conversation can go on."""

        async def story():
            going = asyncio.Event()

            @tool
            async def quick() -> str:
                """Done at once."""
                return "done"

            @tool
            async def endless() -> str:
                """Never done."""
                going.set()
                await asyncio.Event().wait()
                return ""

            talk = asked()
            agent = Agent(FakeModel(calls(("quick", {}), ("endless", {})), "On we go."), [quick, endless])
            task = asyncio.ensure_future(agent.run(talk))
            await going.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            stopped = talk.messages
            talk.add_user("Go on.")
            await agent.run(talk)
            return stopped, talk.messages

        stopped, after = run(story())
        assert check(stopped) == [] and check(after) == []
        assert stopped[2].content == "done"
        assert stopped[3].kind == "placeholder" and "Stopped" in stopped[3].content
        assert after[-1].content == "On we go."

    @pytest.mark.parametrize("fault", [ConnectionError("gone"), asyncio.CancelledError()])
    def test_a_failing_model_changes_nothing(self, fault):
        talk = asked()
        with pytest.raises(type(fault)):
            asyncio.run(Agent(FakeModel(fault)).run(talk))
        assert len(talk) == 1


class TestMeanwhile:
    """45: what the user says while the model answers stays behind the answer to what came before it."""

    def gated(self, *answers):
        inside, go = asyncio.Event(), asyncio.Event()

        class Gate(FakeModel):
            async def chat(self, messages, tools=()):
                inside.set()
                await go.wait()
                return await super().chat(messages, tools)

        return Gate(*answers), inside, go

    def test_while_the_model_answers(self):
        async def story():
            model, inside, go = self.gated("30", "Seven.")
            talk = asked()
            task = asyncio.ensure_future(Agent(model).run(talk))
            await inside.wait()
            talk.add_user("And of 50?")
            go.set()
            await task
            first = [message.content for message in talk.messages]
            await Agent(model).run(talk)
            return first, [message.content for message in talk.messages], model

        first, after, model = run(story())
        assert first == ["What is 15% of 200?", "30", "And of 50?"]
        assert after == [*first, "Seven."] and [len(request) for request in model.requests] == [1, 3]

    def test_while_a_tool_runs(self):
        async def story():
            going, go = asyncio.Event(), asyncio.Event()

            @tool
            async def slow() -> str:
                going.set()
                await go.wait()
                return "done"

            model, talk = FakeModel(calls(("slow", {}), ("slow", {})), "Stopped."), asked()
            task = asyncio.ensure_future(Agent(model, [slow]).run(talk))
            await going.wait()
            talk.add_user("Stop.")
            go.set()
            await task
            return talk, model

        talk, model = run(story())
        assert shape(talk.messages) == "UCTTUA" and check(talk.messages) == []
        assert model.requests[1] == talk.messages[:-1]

    def test_of_two_runs_each_answers_what_it_was_asked(self):
        async def story():
            model, inside, go = self.gated("first", "second")
            talk = asked("one")
            early = asyncio.ensure_future(Agent(model).run(talk))
            await inside.wait()
            talk.add_user("two")
            late = asyncio.ensure_future(Agent(model).run(talk))
            await asyncio.sleep(0)
            go.set()
            await asyncio.gather(early, late)
            return [message.content for message in talk.messages]

        assert run(story()) == ["one", "first", "two", "second"]


class TestConversation:
    def test_the_list_is_a_copy(self):
        talk = asked()
        talk.messages.append("lost")
        assert len(talk) == 1

    def test_client_objects_become_values(self):
        from ollama import Message as OllamaMessage

        talk = Conversation()
        talk.append(OllamaMessage(role="assistant", content="hi"))
        assert talk.messages == [Message.assistant("hi")]
        with pytest.raises(TypeError, match="int"):
            talk.append(5)
        assert len(talk) == 1

    def test_messages_without_ids_are_read_as_a_part_of_their_conversation(self):
        """Ollama's wire: calls and results have no ids, and each call needs one that no other has."""
        asks = {"role": "assistant", "tool_calls": [{"function": {"name": "weather", "arguments": {}}}] * 2}
        tells = {"role": "tool", "tool_name": "weather", "content": "Sunny."}
        wire = [{"role": "user", "content": "And today?"}, asks, tells, tells, asks, tells, tells]
        talk = Conversation()
        for message in wire:
            talk.append(message)
        assert check(talk.messages) == []
        assert len({call.id for message in talk.messages for call in message.tool_calls}) == 4
        assert talk.messages == load_messages(wire)

    def test_each_message_is_read_once(self, monkeypatch):
        """2,000 appended dicts took 18 s when each one read the whole conversation again."""
        read = []
        monkeypatch.setattr(load, "unpacked", lambda placed: read.append(placed[0]) or placed)
        talk = Conversation([Message.system("Be brief.")])
        for number in range(50):
            talk.append({"role": "user", "content": f"question {number}"})
            talk.append(Message.assistant(f"answer {number}"))
        assert read == [f"messages[{1 + 2 * number}]" for number in range(50)]
        assert len(talk) == 101

    def test_what_was_refused_leaves_no_trace(self):
        asks = {"role": "assistant", "tool_calls": [{"function": {"name": "weather", "arguments": {}}}]}
        broken = {
            **asks,
            "tool_calls": [*asks["tool_calls"], {"function": {"name": "weather", "arguments": "{"}}],
        }
        talk = Conversation([Message.user("And today?")])
        with pytest.raises(ValueError, match=r"^messages\[1\]\.tool_calls\[1\]"):
            talk.append(broken)
        talk.append(asks)
        talk.append({"role": "tool", "tool_name": "weather", "content": "Sunny."})
        wire = [{"role": "user", "content": "And today?"}, asks, {"role": "tool", "tool_name": "weather"}]
        assert talk.messages == load_messages([*wire[:2], {**wire[2], "content": "Sunny."}])

    @pytest.mark.parametrize("as_dict", [False, True])
    def test_two_calls_of_one_id_are_refused_and_an_id_of_an_earlier_turn_is_not(self, as_dict):
        twins = Message.assistant("", [ToolCall("a", "weather", {}), ToolCall("a", "weather", {})])
        talk = Conversation(
            [Message.user("Chur?"), *[calls(("weather", {})), Message.tool("Fog.", "c0")] * 2]
        )
        assert len(talk) == 5
        with pytest.raises(ValueError, match="two calls have the id 'a'"):
            talk.append(dump_messages([twins])[0] if as_dict else twins)
        assert len(talk) == 5
        talk.append(calls(("weather", {})))
        talk.append(Message.tool("Snow.", "c0"))
        assert check(talk.messages) == []


def test_prefix_reuse_counts_the_common_beginning():
    talk = [Message.user("a"), Message.assistant("b"), Message.user("c")]
    assert prefix_reuse(talk, talk[1:]) == 0
    assert prefix_reuse([], talk) == 0
    assert prefix_reuse(talk[:2], talk) == prefix_reuse(talk, talk[:2]) == 10
