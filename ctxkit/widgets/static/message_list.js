// A table of messages and what became of each. Rows come once; a step brings only runs of equal fates:
// state = {title, runs: [[action, reason, count], ...], reasons: [...], made: [[before, role, text, tokens, reason], ...]}.
// All text is written as textContent.

const FOLD_FROM = 5; // a run of messages that are not sent shows its first two, those with a note, and a button for the rest
const SHOWN = 2;

function messageRow(at, role, text, tokens, note) {
  const row = make("tr");
  row.dataset.role = role;
  const head = make("th", "ctxkit-number", at);
  head.scope = "row";
  const words = make("td");
  words.dir = "auto";
  if (note) row.dataset.noted = "true";
  if (note) words.append(make("span", "ctxkit-note", `★ ${note}: `));
  words.append(make("bdi", "", text));
  words.title = text;
  const badge = make("span", "ctxkit-badge");
  const why = make("span", "ctxkit-hidden");
  const fate = make("td");
  fate.append(badge, why);
  row.append(head, make("td", "", role), words, make("td", "ctxkit-number", tokens), fate);
  return { row, badge, why, fate };
}

export default {
  render({ model, el }) {
    const { words, sent, unfolded, columns } = model.get("content");
    const root = make("div", "ctxkit ctxkit-list");
    const scroll = make("div", "ctxkit-scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    const table = make("table");
    const caption = make("caption");
    const widths = make("colgroup");
    for (const name of ["at", "role", "text", "count", "fate"]) widths.append(make("col", `ctxkit-${name}`));
    const head = make("tr");
    for (const [name, isNumber] of columns) {
      const cell = make("th", isNumber ? "ctxkit-number" : "", name);
      cell.scope = "col";
      head.append(cell);
    }
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    table.append(caption, widths, top, body);
    scroll.append(table);
    root.append(scroll);
    el.append(root);

    let content; // what the rows were made of; it comes with its state in one message, and either may be told first
    let messages = [];
    const open = new Set(); // folds that were opened, by their first message
    const fill = () => {
      if (content === model.get("content")) return;
      content = model.get("content");
      messages = content.rows.map(([role, text, tokens, note], index) => messageRow(index, role, text, tokens, note));
      open.clear();
    };

    const settle = (entry, action, reason) => {
      const [icon, word] = words[action];
      entry.badge.textContent = `${icon} ${word}`;
      entry.why.textContent = reason && `: ${reason}`;
      entry.fate.title = reason;
      entry.row.classList.toggle("ctxkit-out", !sent.includes(action));
      return entry.row;
    };

    const fold = (first, hidden, action, reason) => {
      const row = make("tr", "ctxkit-fold");
      const cell = make("td");
      cell.colSpan = columns.length;
      const button = make("button");
      const write = () => {
        const closed = !open.has(first);
        button.setAttribute("aria-expanded", String(!closed));
        button.textContent = `${closed ? "…" : "▾"} ${hidden.length} more ${words[action][1]}${reason && `: ${reason}`}`;
        hidden.forEach((row) => (row.hidden = closed));
      };
      button.addEventListener("click", () => {
        if (!open.delete(first)) open.add(first);
        write();
      });
      write();
      cell.append(button);
      row.append(cell);
      return row;
    };

    const write = () => {
      fill();
      const { runs, reasons, made, title } = model.get("state");
      caption.textContent = title;
      scroll.setAttribute("aria-label", title);
      const shown = [];
      let at = 0;
      let extra = 0;
      const add = (before) => {
        for (; extra < made.length && made[extra][0] <= before; extra += 1) {
          const [, role, text, tokens, reason] = made[extra];
          shown.push(settle(messageRow("+", role, text, tokens), "made", reason));
        }
      };
      for (const [action, reasonAt, count] of runs) {
        const reason = reasons[reasonAt];
        const run = [];
        for (const end = at + count; at < end; at += 1) {
          add(at);
          const row = settle(messages[at], action, reason);
          row.hidden = false;
          run.push(row);
          shown.push(row);
        }
        if (count < FOLD_FROM || unfolded.includes(action)) continue;
        const hidden = run.slice(SHOWN).filter((row) => !row.dataset.noted);
        if (hidden.length) shown.push(fold(at - count, hidden, action, reason));
      }
      add(at);
      body.replaceChildren(...shown);
    };
    model.on("change:content", write);
    model.on("change:state", write);
    write();
  },
};
