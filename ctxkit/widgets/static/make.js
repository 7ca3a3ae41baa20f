// An element with a class and a text, both optional. Put in front of the scripts that use it; text is never markup.
function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}
