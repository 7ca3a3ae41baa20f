"""An Ollama-compatible test server with a real model behind it: real tokens, real answers, Ollama's own rule.

Contract: the protocol and the dropping rule are those of `ollama` and `rule`; the tokens are those of the
embedded model, rendered by its own template. The prompt that was read is cut token by token, as the runner
does, so that `prompt_eval_count` is what a model has really read. `format` holds the answer to JSON or to a
schema. Its model cannot call tools, and says so.
"""

from __future__ import annotations

import json
import urllib.request

from tests.servers import rule
from tests.servers.ollama import Installed, OllamaServer
from tests.servers.script import error, last, piece, stream

KEY = "key-of-the-tests"


class Tokens:
    """The tokens of a model that `open_llama(file, num_ctx, KEY)` has opened, by way of its loopback port."""

    def __init__(self, llama):
        self._url = llama.listening_address
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def of(self, messages):
        """Token ids of the prompt for these messages; none for no messages."""
        if not messages:
            return []
        plain = [{"role": m["role"], "content": m.get("content", "")} for m in messages]
        text = self._post("/apply-template", {"messages": plain})["prompt"]
        return self._post("/tokenize", {"content": text, "add_special": True, "parse_special": True})[
            "tokens"
        ]

    def count(self, messages, tools=()):
        return len(self.of(messages))

    def _post(self, path, body):
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), head)
        with self._open(request, timeout=30) as answer:
            return json.load(answer)


class EmbeddedOllamaServer(OllamaServer):
    """llama: the open model. num_predict: tokens of an answer where the client does not say."""

    def __init__(self, llama, *, num_predict=12, **options):
        self.llama, self.tokens, self.num_predict = llama, Tokens(llama), num_predict
        installed = {"smollm2:135m": Installed(8192, ("completion",), "llama")}
        super().__init__(models=installed, count=self.tokens.count, **options)

    def _reply(self, body, prompt, read):
        ids = self.tokens.of(prompt)
        kept = ids if read == len(ids) else [*ids[: rule.NUM_KEEP], *ids[rule.NUM_KEEP - read :]]
        options = body.get("options") or {}
        request = {
            "prompt": kept,
            "max_tokens": options.get("num_predict", self.num_predict),
            "temperature": options.get("temperature", 0),
            "seed": options.get("seed", 1),
            **_held_to(body.get("format")),
        }
        made = self.llama.handle_completions(request)
        if "error" in made:
            return error(made["error"]["code"], made["error"]["message"])
        choice, usage = made["choices"][0], made["usage"]
        counts = {"prompt_eval_count": usage["prompt_tokens"], "eval_count": usage["completion_tokens"]}
        return stream(piece(choice["text"]), last(reason=choice["finish_reason"], **counts))


def _held_to(wanted):
    """What a format asks of the runner."""
    if not wanted:
        return {}
    return {"json_schema": {"type": "object"} if wanted == "json" else wanted}
