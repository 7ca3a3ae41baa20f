// A text as its tokens: one stop in the tab order, arrow keys from token to token, the id of the one that has the focus or the pointer.
// All text is written as textContent.

const TYPING_PAUSE = 150; // milliseconds without a key before the text is sent

let made = 0;

function make(tag, className, attributes = {}) {
  const element = document.createElement(tag);
  element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export default {
  render({ model, el }) {
    const id = `ctxkit-tokens-${(made += 1)}`;
    const root = make("div", "ctxkit ctxkit-tokens");
    const label = make("label", "", { for: `${id}-text` });
    label.textContent = "Your text";
    const box = make("textarea", "", { id: `${id}-text`, rows: 2, spellcheck: "false", dir: "auto" });
    const status = make("div", "ctxkit-status", { role: "status", "data-kind": "ok" });
    const list = make("div", "", { role: "listbox", "aria-label": "Tokens", "aria-orientation": "horizontal" });
    const detail = make("div", "ctxkit-detail");
    root.append(label, box, status, list, detail);
    el.append(root);

    let current = 0;
    const options = () => list.querySelectorAll("[role=option]");
    const describe = (option) => (detail.textContent = option ? option.getAttribute("aria-label") : "");
    const select = (index) => {
      options()[current]?.setAttribute("tabindex", "-1");
      options()[current]?.setAttribute("aria-selected", "false");
      current = Math.min(Math.max(index, 0), options().length - 1);
      options()[current]?.setAttribute("tabindex", "0");
      options()[current]?.setAttribute("aria-selected", "true");
      describe(options()[current]);
    };
    const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    list.addEventListener("keydown", (event) => {
      if (!(event.key in moves) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      select(current + moves[event.key]);
      options()[current]?.focus();
    });
    list.addEventListener("focusin", (event) => select([...options()].indexOf(event.target)));
    list.addEventListener("pointerover", (event) => event.target.getAttribute("role") === "option" && describe(event.target));
    list.addEventListener("pointerleave", () => describe(options()[current]));

    const write = () => {
      const state = model.get("state");
      status.textContent = state.status;
      list.replaceChildren(
        ...state.tokens.flatMap(([text, about]) => {
          const option = make("span", "", { role: "option", tabindex: "-1", "aria-selected": "false", "aria-label": about, title: about });
          option.textContent = text;
          return text.includes("⏎") ? [option, document.createElement("br")] : [option];
        }),
      );
      select(current);
    };
    model.on("change:state", write);
    write();

    let waiting;
    box.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        model.set("text", box.value);
        model.save_changes();
      }, TYPING_PAUSE);
    });
    const fill = () => {
      if (box.value !== model.get("text")) box.value = model.get("text");
    };
    model.on("change:text", fill);
    fill();
    return () => clearTimeout(waiting);
  },
};
