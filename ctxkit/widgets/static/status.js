// The status line of a lab: one live region that stays, so that a screen reader hears each new sentence.
export default {
  render({ model, el }) {
    tendSliders();
    tendTabs();
    const line = document.createElement("div");
    line.className = "ctxkit ctxkit-status";
    line.setAttribute("role", "status");
    const [sentence, icon, lead, text] = ["p", "span", "b", "bdi"].map((tag) => document.createElement(tag));
    icon.setAttribute("aria-hidden", "true");
    sentence.append(icon, " ", lead, " ", text);
    line.append(sentence);
    el.append(line);

    const write = () => {
      const state = model.get("state");
      line.dataset.kind = state.kind;
      icon.textContent = state.icon;
      lead.textContent = state.lead;
      text.textContent = state.text;
    };
    model.on("change:state", write);
    write();
  },
};
