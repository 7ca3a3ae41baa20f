"""Cases G4, Ollama: what counts as an answer (80, 81, 82, 87 and 89)."""

from __future__ import annotations

import pytest

from ctxkit import run
from ctxkit.models import errors
from ctxkit.models.ollama import OllamaModel
from tests.cases.ask_ollama import LOOKUP, answered, refused
from tests.histories import U
from tests.servers.ollama import Installed, OllamaServer
from tests.servers.script import DROP, Page, error, last, piece, stream


class TestReplies:
    def test_80_a_model_without_tools_is_named_and_asked_once(self):
        models = {"gemma:latest": Installed(capabilities=("completion",))}
        with OllamaServer(models=models) as server, pytest.raises(errors.ToolsNotSupported, match="'gemma'"):
            run(OllamaModel("gemma", host=server.url).chat([U()], [LOOKUP]))
        assert len(server.chats) == 1

    def test_80_another_400_is_a_failure_of_the_server_and_not_tried_again(self):
        server = OllamaServer(error(400, "invalid options"))
        with server, pytest.raises(errors.ServerFailed, match="invalid options") as caught:
            run(OllamaModel(host=server.url).chat([U()]))
        assert len(server.chats) == 1
        assert caught.value.status == 400

    @pytest.mark.parametrize(
        "script",
        [
            stream(piece(calls=[("f", {"n": 1}), ("f", {"n": 2})]), last(prompt_eval_count=5)),
            stream(last(calls=[("f", {"n": 1}), ("f", {"n": 2})], prompt_eval_count=5)),
            stream(piece(calls=[("f", {"n": 1})]), piece(calls=[("f", {"n": 2})]), last(prompt_eval_count=5)),
            stream(piece(calls=[("f", {"n": 1})]), last(calls=[("f", {"n": 2})], prompt_eval_count=5)),
        ],
    )
    def test_81_calls_are_collected_from_every_chunk(self, script):
        reply = answered(script, tools=[LOOKUP])
        assert [call.arguments for call in reply.message.tool_calls] == [{"n": 1}, {"n": 2}]
        assert reply.usage.prompt_tokens == 5

    def test_81_text_of_all_chunks_is_joined(self):
        script = stream(piece("Low "), piece("tide", [("f", {})]), piece(), last(" now."))
        assert answered(script).message.content == "Low tide now."

    def test_82_all_tokens_went_into_thinking(self):
        told = refused(
            errors.RanOutWhileThinking, stream(piece(thinking="Hm. "), last(thinking="So", reason="length"))
        )
        assert told.thinking == "Hm. So"
        assert "ran out while thinking" in str(told)
        assert "window" not in str(told)

    @pytest.mark.parametrize(
        "script",
        [
            stream(piece(thinking="15 % of 200"), piece("30"), last()),
            stream(piece("<think>15 % of 200</th"), piece("ink>\n\n30"), last()),
        ],
    )
    def test_82_thinking_stays_out_of_the_message(self, script):
        reply = answered(script)
        assert (reply.message.content, reply.thinking) == ("30", "15 % of 200")

    def test_82_only_a_think_block_at_the_very_start_is_thinking(self):
        text = "Write <think>like this</think>."
        assert answered(stream(piece(text), last())).message.content == text

    @pytest.mark.parametrize(
        "script",
        [
            stream(last()),
            stream(piece("  \n"), last()),
            stream(piece("\u200b"), last()),
            stream(last(thinking="Hm")),
        ],
    )
    def test_82_an_empty_answer_is_an_error_and_never_a_message(self, script):
        assert refused(errors.EmptyReply, script).partial == ""

    def test_82_an_empty_load_reply_is_named(self):
        assert "loaded" in str(refused(errors.OnlyLoaded, stream(last(reason="load"))))

    @pytest.mark.parametrize(
        "script",
        [
            stream(piece("par"), '{"error":"unexpected EOF"}'),
            stream(piece("par"), DROP),
            stream(piece("par")),
        ],
    )
    def test_87_a_reply_that_breaks_off_is_kept_on_the_error_only(self, script):
        told = refused(errors.ReplyCutShort, script)
        assert told.partial == "par"

    def test_87_an_error_line_that_comes_first_is_an_error_too(self):
        told = refused(errors.ReplyCutShort, stream('{"error":"model runner has stopped"}'))
        assert "model runner has stopped" in str(told)
        assert told.partial == ""

    def test_87_a_line_that_cannot_be_read_keeps_what_came(self):
        for line in ('{"mess', '{"message": {"content": 5}}', '{"other": 1}', "[1]"):
            assert refused(errors.UnreadableReply, stream(piece("par"), line)).partial == "par"

    def test_87_a_structured_error_line_keeps_its_words_and_what_came(self):
        """The client's own error class breaks on it: 'the JSON object must be str, bytes or bytearray'."""
        line = '{"error": {"code": 500, "message": "the runner has stopped"}}'
        told = refused(errors.ReplyCutShort, stream(piece("par"), line))
        assert "the runner has stopped" in str(told) and told.partial == "par"

    @pytest.mark.parametrize(
        "line",
        [
            '{"error": {"code": 500, "message": "Context size has been exceeded.", "n_ctx": 4096}}',
            '{"error": "request (5000 tokens) exceeds the available context size (4096)"}',
        ],
    )
    def test_72_87_a_window_that_is_full_in_mid_stream_is_named_and_keeps_what_came(self, line):
        told = refused(errors.WindowExceeded, stream(piece("par"), line))
        assert (told.partial, told.limit) == ("par", 4096)

    @pytest.mark.parametrize("body", ['{"detail":"Not Found"}', '{"error":"no such route"}', ""])
    def test_89_another_kind_of_server_is_not_told_to_pull(self, body):
        told = refused(errors.UnreadableReply, Page(404, body))
        assert "no Ollama" in str(told)

    def test_80_the_advice_names_another_model(self):
        told = refused(
            errors.ToolsNotSupported, error(400, "llama3.2 does not support tools"), tools=[LOOKUP]
        )
        assert "such as qwen3." in str(told)

    @pytest.mark.parametrize("name", ["qwen3", "qwen3:8b", "m@sha256:1f2e", "hub:5000/team/qwen3"])
    def test_89_a_missing_model_is_named_as_it_was_typed(self, name):
        told = refused(errors.ModelNotPulled, name=name)
        assert f"ollama pull {name}" in str(told)

    @pytest.mark.parametrize(
        ("asked", "installed"),
        [("qwen3", "qwen3:latest"), ("qwen3:8b", "qwen3:8b"), ("m@sha256:1f2e", "m@sha256:1f2e")],
    )
    def test_89_a_bare_name_is_latest_and_a_digest_is_untouched(self, asked, installed):
        with OllamaServer(models={installed: Installed()}) as server:
            model = OllamaModel(asked, host=server.url)
            run(model.chat([U()]))
            assert run(model.context_lengths()).loaded == 8192
        assert server.chats[0]["model"] == asked

    @pytest.mark.parametrize("name", ["", "  "])
    def test_89_an_empty_name_is_refused_at_once(self, name):
        with pytest.raises(ValueError, match="name"):
            OllamaModel(name)
