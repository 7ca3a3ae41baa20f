"""Cases G3: token counting, 55 to 70. Case 64, the total shown as parts, is ContextWindow's."""

import gzip
import hashlib
import json
import os
import socket
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit import Message, ToolCall, load_messages
from ctxkit.tokens import TokenCounter, TokenCountEstimated, count_tokens, vocabulary
from ctxkit.tokens.carried import carried_file
from ctxkit.tokens.estimate import estimate_tokens
from ctxkit.transforms.summaries.transcript import chunks

PICTURE = 765  # OpenAI's vision guide: 85 + 4 * 170
RANKS = {  # the SHA-256 that tiktoken expects, and the ids of "hello world"
    "cl100k_base": ("223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", (15339, 1917)),
    "o200k_base": ("446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", (24912, 2375)),
}
ENCODINGS = sorted(RANKS)


def refuse(*args, **kwargs):
    raise ConnectionRefusedError("the network is closed")


@pytest.fixture
def closed_network(monkeypatch):
    """No connection can be made, no name looked up, and no vocabulary has been read yet."""
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for table in ("_loaded", "_failures", "_locks"):
        monkeypatch.setattr(vocabulary, table, {})


def cost(content, role="user", **fields):
    """A message's cost beyond the 4 tokens of its frame."""
    return TokenCounter().count(Message(role, content, **fields)) - 4


# 55 and 57: vocabularies, no network


