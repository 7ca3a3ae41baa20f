// A page's side of `figure.py`: the Plotly bundle once per page, then Plotly's own widget, drawn to fit and in the page's colours.
//
// The bundle's default export is a factory of an anywidget module. It is given a relay instead of the model: what the kernel sends
// goes through, what the page would report back (the defaults of every trace, at each step) does not.
//
// Plotly's figures change by messages, and those sent before this script listens are lost, as are all of them when the page is loaded again.
// So each figure asks the kernel for its present state first.

const PAGE = (globalThis.__ctxkit_plotly ??= { modules: new Map(), waiting: new Map() });

/** The bundle as a module; asked of the kernel once, by whichever figure comes first. */
function bundle(model, signal) {
  const version = model.get("_bundle_version");
  const kernel = model.get("_kernel");
  if (PAGE.modules.has(version)) return Promise.resolve(PAGE.modules.get(version));
  const key = `${version} ${kernel}`;
  if (!PAGE.waiting.has(key)) PAGE.waiting.set(key, []);
  const waiting = PAGE.waiting.get(key);
  return new Promise((resolve, reject) => {
    waiting.push({ model, resolve, reject });
    signal?.addEventListener("abort", () => leave(key, model));
    if (waiting.length === 1) ask(key, version);
  });
}

function ask(key, version) {
  const [{ model }] = PAGE.waiting.get(key);
  const answer = async (message, buffers) => {
    if (message?.ctxkit !== "bundle") return;
    model.off("msg:custom", answer);
    const waiting = PAGE.waiting.get(key);
    PAGE.waiting.delete(key);
    try {
      const module = await unpack(buffers[0]);
      PAGE.modules.set(version, module);
      waiting.forEach(({ resolve }) => resolve(module));
    } catch (error) {
      waiting.forEach(({ reject }) => reject(error));
    }
  };
  model.on("msg:custom", answer);
  model.send({ ctxkit: "bundle" });
}

/** A figure that was closed waits no more; when it was the one that asked, the next one asks. */
function leave(key, model) {
  const waiting = PAGE.waiting.get(key);
  if (!waiting) return;
  const asked = waiting[0].model === model;
  const rest = waiting.filter((entry) => entry.model !== model);
  PAGE.waiting.set(key, rest);
  if (!rest.length) PAGE.waiting.delete(key);
  else if (asked) ask(key, model.get("_bundle_version"));
}

async function unpack(zipped) {
  const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text();
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** What the bundle sees in place of the model. Listeners are kept by owner, so that those of a removed view go with it. */
class Relay {
  constructor(model) {
    this.model = model;
    this.owner = "model";
    this.listeners = [];
    this.present = {};
    this.said = new Map();
  }
  get(name) {
    return this.said.has(name) ? this.said.get(name) : (this.present[name] ?? this.model.get(name));
  }
  set() {}
  save_changes() {}
  on(event, callback) {
    this.listeners.push({ owner: this.owner, event, callback });
  }
  /** Let the listeners (of one owner) hear an event, as if the kernel had just sent this value. */
  say(name, value, owner) {
    this.said.set(name, value);
    for (const listener of [...this.listeners]) {
      if (listener.event === `change:${name}` && (!owner || listener.owner === owner)) listener.callback();
    }
    this.said.delete(name);
  }
  relayout(changes, owner) {
    this.say("_py2js_relayout", { relayout_data: changes, layout_edit_id: 0, source_view_id: null }, owner);
  }
  forget(owner) {
    this.listeners = this.listeners.filter((listener) => listener.owner !== owner);
  }
}

const FROM_KERNEL = ["addTraces", "deleteTraces", "moveTraces", "restyle", "relayout", "update"].map((name) => `_py2js_${name}`);

function pageIsDark() {
  const body = document.body;
  const light = body.dataset.jpThemeLight;
  if (light) return light === "false";
  if (body.classList.contains("vscode-dark")) return true;
  if (body.classList.contains("vscode-light")) return false;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function whenThemeChanges(react) {
  const observer = new MutationObserver(react);
  observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", react);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", react);
  };
}

/** Call `react` with each new width of an element, once it has one. */
function whenWidthChanges(element, react) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    const now = Math.floor(element.clientWidth);
    if (now > 0 && now !== width) react((width = now));
  });
  observer.observe(element);
  return () => observer.disconnect();
}

export default () => {
  let relay, inner, theme;

  const wear = () => {
    const worn = pageIsDark() ? "dark" : "light";
    if (!inner || worn === theme) return;
    theme = worn;
    relay.relayout(relay.model.get("_themes")[worn]);
  };

  return {
    // Nothing is awaited here: messages reach a model only after this has returned.
    initialize({ model, signal }) {
      relay = new Relay(model);
      const missed = [];
      const present = new Promise((resolve) => {
        model.on("msg:custom", (message) => {
          if (message?.ctxkit !== "state") return;
          missed.length = 0;
          resolve(message.state);
        });
      });
      model.send({ ctxkit: "state" });
      for (const name of FROM_KERNEL) {
        model.on(`change:${name}`, () => {
          const value = model.get(name);
          if (!value) return;
          if (inner) relay.say(name, value);
          else missed.push([name, value]);
        });
      }
      relay.ready = Promise.all([bundle(model, signal), present]).then(([module, state]) => {
        relay.present = state;
        const widget = module.default();
        widget.initialize({ model: relay });
        inner = widget;
        missed.forEach(([name, value]) => relay.say(name, value));
        wear();
      });
      relay.ready.catch(() => {}); // told by each view
      const stop = whenThemeChanges(wear);
      signal?.addEventListener("abort", stop);
    },

    render({ model, el }) {
      const owner = Symbol("view");
      const plot = document.createElement("div");
      const note = document.createElement("div");
      note.className = "ctxkit ctxkit-loading";
      note.textContent = "Loading the chart…";
      el.classList.add("ctxkit-figure");
      el.append(plot, note);
      plot.setAttribute("role", "img");
      const describe = () => plot.setAttribute("aria-label", model.get("_alt"));
      model.on("change:_alt", describe);
      describe();

      let remove = null;
      let gone = false;
      const draw = (width) => {
        if (gone) return;
        if (remove) return relay.relayout({ width }, owner);
        note.remove();
        const layout = relay.get("_widget_layout");
        relay.owner = owner;
        relay.said.set("_widget_layout", { ...layout, width });
        remove = inner.render({ el: plot });
        relay.said.delete("_widget_layout");
        relay.owner = "model";
      };
      let stop = () => {};
      relay.ready.then(
        () => {
          if (!gone) stop = whenWidthChanges(el, draw);
        },
        (error) => {
          note.textContent = `The chart cannot be shown in this browser: ${error}`;
        },
      );
      return () => {
        gone = true;
        stop();
        relay.forget(owner);
        remove?.();
      };
    },
  };
};
