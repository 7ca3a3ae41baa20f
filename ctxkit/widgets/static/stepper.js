// Buttons that step through a conversation, and play it: `at` is what the page asks for, state = {at, last} where the kernel is.
// Playing goes on only when the kernel has drawn the last step, so nothing queues up; it stops at the end.

const PAUSE = 700; // milliseconds between two steps

export default {
  render({ model, el }) {
    const bar = document.createElement("div");
    bar.className = "ctxkit ctxkit-stepper";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Step through the conversation");
    const [back, forth, play] = ["back", "forth", "play"].map((name) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.does = name;
      bar.append(button);
      return button;
    });
    back.textContent = "◀";
    back.setAttribute("aria-label", "One message back");
    forth.textContent = "▶";
    forth.setAttribute("aria-label", "One message on");
    el.append(bar);

    let timer;
    const here = () => model.get("state");
    const go = (to) => {
      const { at, last } = here();
      const next = Math.min(Math.max(to, 0), last);
      if (next === at) return;
      model.set("at", next);
      model.save_changes();
    };
    const stop = () => {
      clearInterval(timer);
      timer = undefined;
      write();
    };
    const step = () => {
      const { at, last } = here();
      if (at >= last) stop();
      else if (at === model.get("at")) go(at + 1); // else the last step is still being drawn
    };
    back.addEventListener("click", () => go(here().at - 1));
    forth.addEventListener("click", () => go(here().at + 1));
    play.addEventListener("click", () => {
      if (timer) return stop();
      const { at, last } = here();
      if (at >= last) go(0); // played to the end: from the start again
      timer = setInterval(step, PAUSE);
      write();
    });

    const write = () => {
      const { at, last } = here();
      back.setAttribute("aria-disabled", String(at <= 0));
      forth.setAttribute("aria-disabled", String(at >= last));
      play.textContent = timer ? "❚❚ Pause" : "► Play";
    };
    const arrive = () => {
      if (model.get("at") !== here().at && !timer) model.set("at", here().at);
      write();
    };
    model.on("change:state", arrive);
    write();
    return () => clearInterval(timer);
  },
};
