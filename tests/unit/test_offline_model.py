"""The offline model as a chat model: reading, calling tools, and what it must never take for evidence."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ctxkit import ChatModel, Message, ToolCall, check, count_tokens, load_sample, run
from ctxkit.messages.text import content_text
from ctxkit.models.offline import OfflineModel
from ctxkit.transforms import KeepRecentMessages

CALCULATOR = {
    "type": "function",
    "function": {
        "name": "calculator",
        "description": "Works out an arithmetic expression.",
        "parameters": {
            "type": "object",
            "properties": {"expression": {"type": "string"}},
            "required": ["expression"],
        },
    },
}
READ_LOG = {"type": "function", "function": {"name": "read_log", "description": "The log of the last run."}}
LOG = "\n".join(["starting", *["waiting"] * 2_000, "error: the credentials of user K. Marlow are missing"])


class Tool:
    """A tool as the agent has it: an object with a schema."""

    def __init__(self, name, description, **properties):
        parameters = {"type": "object", "properties": properties, "required": list(properties)}
        function = {"name": name, "description": description, "parameters": parameters}
        self.schema = {"type": "function", "function": function}


WEATHER = Tool("get_weather", "Tells the weather of a town.", town={"type": "string"})


def reply(*messages, tools=()):
    return run(OfflineModel().chat(messages, tools)).message


def text(*messages, tools=()):
    return content_text(reply(*messages, tools=tools))


def calls(*messages, tools):
    return [(call.name, call.arguments) for call in reply(*messages, tools=tools).tool_calls]


def after_reading_the_log(*more):
    question = Message.user("Explain the error")
    call = reply(question, tools=[READ_LOG])
    return [question, call, Message.tool(LOG, call.tool_calls[0].id, "read_log"), *more]


def test_it_is_a_chat_model_with_a_name_for_caches():
    assert isinstance(OfflineModel(), ChatModel)
    assert OfflineModel().name == "offline"


def test_usage_is_what_the_counter_counts():
    history = [Message.user("The bus leaves at 10:15."), Message.user("When does the bus leave?")]
    got = run(OfflineModel().chat(history, [CALCULATOR]))
    assert got.usage.prompt_tokens is not None and got.usage.prompt_tokens > count_tokens(history)
    plain = run(OfflineModel().chat(history))
    assert plain.usage.prompt_tokens == count_tokens(history)
    assert plain.usage.completion_tokens and plain.usage.completion_tokens >= count_tokens(
        content_text(plain.message)
    )
    assert plain.done_reason == "stop"


@pytest.mark.parametrize("history", [[], [Message.system("Be brief.")], [Message.assistant("Hello.")]])
def test_without_a_question_it_says_so(history):
    assert text(*history) == "There is no question in the messages I was sent."


def test_the_dolphin_question_is_answered_from_message_1_and_only_from_there():
    chat = load_sample("dolphins")
    answer = text(*chat)
    assert answer.startswith('Message 1 says: "')
    assert "sponge" in answer and "snout" in answer and "protection" in answer
    window = run(KeepRecentMessages(10)(chat))
    assert text(*window) == "The answer is not in the messages I was sent."


def test_a_very_long_message_is_read_to_its_end():
    diary = "".join(f"day {day:05d}: nothing to write.\n" for day in range(5_000))
    told = Message.user(diary + "The safe opens with 7718.")
    assert text(told, Message.user("With what does the safe open?")).endswith('"The safe opens with 7718."')
    assert "not in the messages" in text(told, Message.user("What is the capital of Switzerland?"))


def test_it_knows_a_name_that_it_was_told():
    told = [Message.user("Hi, I'm Lena and I repair clocks."), Message.assistant("Welcome!")]
    assert (
        text(*told, Message.user("What's my name?")) == 'Message 0 says: "Hi, I\'m Lena and I repair clocks."'
    )
    assert "not in the messages" in text(Message.user("I'm late."), Message.user("What's my name?"))


def test_a_statement_is_taken_note_of_and_not_answered():
    assert text(Message.user("Hi, I'm Lena.")).startswith("I have read this.")


def test_a_question_is_no_evidence_and_neither_is_a_former_refusal():
    asked = Message.user("When does the ferry leave?")
    refused = reply(asked)
    assert text(asked, refused, asked) == "The answer is not in the messages I was sent."
    guessed = Message.user("Does the ferry leave at 10:15?")
    assert (
        text(guessed, Message.assistant("Let me see."), asked)
        == "The answer is not in the messages I was sent."
    )


BUS = Message.user("The bus leaves at 10:15.")
UNSURE = 'I am not sure that the answer is in the messages I was sent. Message {} says: "{}"'


def test_it_says_when_it_is_not_sure_of_what_it_quotes():
    sure = text(BUS, Message.user("When does the bus leave?"))
    unsure = text(BUS, Message.user("When does the morning bus leave?"))
    assert sure == 'Message 0 says: "The bus leaves at 10:15."'
    assert unsure == UNSURE.format(0, "The bus leaves at 10:15.")


def test_what_takes_comparing_or_reckoning_is_never_sure():
    told = Message.user("Ada's goat ate 2 hats, Bob's goat ate 5. A small goat is at the gate.")
    for question in "Which goat ate the most hats?", "Which is the smallest goat?", "2+2?":
        assert text(told, Message.user(question)).startswith("I am not sure"), question
    assert text(told, Message.user("And how long?")) == "The answer is not in the messages I was sent."


def test_of_two_questions_each_says_how_sure_it_is():
    told = Message.user("The bus leaves at 10:15. The boat costs 7 euros.")
    both = Message.user("What does the boat cost, and when does the morning bus leave?")
    assert text(told, both) == (
        'Message 0 says: "The boat costs 7 euros." I am not sure of: "when does the morning bus leave?" '
        'Message 0 says: "The bus leaves at 10:15."'
    )
    other = Message.user("When does the morning bus leave, and who steers the boat?")
    assert text(told, other) == (
        'I am not sure of: "When does the morning bus leave" Message 0 says: "The bus leaves at 10:15." '
        'Not in the messages I was sent: "who steers the boat?"'
    )


def test_a_tool_is_called_rather_than_an_unsure_answer_given():
    timetable = Tool("timetable", "When the morning bus leaves.")
    asked = Message.user("When does the morning bus leave?")
    assert calls(BUS, asked, tools=[timetable]) == [("timetable", {})]
    assert calls(BUS, Message.user("When does the bus leave?"), tools=[timetable]) == []


def test_tools_in_other_shapes_have_their_arguments():
    fields = {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}
    asked = Message.user("What is the weather in Ayr?")
    for given in "parameters", "input_schema", "inputSchema":
        tool = {"name": "get_weather", "description": "Tells the weather of a town.", given: fields}
        assert calls(asked, tools=[tool]) == [("get_weather", {"town": "Ayr"})], given


def test_what_it_was_not_sure_of_is_no_evidence_when_it_is_asked_again():
    asked = Message.user("When does the morning bus leave?")
    unsure = reply(BUS, asked)
    assert text(BUS, asked, unsure, asked) == UNSURE.format(0, "The bus leaves at 10:15.")
    assert text(asked, unsure, asked) == "The answer is not in the messages I was sent."
    both = Message.user('What does the boat cost, and when does the "morning" bus leave?')
    half = reply(BUS, Message.user("The boat costs 7 euros."), both)
    assert "I am not sure of: \"when does the 'morning' bus leave?\" Message 0" in content_text(half)
    assert "10:15" not in text(half, asked)
    assert "7 euros" in text(half, Message.user("What does the boat cost?"))


def test_those_who_talk_may_be_called_the_user_and_the_assistant():
    talk = [
        Message.user("My cat is called Plum. She won't eat. What can I do?"),
        Message.assistant("I'd try warm broth for the cat."),
    ]
    assert "Plum" in text(*talk, Message.user("What is the user's cat called?"))
    assert "broth" in text(*talk, Message.user("What did the assistant suggest for the cat?"))


def test_what_is_told_of_the_user_in_these_words_is_found_as_well():
    told = Message.system("The user's cat is called Plum. The assistant manager earns 40 euros.")
    assert text(told, Message.user("What is the user's cat called?")).endswith(
        '"The user\'s cat is called Plum."'
    )
    assert "40 euros" in text(told, Message.user("What does the assistant manager earn?"))
    both = Message.user("My guide costs 20 euros. The user's guide costs 12 euros.")
    assert "12 euros" in text(both, Message.user("What does the user's guide cost?"))


def test_according_to_somebody_asks_for_what_he_said():
    talk = [Message.user("The pump costs 90 euros."), Message.assistant("The pump costs 120 euros.")]
    for who, index in ("user", 0), ("assistant", 1):
        for question in (
            f"What does the pump cost, according to the {who}?",
            f"According to the {who}, what does the pump cost?",
        ):
            assert text(*talk, Message.user(question)).startswith(f"Message {index} says: ")
            assert "euros" not in text(talk[1 - index], Message.user(question))


def test_a_former_quotation_counts_for_what_it_quotes():
    asked = Message.user("When does the ferry leave?")
    quoted = reply(Message.user("The ferry leaves at 10:15."), asked)
    assert text(Message.user("Thanks."), quoted, asked) == 'Message 1 says: ""The ferry leaves at 10:15.""'


def test_each_part_of_a_question_is_answered_where_its_answer_stands():
    told = [Message.user("The ferry leaves at 10:15. The pier is closed because of the storm.")]
    both = text(*told, Message.user("When does the ferry leave, and why is the pier closed?"))
    assert "10:15" in both and "storm" in both
    one = text(*told, Message.user("When does the ferry leave, and where is the lighthouse?"))
    assert "10:15" in one and "storm" not in one
    assert one.endswith('Not in the messages I was sent: "where is the lighthouse?"')


def test_an_answer_may_lean_on_the_question_before_it():
    told = [Message.user("When does the ferry leave?"), Message.assistant("At 10:15.")]
    assert text(*told, Message.user("When does the ferry leave?")) == 'Message 1 says: "At 10:15."'


def test_a_result_speaks_of_its_own_call_only():
    pair = [ToolCall("a", "weather", {"town": "Oslo"}), ToolCall("b", "weather", {"town": "Bergen"})]
    told = [
        Message.user("How is the weather in Oslo and in Bergen?"),
        Message.assistant("", pair),
        Message.tool("rain, 9 degrees", "a"),
        Message.tool("sun, 17 degrees", "b"),
        Message.assistant("Wet and dry."),
    ]
    assert (
        text(*told, Message.user("How many degrees does Bergen have?")) == 'Message 3 says: "sun, 17 degrees"'
    )


def test_a_sum_goes_to_the_calculator_and_its_result_is_the_answer():
    question = Message.user("What is 15% of 200?")
    asked = reply(question, tools=[CALCULATOR])
    [call] = asked.tool_calls
    assert (call.name, call.arguments) == ("calculator", {"expression": "0.15 * 200"})
    assert check([question, asked, Message.tool("30.0", call.id)]) == []
    answered = reply(question, asked, Message.tool("30.0", call.id), tools=[CALCULATOR])
    assert answered == Message.assistant('Message 2 says: "30.0"')


def test_two_sums_are_two_calls_with_ids_of_their_own():
    asked = reply(*load_sample("calculator")[:6], tools=[CALCULATOR])
    assert [call.arguments["expression"] for call in asked.tool_calls] == ["0.2 * 80", "0.25 * 60"]
    taken = {call.id for message in load_sample("calculator")[:6] for call in message.tool_calls}
    assert len({call.id for call in asked.tool_calls} | taken) == 2 + len(taken)


@pytest.mark.parametrize(
    "question, expression",
    [
        ("What is 12 times 1,000?", "12 * 1000"),
        ("Work out (3 + 4) * 2.5", "(3 + 4) * 2.5"),
        ("7.5% of 80?", "0.075 * 80"),
    ],
)
def test_a_sum_in_words_or_signs_becomes_an_expression(question, expression):
    assert calls(Message.user(question), tools=[CALCULATOR]) == [("calculator", {"expression": expression})]


def test_a_tool_is_called_for_each_thing_that_is_named():
    question = Message.user("How is the weather in Oslo and in New York?")
    wanted = [("get_weather", {"town": "Oslo"}), ("get_weather", {"town": "New York"})]
    assert calls(question, tools=[CALCULATOR, WEATHER]) == wanted


@pytest.mark.parametrize("question", ["What is the capital of Switzerland?", "How is the weather?", "Hello!"])
def test_no_tool_is_called_when_none_is_asked_for_or_an_argument_is_missing(question):
    assert calls(Message.user(question), tools=[CALCULATOR, WEATHER]) == []


def test_a_tool_without_a_schema_is_named():
    with pytest.raises(TypeError, match=r"tools\[1\]: expected a tool's schema"):
        reply(Message.user("What is 2 + 2?"), tools=[CALCULATOR, object()])


def test_the_log_is_read_once_and_the_error_explained_from_it():
    question, call, result = after_reading_the_log()
    assert [(c.name, c.arguments) for c in call.tool_calls] == [("read_log", {})]
    answer = reply(question, call, result, tools=[READ_LOG])
    assert answer.tool_calls == ()
    assert content_text(answer) == 'Message 2 says: "error: the credentials of user K. Marlow are missing"'


def test_which_line_repeats_is_answered_from_the_window_without_a_call():
    talk = after_reading_the_log()
    talk += [reply(*talk, tools=[READ_LOG]), Message.user("Which line repeats? Don't call the tool again.")]
    answer = reply(*talk, tools=[READ_LOG])
    assert answer.tool_calls == ()
    assert content_text(answer) == 'Message 2 says: "waiting" It stands there 2,000 times.'


def test_a_tool_is_not_called_when_that_is_forbidden():
    question = Message.user("Explain the error, but do not call any tool.")
    assert text(question, tools=[READ_LOG]) == "The answer is not in the messages I was sent."
    assert calls(question, tools=[READ_LOG]) == []


def test_what_the_window_holds_is_read_and_not_fetched_again():
    talk = after_reading_the_log()
    talk += [reply(*talk, tools=[READ_LOG]), Message.user("Explain the error")]
    assert "K. Marlow" in text(*talk, tools=[READ_LOG])


def test_hostile_text_is_quoted_and_never_followed():
    told = Message.user('The code is <script>alert("x")</script> {{ 7 * 7 }} $x$.')
    assert text(told, Message.user("What is the code?")) == f'Message 0 says: "{told.content}"'


def test_importing_it_loads_no_client_and_no_vocabulary():
    heavy = {"httpx", "ollama", "tiktoken", "jinja2", "pydantic"}
    program = f"import sys, ctxkit.models.offline; print(sorted({heavy} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "mark", ["[repeated , times]", f"[repeated {'9' * 99} times]", "<<<<<<<< conversation"]
)
def test_a_line_that_only_looks_like_a_mark_is_text(mark):
    log = f"starting\nwaiting {mark}\nwaiting\nwaiting"
    answer = text(Message.user(log), Message.user("Which line repeats?"))
    assert answer == 'Message 0 says: "waiting" It stands there 2 times.'
