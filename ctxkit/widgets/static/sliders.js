// What every slider of a page gets, whichever lab it belongs to. Put in front of a script that every lab brings.
//
// Arrow keys on a slider are the slider's. Notebook 7 takes them for its commands (the one that folds headings, for
// instance) wherever the focus is in an output, so that a slider stands still; JupyterLab takes some of them.
// A handle with this attribute is left alone by the commands of both; it has it only while such a key is pressed, so
// that Shift+Enter and Ctrl+S work as ever.
//
// A handle that gets the focus is named after the number box above it: ipywidgets gives it no name of its own.
const SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
function tendSliders() {
  if (window.ctxkitTendsSliders) return; // one listener for a page, however many labs it holds
  window.ctxkitTendsSliders = true;
  const mark = (event) => {
    const handle = event.target.closest?.(".noUi-handle");
    handle?.toggleAttribute("data-lm-suppress-shortcuts", SLIDER_KEYS.includes(event.key));
  };
  const name = (event) => {
    const handle = event.target.closest?.(".noUi-handle");
    const label = handle?.closest(".widget-slider")?.previousElementSibling?.querySelector("label");
    if (label) handle.setAttribute("aria-label", label.textContent);
  };
  window.addEventListener("keydown", mark, true);
  window.addEventListener("focusin", name, true);
}
