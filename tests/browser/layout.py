"""What a reader cannot see whole in a lab, or sees in disorder, from where the browser has put its parts."""

from __future__ import annotations

from playwright.sync_api import Locator, TimeoutError

FAULTS = """lab => {
    const found = [];
    const all = names => [...lab.querySelectorAll(names)];
    const box = part => part.getBoundingClientRect();

    for (const part of all("[role=status], table, input, .noUi-handle, .gtitle, .legend, .xtitle")) {
        const over = Math.floor(box(part).right - box(lab).right);
        if (over > 0) found.push(`${part.getAttribute("class") ?? part.tagName} is cut by ${over} px`);
    }
    for (const input of all("input")) {
        const over = input.scrollWidth - input.clientWidth;
        if (over > 0) found.push(`the number ${input.value} is ${over} px wider than its box`);
    }
    const sliders = all(".noUi-target").map(part => box(part).top);
    const uneven = Math.round(Math.max(...sliders) - Math.min(...sliders));
    if (uneven > 1 && uneven < 40) found.push(`sliders in one row differ by ${uneven} px in height`);

    // The parts of a chart from its bars down.
    const parts = {bars: ".nsewdrag", numbers: ".xtick text", title: ".xtitle", legend: ".legend"};
    const placed = Object.entries(parts).map(([name, selector]) => [name, all(selector).map(box)]);
    for (const [at, [lower, boxes]] of placed.slice(1).entries()) {
        const [upper, above] = placed[at];
        const end = Math.max(...above.map(part => part.bottom));
        const over = Math.round(end - Math.min(...boxes.map(part => part.top)));
        if (over > 1) found.push(`${lower} and ${upper} of the chart overlap by ${over} px`);
    }
    for (const badge of all("tbody tr:not([hidden]) .ctxkit-badge")) {
        if (box(badge).height > 24) found.push(`${badge.textContent} is on two lines`);
        if (box(badge).right > box(badge.parentElement).right) found.push(`${badge.textContent} is cut`);
    }
    // 90 px show a word or two of a message.
    const room = Math.min(...all("tbody tr:not([hidden]) td:nth-child(3)").map(cell => box(cell).width));
    if (room < 90) found.push(`messages have ${Math.round(room)} px for their text`);
    return found;
}"""


def faults(lab: Locator, finder: str = FAULTS) -> list[str]:
    """What is still wrong with a lab at the width that it has now, when it has had time to adapt to it."""
    try:
        lab.page.wait_for_function(f"lab => ({finder})(lab).length === 0", arg=lab.element_handle())
    except TimeoutError:
        return lab.evaluate(finder)
    return []
