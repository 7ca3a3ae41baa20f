// A list whose order is changed by buttons or by Alt+Up and Alt+Down; each thing in it can be left out by its checkbox.
// content = {label, names}, state = {notes}, picked = {order: places in names, on: [is in use, ...]}. All text is written as textContent.

const OFF = "left out";

export default {
  render({ model, el }) {
    const { label, names } = model.get("content");
    const root = make("div", "ctxkit ctxkit-order");
    const title = make("div", "ctxkit-label", label);
    title.append(make("span", "ctxkit-help", " · move them by ↑ and ↓ or Alt+↑ and Alt+↓, untick to leave out"));
    const list = make("ol");
    list.setAttribute("aria-label", label);
    const said = make("div", "ctxkit-hidden"); // stays, so that a screen reader hears each new sentence
    said.setAttribute("aria-live", "polite");
    root.append(title, list, said);
    el.append(root);

    const picked = () => model.get("picked");
    const used = () => picked().order.filter((place) => picked().on[place]);
    const choose = (order, on) => {
      model.set("picked", { order, on });
      model.save_changes();
    };

    const move = (place, by) => {
      const { order, on } = picked();
      const from = order.indexOf(place);
      const to = from + by;
      if (to < 0 || to >= order.length) {
        said.textContent = `${names[place]} is ${to < 0 ? "first" : "last"} already.`;
        return;
      }
      const moved = [...order];
      [moved[from], moved[to]] = [moved[to], moved[from]];
      choose(moved, on);
      said.textContent = `${names[place]}: now ${to + 1} of ${order.length}.`;
    };

    const items = names.map((name, place) => {
      const item = make("li");
      const number = make("span", "ctxkit-place");
      const check = make("input");
      check.type = "checkbox";
      const text = make("label");
      text.append(check, make("bdi", "", name));
      const note = make("bdi", "ctxkit-does");
      const moves = make("span", "ctxkit-moves");
      const [up, down] = [["↑", "up", -1], ["↓", "down", 1]].map(([sign, word, by]) => {
        const button = make("button", "", sign);
        button.type = "button";
        button.setAttribute("aria-label", `Move ${name} ${word}`);
        button.addEventListener("click", () => move(place, by));
        moves.append(button);
        return button;
      });
      check.addEventListener("change", () => {
        const { order, on } = picked();
        choose(order, on.map((is, other) => (other === place ? check.checked : is)));
        said.textContent = check.checked ? `${name}: in use, ${used().indexOf(place) + 1} of ${used().length}.` : `${name}: ${OFF}.`;
      });
      item.addEventListener("keydown", (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!by || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        event.stopPropagation();
        move(place, by);
      });
      item.append(number, text, note, moves);
      return { item, number, check, note, up, down };
    });

    const write = () => {
      const { order, on } = picked();
      const { notes } = model.get("state");
      const focused = list.contains(document.activeElement) ? document.activeElement : null;
      const shown = order.map((place) => items[place].item);
      if (shown.some((item, at) => list.children[at] !== item)) {
        list.replaceChildren(...shown);
        focused?.focus(); // an element that is moved loses the focus
      }
      let count = 0;
      order.forEach((place, at) => {
        const { item, number, check, note, up, down } = items[place];
        check.checked = on[place];
        item.toggleAttribute("data-off", !on[place]);
        number.textContent = on[place] ? `${(count += 1)}.` : "–";
        note.textContent = on[place] ? notes[place] : OFF;
        up.setAttribute("aria-disabled", String(at === 0));
        down.setAttribute("aria-disabled", String(at === order.length - 1));
      });
    };
    model.on("change:picked", write);
    model.on("change:state", write);
    write();
  },
};
