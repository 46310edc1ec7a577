// Elements from names and texts. A text is only ever set as text: nothing of an object becomes markup.

/** `properties`: attributes, but `text`, `on` (listeners by event) and `data`. Null and false are left out. */
export function el(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (key === "data") Object.assign(node.dataset, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Set the text only where it is another: what is selected stays selected. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export const byId = (id) => document.getElementById(id);

/** A plain table; cells are texts or nodes, `numbers` the positions of columns that are aligned to the right. With the
 * class `stack` its rows become cards where it is narrow. */
export function table(heads, rows, { numbers = [], label = "", className = "" } = {}) {
  const side = (at) => (numbers.includes(at) ? "number" : null);
  const cell = (value, at) => el("td", { class: side(at), data: { label: heads[at] } }, value instanceof Node ? value : String(value));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    el("table", { class: className || null },
      el("thead", {}, el("tr", {}, ...heads.map((text, at) => el("th", { scope: "col", class: side(at), text })))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell))))));
}

export function empty(title, text) {
  return el("div", { class: "empty" }, el("h2", { text: title }), el("p", { text }));
}