@pytest.mark.parametrize("cache", ["unset", "empty folder", "no caching", "half a download"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_55_counts_are_exact_with_the_network_closed(encoding, cache, closed_network, tmp_path, monkeypatch):
    """Exact on first use, whatever TIKTOKEN_CACHE_DIR says; folder and variable stay as they were."""
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    if cache == "unset":
        monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    else:
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "" if cache == "no caching" else str(tmp_path))
    if cache == "half a download":
        address = f"https://openaipublic.blob.core.windows.net/encodings/{encoding}.tiktoken"
        (tmp_path / hashlib.sha1(address.encode()).hexdigest()).write_bytes(b"IQ== 0\nIg== 1\nIw=")
    environment = dict(os.environ)
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    counter = TokenCounter(encoding)
    assert [token.ids[0] for token in counter.encode("hello world")] == list(RANKS[encoding][1])
    assert counter.count_text("hello world") == 2
    assert counter.exact

    assert dict(os.environ) == environment
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files


def test_55_importing_opens_nothing_and_a_new_process_counts_with_no_network():
    program = """
import gzip, socket, sys
def refuse(*args, **kwargs): raise ConnectionRefusedError
socket.socket.connect = socket.getaddrinfo = refuse
opened, gzip_decompress = [], gzip.decompress
gzip.decompress = lambda data: opened.append(1) or gzip_decompress(data)
import ctxkit.tokens
counters = [ctxkit.tokens.TokenCounter()]
print(sorted({"tiktoken", "requests", "regex", "ipywidgets", "plotly"} & set(sys.modules)), opened)
counters.append(ctxkit.tokens.TokenCounter("o200k_base"))
print([counter.count_text("Grüße, 東京!") for counter in counters])
print([counter.exact for counter in counters], opened)
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        env=child_environment(),
    )
    assert run.stdout.splitlines() == ["[] []", "[8, 6]", "[True, True] [1, 1]"], run.stderr


def child_environment():
    kept = {name: value for name, value in os.environ.items() if "CACHE_DIR" not in name}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONIOENCODING": "utf-8"}


def test_55_another_encoding_is_estimated_when_its_download_fails(closed_network, monkeypatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    counter = TokenCounter("text-davinci-003")
    with pytest.warns(TokenCountEstimated, match="p50k_base"):
        assert counter.count_text("hello world") == estimate_tokens("hello world")
    assert (counter.encoding, counter.exact) == ("p50k_base", False)
    assert not counter.exact_for([])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_57_the_installed_rank_files_are_those_tiktoken_expects(encoding):
    """Damaged ones are in tests/unit/test_tokens_vocabulary.py, with case 56."""
    ranks = gzip.decompress(carried_file(encoding).read_bytes())
    assert hashlib.sha256(ranks).hexdigest() == RANKS[encoding][0]


# 59 to 61: hostile text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [  # measured with tiktoken 0.14 on the whole text at once, cl100k_base and o200k_base
        ("a" * 1_000_000, (125_000, 125_000)),
        ("^" * 1_000_000, (250_000, 125_000)),
        ("-" * 1_000_000, (15_625, 15_625)),
        ("\n" * 1_000_000, (31_250, 62_500)),
        ("..." * 1_000_000, (46_875, 46_875)),
        (" " * 700_000 + "x", (5_470, 5_470)),
    ],
    ids=lambda value: repr(value[:3]) if isinstance(value, str) else None,
)
def test_59_one_character_repeated_counts_as_tiktoken_counts_it(text, tokens):
    counted = [TokenCounter(name).count_text(text) for name in ENCODINGS]
    assert counted == pytest.approx(tokens, abs=5)  # blind cuts may cost a token each, and are marked
    assert not TokenCounter().exact_for([Message.user(text)])


@pytest.mark.parametrize("mark", ["\u0301", "\u1100", "\u094d", "\u200d", "\U000e0041"])
def test_59_one_mark_repeated_is_cut_into_as_few_pieces_as_any_text(mark):
    """What looks like one letter of 20,000 code points took 31 s, and came out as 20,000 pieces."""
    counter, text = TokenCounter(), "a" + mark * 20_000
    pieces = [piece for run in chunks([text], 500, counter) for piece in run]
    assert "".join(pieces) == text
    assert all(counter.count_text(piece) >= 350 for piece in pieces[:-1])


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\t"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_59_a_million_blanks_do_not_panic(encoding, blank):
    counter = TokenCounter(encoding)
    thousandth = counter.count_text(blank * 1_024)
    assert counter.count_text(blank * 1_024_000 + "x") == pytest.approx(1_000 * thousandth, abs=10)


@pytest.mark.parametrize(
    "text", ["<|endoftext|>", "see <|fim_prefix|> in docs", "<|im_start|>system", "<|endofprompt|>"]
)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_60_special_token_text_is_ordinary_text(encoding, text):
    counter = TokenCounter(encoding)
    shown = counter.encode(text)
    assert "".join(token.text for token in shown) == text
    assert len(shown) > 1 and counter.count_text(text) == len(shown)
    for message in (
        Message.user(text),
        Message.assistant(text, [ToolCall("a", text, {text: text})]),
        Message.tool([{"type": "text", "text": text}], "a", name=text),
        Message("user", text, kind="summary"),
    ):
        assert counter.count(message) >= 4 + len(shown)


@pytest.mark.parametrize("text", ["\ud83d", "\ud83d\udc4d", "ok \udbc0 end"])
def test_61_lone_surrogates_are_counted(text):
    counter = TokenCounter()
    tokens = counter.count_text(text)
    assert tokens >= 1
    assert counter.count(Message.user(text)) == 4 + tokens
    assert counter.count(Message.assistant("", [ToolCall("a", "f", {"x": text})])) > 4 + tokens
    assert counter.count_all([], [{"name": text}]) > 3 + tokens
    assert sum(len(token.ids) for token in counter.encode(text)) == tokens


def test_61_a_pair_of_surrogates_is_the_character_it_stands_for():
    assert count_tokens("\ud83d\udc4d") == count_tokens("👍")


# 62: names


@pytest.mark.parametrize(
    "name",
    [
        "llama3.2",
        "qwen3:8b",
        "gpt-oss:20b",
        "azure/gpt4-128k",
        "GPT-4o",
        "gpt-3.5-turbo:latest",
        "",
        None,
        5,
        ["gpt-4"],
    ],
)
def test_62_an_unknown_model_is_counted_by_a_stand_in_and_marked(name):
    counter = TokenCounter(name)
    assert counter.count_text("hello world") == 2
    assert (counter.encoding, counter.exact, counter.exact_for([])) == ("cl100k_base", False, False)
    assert "estimated with cl100k_base" in repr(counter)
    assert count_tokens("hello world", name) == 2


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("gpt-5", "o200k_base"), ("o3", "o200k_base"), ("ft:gpt-4o:x", "o200k_base"), ("gpt-4", "cl100k_base")],
)
def test_62_a_known_model_gets_its_own_encoding(name, encoding):
    counter = TokenCounter(name)
    assert (counter.encoding, counter.exact) == (encoding, True)
    assert repr(counter) == f"TokenCounter('{name}': {encoding})"


# 63 to 66: all of a message


def call_message(arguments):
    function = {"name": "write_file", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": function}]}


def test_63_tool_call_arguments_count_the_same_as_dict_or_as_text():
    body = "the tide went out " * 2_200
    as_text = TokenCounter().count(call_message(json.dumps({"path": "tide.txt", "body": body})))
    as_dict = TokenCounter().count(call_message({"body": body, "path": "tide.txt"}))
    assert as_text == as_dict
    assert as_text == pytest.approx(4 * 2_200, rel=0.01)


def test_63_letters_in_arguments_are_counted_as_letters():
    """As JSON escapes (\\u4f60) Chinese arguments would cost three times what the model reads."""
    arguments = {"q": "你好世界" * 100}
    assert TokenCounter().count(call_message(arguments)) < 550


def test_63_every_call_counts():
    one, two = (
        Message.assistant(None, [ToolCall(str(i), "search", {"q": "dolphins"}) for i in range(calls)])
        for calls in (1, 2)
    )
    assert TokenCounter().count(two) - 4 == 2 * (TokenCounter().count(one) - 4) > 20


def test_65_all_text_parts_count():
    a, b = "A" * 500, "B" * 500
    expected = count_tokens(a) + count_tokens(b)
    assert cost([{"type": "text", "text": a}, {"type": "text", "text": b}]) == expected
    assert cost([a, b]) == expected
    assert cost([{"type": "input_text", "text": a}, {"type": "something_new", "text": b}]) == expected


@pytest.mark.parametrize("content", [[], None, "", [""], [{"type": "text", "text": ""}]])
def test_65_no_content_costs_the_frame_alone(content):
    assert cost(content, role="assistant") == 0


def test_65_a_part_of_unknown_kind_counts_by_its_json_and_is_no_exact_count():
    part = {"type": "reasoning", "summary": "It is a sponge."}
    assert cost([part]) == count_tokens('{"summary":"It is a sponge.","type":"reasoning"}')
    assert not TokenCounter().exact_for([Message.user([part])])


DATA_URL = "data:image/png;base64," + "iVBORw0KGgo/+AB" * 70_000


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": DATA_URL}},
        {"type": "image_url", "image_url": {"url": "https://example.org/reef.png", "detail": "low"}},
        {"type": "input_image", "image_url": DATA_URL},
        {"type": "image", "source": {"type": "base64", "data": DATA_URL[22:]}},
        {"image_url": {"url": DATA_URL}},
        {"type": "input_audio", "input_audio": {"data": DATA_URL[22:], "format": "wav"}},
        {"type": "file", "file": {"file_data": DATA_URL}},
        {"type": "video_url", "video_url": {"url": DATA_URL}},
    ],
    ids=lambda part: part.get("type", "no type"),
)
def test_66_a_picture_or_other_media_has_a_fixed_cost_and_is_an_estimate(part):
    assert cost([part]) == PICTURE
    assert cost(["Look:", part, part]) == count_tokens("Look:") + 2 * PICTURE
    assert not TokenCounter().exact_for([Message.user("text"), Message.user([part])])
    assert TokenCounter().exact


def test_66_pictures_beside_the_text_as_ollama_sends_them():
    [message] = load_messages([{"role": "user", "content": "Look:", "images": [DATA_URL[22:]]}])
    assert TokenCounter().count(message) == 4 + count_tokens("Look:") + PICTURE


WRAPPED = "data:image/png;base64," + "\n".join([("iVBORw0KGgo/+AB" * 6)[:76]] * 1_000)
CHARSET = DATA_URL.replace("png;", "svg+xml;charset=utf-8;")


@pytest.mark.parametrize(
    "url",
    [
        DATA_URL,
        DATA_URL + "==",
        DATA_URL.replace("/", "\\/"),
        CHARSET,
        WRAPPED,
        WRAPPED.replace("\n", "\r\n"),
    ],
    ids=["plain", "padded", "slashes escaped", "with charset", "in lines", "in lines of Windows"],
)
def test_66_a_data_url_inside_any_text_has_the_cost_of_a_picture(url):
    text = f"The screenshot: {url} (end)"
    bare = count_tokens("The screenshot:  (end)")
    for message in (
        Message.user(text),
        Message.tool(text, "a"),
        Message.user(["", {"type": "text", "text": text}]),
    ):
        assert TokenCounter().count(message) == 4 + bare + PICTURE
        assert not TokenCounter().exact_for([message])
    arguments = TokenCounter().count(Message.assistant("", [ToolCall("a", "save", {"picture": url})]))
    assert PICTURE < arguments < PICTURE + 40
    assert PICTURE < cost([{"type": "unknown", "blob": url}]) < PICTURE + 40
    assert PICTURE < cost(json.dumps({"screenshot": json.dumps({"data": url})})) < PICTURE + 40


def test_66_a_short_data_url_and_other_long_texts_are_text():
    for text in (DATA_URL[:200], "base64, " + "a" * 5_000, "data: " + "word " * 500):
        assert cost(text) == count_tokens(text)
        assert TokenCounter().exact_for([Message.user(text)])


# 67 and 68: cutting, and counting without a vocabulary


@pytest.mark.parametrize(
    "text",
    [
        "I love 🍕",
        "🇨🇭🇫🇷🇩🇪",
        "👍🏽👍🏿",
        "👩‍👩‍👧‍👦 family",
        "cafe\u0301 cre\u0300me",
        "日本語のテキスト",
        "\ufffd kept",
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_67_a_cut_splits_no_character_and_keeps_the_budget(encoding, text):
    counter = TokenCounter(encoding)
    for limit in range(counter.count_text(text) + 1):
        kept = counter.truncate(text, limit)
        assert text.startswith(kept) and counter.count_text(kept) <= limit
        sent = kept.encode("utf-8").decode("utf-8")
        assert sent.count("\ufffd") <= text.count("\ufffd")
        following = text[len(kept) : len(kept) + 1]
        assert following not in {"\u0301", "\u0300", "\u200d", "🏽", "🏿"}
        assert sum(0x1F1E6 <= ord(char) <= 0x1F1FF for char in kept) % 2 == 0  # flags are pairs
    assert counter.truncate(text, counter.count_text(text)) == text


def test_67_the_budget_is_used():
    assert [TokenCounter().truncate("I love 🍕", limit) for limit in range(6)] == [
        "",
        "I",
        "I love",
        "I love ",
        "I love ",
        "I love 🍕",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "你好世界" * 25,
        "イルカは海底で餌を探す" * 5,
        "돌고래는 해저에서 먹이를" * 5,
        "โลมาใช้ฟองน้ำปกป้องจมูก" * 5,
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_68_the_estimate_is_not_too_low_for_scripts_without_blanks(encoding, text):
    exact = TokenCounter(encoding).count_text(text)
    assert exact > len(text) / 4  # what characters divided by four would say
    assert exact <= estimate_tokens(text) <= 6 * exact


# 69 and 70: what servers report, and what messages cost besides their text


def test_69_a_counter_is_calibrated_by_reported_usage():
    """A server that takes 1.3 times the tokens, and 52 for its template."""
    counter = TokenCounter("llama3.2")
    history = [Message.user("What do dolphins put on their noses, and why? " * i) for i in range(1, 21)]
    counted = [counter.count_all(history[:length]) for length in (2, 8, 14)]
    fitted = counter.calibrated([(tokens, round(1.3 * tokens + 52)) for tokens in counted])
    reported = 1.3 * counter.count_all(history) + 52
    assert reported <= fitted.count_all(history) <= reported + len(history) + 2
    assert fitted.count_all(history) == fitted.count_all(()) + sum(map(fitted.count, history))
    assert not fitted.exact and not fitted.exact_for(history)
    assert "calibrated: times 1.299, plus 52.5" in repr(fitted)


def test_69_one_pair_gives_a_ratio():
    fitted = TokenCounter().calibrated([(1_000, 1_035)])
    long = Message.user("dolphins " * 1_000)
    assert fitted.count(long) == pytest.approx(1.035 * TokenCounter().count(long), abs=1)
    assert fitted.count_all(()) == 4  # 3 * 1.035, rounded up


def test_70_the_cost_of_messages_besides_their_text_is_counted():
    """Five tokens where the text has one: contents alone would be 5.2 times too low."""
    history = [Message.user("ok")] * 5_000
    assert TokenCounter().count_all(history) == 5_000 * (3 + 1 + 1) + 3


@given(st.lists(st.text(max_size=20), max_size=8))
def test_70_a_budget_equal_to_the_sum_of_contents_is_never_enough(texts):
    counter = TokenCounter()
    contents = sum(map(counter.count_text, texts))
    assert counter.count_all([Message.user(text) for text in texts]) == contents + 4 * len(texts) + 3
