// A table of names and figures: content = {columns: [name, ...]}, state = {caption, rows: [[icon, colour, strong, name, cell, ...], ...]}.
// All text is written as textContent.

export default {
  render({ model, el }) {
    const root = make("div", "ctxkit ctxkit-facts");
    const scroll = make("div", "ctxkit-scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    const table = make("table");
    const caption = make("caption");
    const head = make("tr");
    for (const [place, name] of model.get("content").columns.entries()) {
      const cell = make("th", place ? "ctxkit-number" : "", name);
      cell.scope = "col";
      head.append(cell);
    }
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    table.append(caption, top, body);
    scroll.append(table);
    root.append(scroll);
    el.append(root);

    const write = () => {
      const { caption: title = "", rows = [] } = model.get("state");
      caption.textContent = title;
      scroll.setAttribute("aria-label", title);
      const shown = rows.map(([icon, colour, strong, name, ...cells]) => {
        const row = make("tr", strong ? "ctxkit-strong" : "");
        const first = make("th");
        first.scope = "row";
        if (icon) {
          const mark = make("span", "ctxkit-mark"); // a drawing beside its word, not a word: drawn by the style sheet
          mark.dataset.icon = icon;
          mark.setAttribute("aria-hidden", "true");
          mark.style.color = colour;
          first.append(mark, "\u00a0");
        }
        first.append(make("bdi", "", name));
        row.append(first, ...cells.map((cell) => make("td", "ctxkit-number", cell)));
        return row;
      });
      body.replaceChildren(...shown);
    };
    model.on("change:state", write);
    write();
  },
};
