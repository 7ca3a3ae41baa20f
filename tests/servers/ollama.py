"""An Ollama-compatible test server: the protocol, without a model.

Contract: speaks `/api/chat` (streamed or not), `/api/tags`, `/api/show`, `/api/ps` and `/api/version`, as
strictly as the real server: content is text, arguments are an object, a duration has a unit. A chat is
answered by the script, one entry a request and the last one for ever; with no script it says how many words
it read. It drops what Ollama would drop, loads a model anew for each new num_ctx, and remembers all of it:
`chats` (bodies), `prompts` (messages that were read), `loads` (model and num_ctx).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from tests.servers import rule
from tests.servers.loopback import LoopbackServer
from tests.servers.script import Page, Stream, error, last, says

DEFAULT_NUM_CTX = 4096


@dataclass(frozen=True)
class Installed:
    """A model that the server has."""

    context_length: int = 131_072
    capabilities: tuple = ("completion", "tools")
    family: str = "llama"


class OllamaServer(LoopbackServer):
    """answers: the script. models: name with tag -> Installed. pages: path -> Page, in place of what it would
    say. shift: whether a prompt over the window is shifted or refused. count: tokens of messages and
    tools."""

    def __init__(self, *answers, models=None, pages=None, shift=True, count=rule.words):
        super().__init__()
        self.answers = list(answers)
        self.models = {"llama3.2:latest": Installed()} if models is None else models
        self.pages = pages or {}
        self.shift, self.count = shift, count
        self.chats, self.prompts, self.loads = [], [], []

    @property
    def loaded(self):
        return dict(self.loads)

    def answer(self, method, path, data):
        if path in self.pages or "*" in self.pages:
            return self.pages.get(path) or self.pages["*"]
        routes = {
            ("POST", "/api/chat"): self._chat,
            ("POST", "/api/show"): self._show,
            ("GET", "/api/tags"): self._tags,
            ("GET", "/api/ps"): self._ps,
            ("GET", "/api/version"): lambda body: Page(body={"version": "0.20.0"}),
        }
        if (method, path) not in routes:
            return Page(404, "404 page not found", "text/plain")
        try:
            body = json.loads(data.decode("utf-8")) if data else {}
        except ValueError as fault:
            return error(400, str(fault))
        return routes[method, path](body)

    def _chat(self, body):
        self.chats.append(body)
        name = self._installed(body.get("model", ""))
        if name is None:
            return error(404, f"model '{body.get('model')}' not found")
        refusal = _refusal(body) or self._incapable(name, body)
        if refusal:
            return error(400, refusal)
        num_ctx = min(
            body.get("options", {}).get("num_ctx", DEFAULT_NUM_CTX), self.models[name].context_length
        )
        if (name, num_ctx) != (self.loads or [None])[-1]:
            self.loads.append((name, num_ctx))
        if not body.get("messages"):
            return _as_asked(Stream([last(reason="load")]), body)
        messages, tools = body["messages"], body.get("tools") or []
        prompt = rule.drop_messages(messages, tools, num_ctx, self.count)
        self.prompts.append(prompt)
        try:
            read = rule.shifted(self.count(prompt, tools), num_ctx, self.shift)
        except rule.Refused:
            size = self.count(prompt, tools)
            return error(400, f"request ({size} tokens) exceeds the available context size ({num_ctx})")
        return _as_asked(self._reply(body, prompt, read), body)

    def _reply(self, body, prompt, read):
        """The answer to a chat of which `read` tokens of this prompt were read."""
        if not self.answers:
            return says(f"I read {read} words.", prompt_eval_count=read, eval_count=4)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return (
            says(answer, prompt_eval_count=read, eval_count=len(answer.split()))
            if isinstance(answer, str)
            else answer
        )

    def _installed(self, name):
        bare = name.rpartition("/")[2]
        full = name if ":" in bare or "@" in bare else f"{name}:latest"
        return full if full in self.models else None

    def _incapable(self, name, body):
        if body.get("tools") and "tools" not in self.models[name].capabilities:
            return f"registry.ollama.ai/library/{name} does not support tools"
        return None

    def _show(self, body):
        name = self._installed(body.get("model", ""))
        if name is None:
            return error(404, f"model '{body.get('model')}' not found")
        model = self.models[name]
        info = {"general.architecture": model.family, f"{model.family}.context_length": model.context_length}
        return Page(body={"model_info": info, "capabilities": list(model.capabilities), "details": {}})

    def _tags(self, body):
        entries = [
            {"name": name, "model": name, "details": {"family": model.family, "families": [model.family]}}
            for name, model in self.models.items()
        ]
        return Page(body={"models": entries})

    def _ps(self, body):
        entries = [{"name": n, "model": n, "context_length": length} for n, length in self.loaded.items()]
        return Page(body={"models": entries})


def _refusal(body):
    """Why the real server could not read a request, if so."""
    for message in body.get("messages", ()):
        if not isinstance(message.get("content", ""), str):
            return "json: cannot unmarshal array into Go struct field ChatRequest.messages of type string"
        for call in message.get("tool_calls", ()):
            if not isinstance(call["function"]["arguments"], dict):
                return "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls"
    alive = body.get("keep_alive")
    if isinstance(alive, str) and not re.fullmatch(r"[+-]?(\d+(\.\d+)?(ms|s|m|h))+", alive):
        return f'time: missing unit in duration "{alive}"'
    return None


def _as_asked(answer, body):
    """A stream as one page, where the client asked for that."""
    if body.get("stream", True) or not isinstance(answer, Stream):
        return answer
    texts = [part["message"]["content"] for part in answer.parts]
    calls = [call for part in answer.parts for call in part["message"].get("tool_calls", ())]
    whole = {**answer.parts[-1]["message"], "content": "".join(texts)}
    return Page(body={**answer.parts[-1], "message": whole | ({"tool_calls": calls} if calls else {})})
