// Enter in the text box that stands in the same row. It brings the text along: ipywidgets sends what is typed when the
// kernel is done with what was typed before, and its own message about Enter overtakes that.
export default {
  render({ model, el }) {
    el.style.display = "none"; // nothing to see
    const press = (event) => {
      const box = event.target;
      const ours = box.tagName === "INPUT" && el.parentElement?.contains(box);
      const other = event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || event.isComposing; // runs a cell, for instance
      if (ours && event.key === "Enter" && !other) model.send({ text: box.value });
    };
    window.addEventListener("keydown", press, true);
    return () => window.removeEventListener("keydown", press, true);
  },
};
