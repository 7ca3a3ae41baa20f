// What every row of toggle buttons of a page gets, put in front of a script that every lab brings.
//
// Arrow keys, Home and End move the focus within the row, as in a list of tabs; Space and Enter choose, as ever.
// They go no further: to a notebook an arrow key means another cell, which would take the focus out of the lab.
function tendTabs() {
  if (window.ctxkitTendsTabs) return; // one listener for a page, however many labs it holds
  window.ctxkitTendsTabs = true;
  const press = (event) => {
    const row = event.target.closest?.(".ctxkit .widget-toggle-buttons");
    if (!row || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    const buttons = [...row.querySelectorAll("button")];
    const at = buttons.indexOf(event.target);
    const last = buttons.length - 1;
    const before = at > 0 ? at - 1 : last;
    const after = at < last ? at + 1 : 0;
    const goals = { ArrowLeft: before, ArrowUp: before, ArrowRight: after, ArrowDown: after, Home: 0, End: last };
    if (at < 0 || !(event.key in goals)) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[goals[event.key]].focus();
  };
  window.addEventListener("keydown", press, true);
}
