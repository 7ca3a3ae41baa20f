// Arrow keys on a slider are the slider's. Notebook 7 takes them for its commands (the one that folds headings, for
// instance) wherever the focus is in an output, so that a slider stands still; JupyterLab takes some of them.
// A handle with this attribute is left alone by the commands of both; it has it only while such a key is pressed, so
// that Shift+Enter and Ctrl+S work as ever. Put in front of a script that every lab brings.
const SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
function ownSliderKeys() {
  if (window.ctxkitOwnsSliderKeys) return; // one listener for a page, however many labs it holds
  window.ctxkitOwnsSliderKeys = true;
  const mark = (event) => {
    const handle = event.target.closest?.(".noUi-handle");
    handle?.toggleAttribute("data-lm-suppress-shortcuts", SLIDER_KEYS.includes(event.key));
  };
  window.addEventListener("keydown", mark, true);
}
