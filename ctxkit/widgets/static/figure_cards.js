// The key figures of the window lab: state = {cards: [[label, figure, note, more], ...]}. All text is written as textContent.
export default {
  render({ model, el }) {
    const list = document.createElement("div");
    list.className = "ctxkit ctxkit-cards";
    list.setAttribute("role", "list");
    el.classList.add("ctxkit-cards-room");
    el.append(list);

    const write = () => {
      const cards = (model.get("state").cards ?? []).map(([label, figure, note, more]) => {
        const card = document.createElement("div");
        card.setAttribute("role", "listitem");
        const parts = [
          ["ctxkit-label", label],
          ["ctxkit-number", figure],
          ["ctxkit-note", note],
          ["ctxkit-more", more],
        ];
        for (const [className, text] of parts) {
          if (!text) continue;
          const part = document.createElement("div");
          part.className = className;
          const isolated = document.createElement("bdi");
          isolated.textContent = text;
          part.append(isolated);
          card.append(part);
        }
        return card;
      });
      list.replaceChildren(...cards);
    };
    model.on("change:state", write);
    write();
  },
};
