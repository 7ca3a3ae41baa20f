// Likely next words as a table with a bar in each row.
// state = {title, stale, rows: [[word, mark, probability, share], ...]}; all text is written as textContent.

function wordRow([word, mark, probability, share]) {
  const row = make("tr");
  const right = mark !== "other";
  row.dataset.right = String(right);
  const head = make("th");
  head.scope = "row";
  head.append(make("bdi", "", word));
  const bar = make("td", "ctxkit-bar");
  const fill = make("div");
  fill.style.width = `${Math.max(100 * probability, 0.5)}%`;
  bar.setAttribute("aria-hidden", "true");
  bar.append(fill);
  row.append(head, bar, make("td", "ctxkit-number", share), make("td", "ctxkit-verdict", right ? mark : ""));
  return row;
}

export default {
  render({ model, el }) {
    const root = make("div", "ctxkit ctxkit-probe");
    const sentence = make("p");
    sentence.append(make("bdi", "", model.get("content").sentence));
    const table = make("table");
    const caption = make("caption");
    const body = make("tbody");
    table.append(caption, body);
    root.append(sentence, table);
    el.append(root);

    const write = () => {
      const { rows, stale, title } = model.get("state");
      caption.textContent = title;
      table.hidden = rows.length === 0;
      table.classList.toggle("ctxkit-stale", stale);
      body.replaceChildren(...rows.map(wordRow));
    };
    model.on("change:state", write);
    write();
  },
};
