"""Colours, icons and number format of every chart and table: word, icon and colour together, never colour
alone.

Contract: a theme sets paper and ink as a pair, so that text can be read whatever page lies behind. Text
reaches a contrast of 4.5 to 1 on every paper of its theme, and drawn marks 3 to 1 on the page (WCAG 2.2,
1.4.3 and 1.4.11), save the amber of tools on white, which a word always goes with. Role colours are from
the Okabe-Ito set, which colour-blind readers tell apart.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

ROLE_COLOURS = {
    "system": "#5b6770",
    "summary": "#cc79a7",
    "user": "#0072b2",
    "assistant": "#009e73",
    "tool": "#e69f00",
}
LIMIT_COLOUR = "#d55e00"


@dataclass(frozen=True)
class Theme:
    """The colours of a page.

    paper: background. soft: background of a panel. ink, muted: text. limit: text that names the limit.
    line: borders and grid. outline: edge of what is not sent. focus: the ring around what the keyboard is
    on. tints: backgrounds of neighbouring tokens.
    """

    paper: str
    soft: str
    ink: str
    muted: str
    limit: str
    line: str
    outline: str
    focus: str
    tints: tuple[str, ...]


LIGHT = Theme(
    paper="#ffffff",
    soft="#f6f8fa",
    ink="#1f2328",
    muted="#57606a",
    limit="#a84a00",
    line="#d0d7de",
    outline="#6e7781",
    focus="#0969da",
    tints=("#ddf4ff", "#fff1cf", "#dcf7e6", "#fbe3f0"),
)
DARK = Theme(
    paper="#111111",
    soft="#1d2228",
    ink="#e8edf2",
    muted="#a9b4bf",
    limit="#ffa257",
    line="#3a434d",
    outline="#9aa5b1",
    focus="#79b8ff",
    tints=("#12344d", "#4a3a08", "#123f2a", "#4a1f38"),
)

# What became of a message, as a table shows it: icon and word.
ACTIONS = {
    "kept": ("●", "sent"),
    "dropped": ("○", "not sent"),
    "summarised": ("≡", "in summary"),
    "shortened": ("✂", "shortened"),
    "cleared": ("∅", "cleared"),
    "repaired": ("✚", "repaired"),
    "removed": ("✕", "left out"),
    "required": ("▲", "must be sent"),
    "refused": ("⊘", "refused"),
    "made": ("★", "by the kit"),
}


def number(value: float) -> str:
    """A count with thousands separators.

    >>> number(1304)
    '1,304'
    """
    return f"{value:,.0f}"


def percent(fraction: float) -> str:
    """A share as whole per cent; what is there never shows as 0 %, what is not full never as 100 %.

    >>> percent(0.637), percent(0.001), percent(0.999)
    ('64 %', '1 %', '99 %')
    """
    if 0 < fraction < 1:
        fraction = min(max(fraction, 0.01), 0.99)
    return f"{100 * fraction:,.0f} %"


def plural(count: int, noun: str) -> str:
    """A count and its noun.

    >>> plural(1, "message"), plural(1304, "token")
    ('1 message', '1,304 tokens')
    """
    return f"{number(count)} {noun}" if count == 1 else f"{number(count)} {noun}s"


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours "#rrggbb", from 1 to 21, as WCAG 2.2 defines it.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def css() -> str:
    """Style rules that give `.ctxkit` the colours of the page's theme as variables.

    JupyterLab and Notebook 7 say on the page's body which theme they wear, VS Code too; elsewhere the
    reader's system decides.
    """
    roles = _variables(
        {f"role-{role}": colour for role, colour in ROLE_COLOURS.items()} | {"limit-line": LIMIT_COLOUR}
    )
    light, dark = _theme_variables(LIGHT), _theme_variables(DARK)
    return "\n".join(
        [
            f".ctxkit {{ {roles} {light} }}",
            f"@media (prefers-color-scheme: dark) {{ .ctxkit {{ {dark} }} }}",
            f'body[data-jp-theme-light="true"] .ctxkit, body.vscode-light .ctxkit {{ {light} }}',
            f'body[data-jp-theme-light="false"] .ctxkit, body.vscode-dark .ctxkit {{ {dark} }}',
            "",
        ]
    )


def _theme_variables(theme: Theme) -> str:
    colours = asdict(theme)
    tints = colours.pop("tints")
    return _variables(colours | {f"tint-{place}": tint for place, tint in enumerate(tints)})


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--ctxkit-{name}: {colour};" for name, colour in colours.items())


def _luminance(colour: str) -> float:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
