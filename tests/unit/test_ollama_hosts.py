"""Addresses, model names and keep_alive beyond the forms of case 84."""

import pytest

from ctxkit.models.errors import BadAddress
from ctxkit.models.ollama.hosts import parse_host
from ctxkit.models.ollama.names import full_name, keep_alive_value


@pytest.mark.parametrize(
    ("given", "url", "loopback"),
    [
        (None, "http://127.0.0.1:11434", True),
        ("[::]:5", "http://[::1]:5", True),
        ("http://0.0.0.0:80", "http://127.0.0.1:80", True),
        ("127.1.2.3", "http://127.1.2.3:11434", True),
        ("'10.0.0.5:5'", "http://10.0.0.5:5", False),
        ("HTTPS://Example.org", "https://example.org:443", False),
        ("example.org/ollama/", "http://example.org:11434/ollama", False),
        ("my_host.local", "http://my_host.local:11434", False),
        ("2001:db8::5", "http://[2001:db8::5]:11434", False),
    ],
)
def test_an_address_is_read(given, url, loopback):
    host = parse_host(given)
    assert (host.url, host.loopback) == (url, loopback)


@pytest.mark.parametrize(
    "given",
    [
        "ftp://x",
        "a b",
        "x:0",
        "x:70000",
        "x:-1",
        "[::1",
        "1:2:3",
        "//x",
        "h/a b",
        "h?x=1",
        "h#x",
        "\x00",
        "-",
        "*",
    ],
)
def test_what_is_no_address_is_refused_by_name(given):
    with pytest.raises(BadAddress, match="OLLAMA_HOST"):
        parse_host(given, "OLLAMA_HOST")


@pytest.mark.parametrize("given", ["http://user:secret@h", "user:secret@h:abc", "h:secret@h:abc:secret"])
def test_a_password_is_refused_and_never_shown(given):
    with pytest.raises(BadAddress) as refused:
        parse_host(given)
    assert "secret" not in str(refused.value)


def test_only_text_is_an_address():
    with pytest.raises(TypeError, match="host"):
        parse_host(11434)


def test_a_registrys_port_is_no_tag():
    assert full_name("hub:5000/team/qwen3") == "hub:5000/team/qwen3:latest"
    assert full_name("hub:5000/team/qwen3:8b") == "hub:5000/team/qwen3:8b"


@pytest.mark.parametrize("given", [True, [], b"5m"])
def test_keep_alive_is_a_number_or_text(given):
    with pytest.raises(TypeError, match="keep_alive"):
        keep_alive_value(given)
