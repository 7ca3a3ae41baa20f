// What every slider of a page gets, whichever lab it belongs to. Put in front of a script that every lab brings.
//
// Arrow keys on a slider are the slider's. Notebook 7 takes them for its commands (the one that folds headings, for
// instance) wherever the focus is in an output, so that a slider stands still; JupyterLab takes some of them.
// A handle with this attribute is left alone by the commands of both; it has it only while such a key is pressed, so
// that Shift+Enter and Ctrl+S work as ever.
//
// A handle that gets the focus is named after the number box above it: ipywidgets gives it no name of its own. It also
// says the number of that box: a slider counts steps, and noUiSlider writes their number at each of its updates.
//
// Home and End go where the slider ends now: noUiSlider takes them to the ends that the slider was made with, whatever
// `updateOptions` has set since (its eventKeydown reads `options.spectrum`, which stays that of the beginning).
const SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
const SAID = "aria-valuetext";

/** The number box and the label that stand above a handle, if it is one of ours. */
function aboveHandle(handle) {
  const above = handle.closest(".widget-slider")?.previousElementSibling;
  return [above?.querySelector("input[type=number]"), above?.querySelector("label")];
}

/** What the box says; or will say, while the kernel has not yet told it where the slider went. */
function sayNumber(handle) {
  const [box] = aboveHandle(handle);
  if (!box) return;
  const step = Number(box.step) || 1;
  const steps = Number(handle.getAttribute("aria-valuenow"));
  const agree = Math.abs(Number(box.value) / step - steps) <= 0.5; // a typed number may lie between two steps
  const number = agree ? Number(box.value) : Math.min(Math.max(steps * step, Number(box.min)), Number(box.max));
  const text = String(number);
  if (handle.getAttribute(SAID) !== text) handle.setAttribute(SAID, text);
}

/** Go to the first or the last number; by the slider alone, as two writers would overtake each other. */
function goToEnd(handle, key) {
  const end = handle.getAttribute(key === "Home" ? "aria-valuemin" : "aria-valuemax");
  handle.closest(".noUi-target").noUiSlider.set(Number(end));
}

function tendSliders() {
  if (window.ctxkitTendsSliders) return; // one listener for a page, however many labs it holds
  window.ctxkitTendsSliders = true;
  const handleOf = (event) => event.target.closest?.(".noUi-handle");
  const press = (event) => {
    const handle = handleOf(event);
    handle?.toggleAttribute("data-lm-suppress-shortcuts", SLIDER_KEYS.includes(event.key));
    if (!handle || !["Home", "End"].includes(event.key) || !aboveHandle(handle)[0]) return;
    event.preventDefault();
    event.stopPropagation();
    goToEnd(handle, event.key);
  };
  const meet = (event) => {
    const handle = handleOf(event);
    if (!handle) return;
    const [, label] = aboveHandle(handle);
    if (label) handle.setAttribute("aria-label", label.textContent);
    sayNumber(handle);
  };
  window.addEventListener("keydown", press, true);
  window.addEventListener("focusin", meet, true);
  const written = new MutationObserver((changes) => changes.forEach(({ target }) => sayNumber(target)));
  written.observe(document.body, { subtree: true, attributes: true, attributeFilter: [SAID] });
}
