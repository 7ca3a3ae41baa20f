"""Whether text can be read on what lies behind it, from the colours that the browser computed.

Ratio and threshold are those of WCAG 2.2: (lighter + 0.05) / (darker + 0.05) of the relative luminances,
at least 4.5 for text of ordinary size (https://www.w3.org/TR/WCAG22/#contrast-minimum).
"""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator

READABLE = 4.5

# Every visible piece of text under the root, what stands in a box to type in included: its colour, the
# product of the opacities from its element up to the page, and the backgrounds behind it from the inside out.
# Text in a plot is filled, and a plot's backgrounds are shapes beside it, not ancestors: they are looked up.
COLOURS = """root => {
    const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const rgba = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const own = element => [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE);
    const textOf = element => element.value ?? own(element).map(node => node.data).join(" ");
    const visible = {opacityProperty: true, visibilityProperty: true};
    const found = [];
    for (const element of [root, ...root.querySelectorAll("*")]) {
        const text = String(textOf(element)).trim();
        if (!text || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
        if (!element.checkVisibility(visible) || !element.getClientRects().length) continue;
        const style = getComputedStyle(element);
        const behind = [];
        const plot = element instanceof SVGElement && element.closest(".js-plotly-plot");
        if (plot) {
            for (const shape of plot.querySelectorAll(".bglayer .bg, .main-svg:first-of-type")) {
                const worn = getComputedStyle(shape);
                behind.push(shape.tagName === "rect" ? worn.fill : worn.backgroundColor);
            }
        }
        let opacity = 1;
        for (let at = element; at; at = at.parentElement) {
            opacity *= Number(getComputedStyle(at).opacity);
            behind.push(getComputedStyle(at).backgroundColor);
        }
        found.push({text, opacity, colour: rgba(plot ? style.fill : style.color), behind: behind.map(rgba)});
    }
    return found;
}"""

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class TextContrast:
    """A piece of text and its contrast ratio, 1 (invisible) to 21 (black on white)."""

    text: str
    ratio: float


def text_contrasts(parts: Locator) -> list[TextContrast]:
    """The contrast of every visible piece of text in these parts of a page."""
    return [_contrast(entry) for entry in parts.evaluate_all(f"parts => parts.flatMap({COLOURS})")]


def unreadable(parts: Locator) -> list[TextContrast]:
    """The pieces of text whose contrast is below 4.5; fails when there is no text at all."""
    contrasts = text_contrasts(parts)
    assert contrasts, "no visible text to judge"
    return [contrast for contrast in contrasts if contrast.ratio < READABLE]


def _contrast(entry: dict) -> TextContrast:
    background: Colour = (255, 255, 255)  # what a browser paints behind a page that paints nothing
    for layer in reversed(entry["behind"]):
        background = _over(layer, background)
    *solid, alpha = entry["colour"]
    text = _over([*solid, alpha * entry["opacity"]], background)
    darker, lighter = sorted((_luminance(background), _luminance(text)))
    return TextContrast(entry["text"], round((lighter + 0.05) / (darker + 0.05), 2))


def _over(layer: list[float], below: Colour) -> Colour:
    """A colour with an alpha of 0 to 1, painted over another."""
    *solid, alpha = layer
    red, green, blue = (alpha * top + (1 - alpha) * bottom for top, bottom in zip(solid, below, strict=True))
    return red, green, blue


def _luminance(colour: Colour) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
