// What a reader answers with a window, and with that of another strategy: state = {answers: [[kind, who, lead, text], ...]}.
// All text is written as textContent.
export default {
  render({ model, el }) {
    const list = document.createElement("div");
    list.className = "ctxkit ctxkit-answers";
    list.setAttribute("aria-live", "polite");
    el.append(list);

    const write = () => {
      const answers = (model.get("state").answers ?? []).map(([kind, who, lead, quote]) => {
        const box = document.createElement("div");
        box.dataset.kind = kind;
        const parts = [
          ["span", "ctxkit-who", who],
          ["b", "", lead],
          ["blockquote", "", quote],
        ];
        for (const [tag, className, text] of parts) {
          if (!text) continue;
          const part = document.createElement(tag);
          part.className = className;
          part.dir = "auto";
          part.textContent = text;
          box.append(part);
        }
        return box;
      });
      list.replaceChildren(...answers);
    };
    model.on("change:state", write);
    write();
  },
};
