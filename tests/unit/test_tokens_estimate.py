"""The estimate errs high: against both real vocabularies, over scripts, code and prose."""

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.tokens.estimate import estimate_tokens, estimated_pieces
from ctxkit.tokens.vocabulary import vocabulary

ENCODINGS = ("cl100k_base", "o200k_base")

PROSE = """Every message that a model is sent takes room, and the room is limited. When a conversation grows,
something has to give: old turns are left out, long results are shortened, or a summary takes the place of
what was said. None of these is free. A summary costs a call and forgets details; a cut forgets everything
before it. The useful question is never how to keep all of it, but which part the next answer will need, and
how one would notice that it is missing."""

WORDS = {
    "english": "the of running quickly However knowledge a I rhythm seafloor sponge WARNING foraging",
    "german": "der die Überraschung Straße größer Zusammenhang schließlich Fähigkeit übermorgen",
    "cyrillic": "дельфины губка защищает морское дно почему Сегодня українська їжак объём",
    "arabic": "السلام عليكم الدلافين تستخدم الإسفنج لحماية أنوفها في قاع البحر",
    "chinese": "你好世界 海豚 用 海绵 保护 鼻子 因为 海底 有 尖锐的 石头 龘 鱻",
    "japanese": "イルカは 海底で 餌を 探す とき スポンジを 鼻先に つけます なぜですか",
    "korean": "돌고래는 해저에서 먹이를 찾을 때 해면을 사용합니다 안녕하세요",
    "thai": "โลมา ใช้ฟองน้ำ ปกป้อง จมูก ที่ ก้นทะเล สวัสดี",
    "hindi": "डॉल्फ़िन समुद्र तल पर स्पंज का उपयोग क्यों करती हैं नमस्ते",
    "emoji": "🍕 👍🏽 👩‍👩‍👧 🇨🇭 ❤️ 🐬 🧽",
    "code": "def __init__(self, max_tokens=20): return [x**2 if(x!=y) self.camelCase+=1; # HTTPResponse()",
    "digits": "0 7 42 1999 3.14159 1,000,000 2026-10-01T12:00:00Z 0xdeadbeef 50%",
    "json": '{"id": "call_1", "arguments": {"path": "/var/app.log", "lines": [1, null]}, "ok": false}',
}


@st.composite
def natural_text(draw):
    words = WORDS[draw(st.sampled_from(sorted(WORDS)))].split()
    chosen = draw(st.lists(st.sampled_from(words), max_size=40))
    return draw(st.sampled_from([" ", "\n", ". ", ", "])).join(chosen)


@given(st.lists(natural_text(), max_size=4).map(" ".join))
def test_the_estimate_of_natural_text_is_never_too_low(text):
    assert all(estimate_tokens(text) >= len(vocabulary(name).encode_ordinary(text)) for name in ENCODINGS)


@given(
    st.text(st.characters(exclude_categories=[]).filter(lambda char: not (char.isascii() and char.isalpha())))
)
def test_without_latin_letters_the_estimate_is_a_bound(text):
    """Any character at all, lone surrogates and unassigned ones too: a token is at least a byte."""
    assert all(estimate_tokens(text) >= len(vocabulary(name).encode_ordinary(text)) for name in ENCODINGS)


@pytest.mark.parametrize("name", ENCODINGS)
def test_english_prose_is_estimated_at_no_more_than_three_times_its_count(name):
    exact = len(vocabulary(name).encode_ordinary(PROSE))
    assert exact <= estimate_tokens(PROSE) <= 3 * exact


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("run", ["a", "qzxv", "A", "ACGT", "9", "a9F", "+/", "\n", " "])
def test_long_runs_and_keys_are_not_estimated_too_low(name, run):
    text = run * 500
    assert estimate_tokens(text) >= len(vocabulary(name).encode_ordinary(text))


ALPHABETS = {
    "letters": "abcdefghijklmnopqrstuvwxyz",
    "capitals": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "proteins": "ACDEFGHIKLMNPQRSTVWY",
    "consonants": "bcdfghjklmnpqrstvwxz",
    "vowels": "aeiou",
    "base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
}


@pytest.mark.parametrize("alphabet", sorted(ALPHABETS))
@pytest.mark.parametrize("length", [1, 2, 3, 4, 6, 8, 10, 15, 20])
def test_words_of_random_letters_are_not_estimated_too_low(alphabet, length):
    """Case 68: names, sequences and codes are no prose; one token for two letters was 0.8 of their count."""
    dice = random.Random(alphabet)
    text = " ".join("".join(dice.choices(ALPHABETS[alphabet], k=length)) for _ in range(500))
    assert all(estimate_tokens(text) >= len(vocabulary(name).encode_ordinary(text)) for name in ENCODINGS)


def test_base64_without_a_blank_is_not_estimated_too_low():
    text = base64.b64encode(random.Random(1).randbytes(3000)).decode()
    assert all(estimate_tokens(text) >= len(vocabulary(name).encode_ordinary(text)) for name in ENCODINGS)


@given(st.text())
def test_the_pieces_shown_are_the_text(text):
    assert "".join(estimated_pieces(text)) == text
