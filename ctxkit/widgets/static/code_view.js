// The settings as code, with a button that copies them: state = {code}. All text is written as textContent.
export default {
  render({ model, el }) {
    const root = document.createElement("div");
    root.className = "ctxkit ctxkit-code";
    const head = document.createElement("div");
    const name = document.createElement("b");
    name.textContent = "As code";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    const said = document.createElement("span");
    said.setAttribute("aria-live", "polite");
    head.append(name, button, said);
    const code = document.createElement("pre");
    code.tabIndex = 0; // it scrolls when it is narrow
    code.setAttribute("role", "region");
    code.setAttribute("aria-label", "The settings as Python");
    root.append(head, code);
    el.append(root);

    const select = () => {
      const range = document.createRange();
      range.selectNodeContents(code);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      code.focus();
    };
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(model.get("state").code); // pages without a secure context have no clipboard
        said.textContent = "✓ Copied.";
      } catch {
        select();
        said.textContent = "Selected: press Ctrl+C (⌘C) to copy.";
      }
    });

    const write = () => {
      const { code: text } = model.get("state");
      if (code.textContent === text) return;
      code.textContent = text ?? "";
      said.textContent = "";
    };
    model.on("change:state", write);
    write();
  },
};
