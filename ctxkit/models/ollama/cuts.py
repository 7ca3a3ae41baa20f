"""Telling that the server read less than it was sent.

With more than `num_ctx` tokens the server drops messages from the front and answers as if nothing had
happened (ollama/ollama#8531); other models give HTTP 400 for the same list (ollama/ollama#17889). Both begin
with the same sentence here. All there is to see of a silent cut is the number of prompt tokens that it
reports, against what the kit counted, which is an estimate: it says nothing where a difference of
vocabularies could explain the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

TRIM = "Send less (KeepWithinTokens), or raise num_ctx, which loads the model anew."

COMPACT = 0.7
"""What a denser vocabulary takes of the tokens of cl100k_base for the same text, at the least."""

GUESSED = 0.4
"""The same, where no vocabulary could be read and the count errs high."""

LIKELY = 0.9


def too_large(tokens: int | None, limit: int | None, verb: str = "exceeds") -> str:
    """The sentence that every report of an over-full window begins with.

    >>> too_large(5100, 4096)
    'The prompt exceeds the context window of 4,096 tokens (it has about 5,100).'
    """
    window = "the context window" if limit is None else f"the context window of {limit:,} tokens"
    size = "" if tokens is None else f" (it has about {tokens:,})"
    return f"The prompt {verb} {window}{size}."


@dataclass(frozen=True)
class PromptSizes:
    """Prompt tokens of one request.

    sent: by the kit's count. read: by the server's, None where it did not say. exact: whether `sent` is more
    than a guess.

    >>> PromptSizes(sent=5100, read=2050).cut_note(4096)  # doctest: +ELLIPSIS
    'The prompt exceeds the context window of 4,096 tokens. The server cut its beginning and read 2,050 of
    ...'
    >>> PromptSizes(sent=5100, read=4500).cut_note(8192) is None
    True
    """

    sent: int
    read: int | None
    exact: bool = True

    @property
    def suspicious(self) -> bool:
        """Whether the counts are far apart, whatever the window."""
        return self.read is not None and self.read < LIKELY * self.sent

    def cut_note(self, window: int) -> str | None:
        """A note that the server cut the prompt, or None. window: tokens that the loaded model holds."""
        if self.read is None or not self.suspicious:
            return None
        compact = COMPACT if self.exact else GUESSED
        sure = self.read < compact * self.sent and self.sent > compact * window
        if not sure and not (self.exact and self.sent > window >= self.read):
            return None
        cut = "cut" if sure else "probably cut"
        return (
            f"{too_large(None, window)} The server {cut} its beginning and read {self.read:,} of about "
            f"{self.sent:,} tokens, without an error. {TRIM}"
        )
