"""Cases G4, Ollama: addresses, proxies and servers that fail (84, 85, 86 and 88)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from types import MappingProxyType

import pytest

from ctxkit import run
from ctxkit.models import errors
from ctxkit.models.ollama import OllamaModel
from ctxkit.models.ollama.connect import load_sdk
from ctxkit.models.ollama.hosts import parse_host
from tests.cases.ask_ollama import refused
from tests.histories import U
from tests.servers.ollama import OllamaServer
from tests.servers.script import DROP, HANG, Drip, Page, piece, stream

HOSTS = {
    "0.0.0.0": "http://127.0.0.1:11434",
    "0.0.0.0:11434": "http://127.0.0.1:11434",
    "::": "http://[::1]:11434",
    "::1": "http://[::1]:11434",
    "[::1]:9999": "http://[::1]:9999",
    ":11500": "http://127.0.0.1:11500",
    "localhost": "http://localhost:11434",
    "http://localhost": "http://localhost:80",  # as for the `ollama` command; "not running" names the port
    "https://h/api/": "https://h:443",
    " localhost ": "http://localhost:11434",
    "": "http://127.0.0.1:11434",
}


class TestConnection:
    @pytest.mark.parametrize("given", HOSTS)
    def test_84_a_listen_address_becomes_one_to_connect_to(self, given, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", given)
        assert OllamaModel().host == OllamaModel(host=given).host == HOSTS[given]

    def test_84_a_bad_address_says_what_is_wrong_with_it(self, monkeypatch):
        monkeypatch.setenv("OLLAMA_HOST", "localhost:abc")
        with pytest.raises(ValueError, match=r"OLLAMA_HOST: 'localhost:abc' .* 127\.0\.0\.1:11434"):
            OllamaModel()

    @pytest.mark.parametrize("given", ["http:/localhost", "HTTPS:/h:443", "http:/"])
    def test_84_a_slash_too_few_is_told_and_not_read_as_a_host_http(self, given):
        with pytest.raises(errors.BadAddress, match="two slashes are expected"):
            parse_host(given)

    def test_84_the_client_is_imported_whatever_the_variable_holds(self):
        """`import ollama` alone raises ValueError for three of these."""
        values = [*HOSTS, "localhost:abc"]
        code = f"""
import os, sys
from ctxkit.models.ollama.connect import load_sdk
for value in {values!r}:
    for name in [n for n in sys.modules if n.split(".")[0] == "ollama" or n.endswith("ollama.sdk")]:
        del sys.modules[name]
    os.environ["OLLAMA_HOST"] = value
    print(load_sdk().Client.__name__, os.environ["OLLAMA_HOST"] == value)
"""
        assert _child(code).split("\n")[:-1] == ["Client True"] * len(values)

    def test_84_the_environment_is_changed_for_the_first_import_only(self, monkeypatch):
        client = load_sdk()
        with monkeypatch.context() as patch:
            patch.setattr(os, "environ", MappingProxyType({"OLLAMA_HOST": "0.0.0.0"}))
            assert load_sdk() is client

    def test_84_an_ipv6_loopback_is_reached(self):
        assert parse_host("::").loopback
        assert not parse_host("example.org").loopback

    def test_85_the_kit_works_under_a_socks_proxy_and_says_what_to_unset(self):
        code = """
import sys
sys.modules["socksio"] = None  # as where it is not installed
from ctxkit import Message, run, KeepRecentMessages
from ctxkit.models.errors import ClientUnavailable
from ctxkit.models.ollama import OllamaModel
print(len(run(KeepRecentMessages(1)([Message.user("a"), Message.user("b")]))))
try:
    run(OllamaModel(host="127.0.0.1:1").chat([Message.user("Hi")]))
except ClientUnavailable as error:
    print(error)
"""
        for proxy in ("socks5h://user:secret@127.0.0.1:9", "socks5://127.0.0.1:9"):
            told = _child(code, HTTP_PROXY=proxy)
            assert told.startswith("2\n")
            assert "Unset HTTP_PROXY" in told
            assert "secret" not in told

    @pytest.mark.parametrize(
        "page",
        [
            Page(502, ""),
            Page(502, "<html>Bad Gateway</html>", "text/html"),
            Page(200, "<html>Log in</html>", "text/html"),
            Page(503, "", "text/html"),
            Page(200, ""),
        ],
    )
    def test_86_a_page_in_place_of_an_answer_hints_at_the_proxy(self, page):
        told = refused(errors.ProxyInTheWay, page)
        assert "NO_PROXY=localhost,127.0.0.1" in str(told)

    def test_86_a_real_proxy_is_named_by_its_variable(self, monkeypatch):
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        with OllamaServer(pages={"*": Page(502, "")}) as proxy:
            monkeypatch.setenv("HTTP_PROXY", f"http://user:secret@{proxy.address}")
            with pytest.raises(errors.ProxyInTheWay, match="HTTP_PROXY") as caught:
                run(OllamaModel(host="127.0.0.1:1").chat([U()]))
            assert proxy.requests[0][1] == "http://127.0.0.1:1/api/chat"
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize("status", [400, 500])
    def test_86_no_reason_is_said_to_be_none(self, status):
        told = refused(errors.ServerFailed, Page(status, ""))
        assert f"no reason given (HTTP status {status})" in str(told)

    @pytest.mark.parametrize("status", [301, 308, 413])
    def test_86_an_empty_page_that_ollama_never_sends(self, status):
        assert f"An empty page came back with status {status}" in str(
            refused(errors.ProxyInTheWay, Page(status, ""))
        )

    @pytest.mark.parametrize("body", ["null", "[]", "7"])
    @pytest.mark.parametrize("status", [200, 500])
    def test_86_a_body_that_is_no_object_is_unreadable(self, body, status):
        told = refused((errors.UnreadableReply, errors.ServerFailed), Page(status, body))
        assert "server" in str(told)

    def test_86_another_web_server_is_not_a_missing_model(self):
        told = refused(errors.UnreadableReply, Page(404, "404 page not found", "text/plain"))
        assert "no Ollama" in str(told)

    def test_88_no_server(self):
        with pytest.raises(errors.ServerNotRunning, match=r"127\.0\.0\.1:1 .*ollama serve"):
            run(OllamaModel(host="http://127.0.0.1:1").chat([U()]))

    def test_88_a_server_that_never_answers(self):
        told = refused(errors.ModelTimeout, HANG, timeout=1)
        assert "silent for 1 s" in str(told)

    def test_88_a_server_that_falls_silent(self):
        assert refused(errors.ModelTimeout, stream(piece("par"), HANG), timeout=2).partial == "par"

    def test_88_a_server_that_never_ends(self):
        told = refused(errors.ModelTimeout, stream(Drip(piece("x"))), timeout=5, total_timeout=2)
        assert set(told.partial) == {"x"}
        assert "total_timeout" in str(told)

    def test_88_a_connection_that_is_closed_at_once(self):
        assert refused(errors.ReplyCutShort, DROP).partial == ""

    def test_88_a_stop_ends_the_request_and_leaves_the_history(self):
        history = [U()]

        async def stopped(server):
            task = asyncio.ensure_future(OllamaModel(host=server.url).chat(history))
            while not server.chats:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        with OllamaServer(HANG) as server:
            asyncio.run(stopped(server))
        assert history == [U()]


def _child(code, **environment):
    whole = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=whole
    ).stdout
