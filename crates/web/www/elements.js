// Creates the elements of parts.

import { boardOf } from "./address.js";
import { grouped, titleOf } from "./names.js";

/** Creates an element with properties and children. Properties with a hyphen, such as `aria-label`, are attributes. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "for" || name === "list") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  back: "M16.5 5v14L8 12zM5.5 5H8v14H5.5z",
  forward: "M7.5 5v14l8.5-7zM16 5h2.5v14H16z",
  restart: "M12 5a7 7 0 1 1-6.6 4.7l2 .7A4.9 4.9 0 1 0 12 7.1V10L7 6l5-4z",
  end: "M5 5v14l6-7zM11.5 5v14l6-7zM17.5 5H20v14h-2.5z",
};

/** Creates a button with an icon, and a label for screen readers. */
export function iconButton(icon, label, onclick) {
  const button = element("button", { type: "button", className: "icon", onclick });
  button.append(svg("svg", { viewBox: "0 0 24 24", width: 22, height: 22, "aria-hidden": "true" }, svg("path", {})));
  setIcon(button, icon, label);
  return button;
}

/** Changes the icon and the label of a button. */
export function setIcon(button, icon, label) {
  button.querySelector("path").setAttribute("d", ICONS[icon]);
  button.setAttribute("aria-label", label);
  button.title = label;
}

/** Creates an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

let fields = 0;

/** Creates a label above a control. */
export function field(label, control, note) {
  control.id ||= `field-${++fields}`;
  return element("div", { className: "field" }, element("label", { for: control.id }, label), control, note);
}

/** Creates a checkbox with its label. */
export function tick(label, title, onchange) {
  const box = element("input", { type: "checkbox" });
  box.onchange = () => onchange(box.checked);
  return { box, label: element("label", { className: "tick", title }, box, label) };
}

/**
 * Creates a control to choose a policy. `onchange` receives the name, and the board if the policy plays only one.
 * `refuse(refusals, board)` greys the policies that refuse the board; one that is chosen nevertheless offers another board.
 */
export function policySelect(policies, onchange) {
  const select = element("select");
  const text = ({ name }) => (titleOf(name) === name ? name : `${titleOf(name)}: ${name}`);
  const options = new Map(policies.map((policy) => [policy.name, element("option", { value: policy.name }, text(policy))]));
  select.append(...grouped(policies).map(({ label, policies: its }) =>
    element("optgroup", { label }, ...its.map(({ name }) => options.get(name)))));
  select.onchange = () => onchange(select.value, policies.find(({ name }) => name === select.value)?.board);
  select.refuse = (refusals, board) => options.forEach((option, name) => {
    const refused = refusals.some((refusal) => refusal.name === name);
    option.classList.toggle("refused", refused);
    option.textContent = `${text({ name })}${refused ? ` (not on ${board})` : ""}`;
  });
  return select;
}

/** Creates the reason why a policy refuses a board, and a button that offers another one. */
export function refusalNote({ name, why, board }, onOffer) {
  const offer = board && element("button", { type: "button", onclick: () => onOffer(board) }, `Play on ${board}`);
  return element("div", { className: "refusal" }, `${titleOf(name)} can't play this board: ${why}.`, offer);
}

/** Selects an entry of a list, and adds it if it is missing: addresses may have others, such as certified:9. */
export function choose(select, value) {
  if (![...select.options].some((option) => option.value === value)) {
    const text = titleOf(value) === value ? value : `${titleOf(value)}: ${value}`;
    select.append(element("option", { value }, text));
  }
  select.value = value;
}

const BOARDS = ["4x4", "5x5", "6x6", "7x7", "8x8", "10x10", "12x12", "16x16", "20x20", "30x30", "8x8-torus"];

/** Creates a field for a board of any size. `onchange` receives its name. */
export function boardInput(onchange) {
  const list = element("datalist", { id: `boards-${++fields}` }, ...BOARDS.map((value) => element("option", { value })));
  const input = element("input", { type: "text", list: list.id, autocomplete: "off", spellcheck: false, size: 10 });
  input.onchange = () => onchange(boardOf(input.value));
  input.onfocus = () => input.select();
  return { input, list };
}

/** Creates a field for a whole number of at least 0. */
export function numberInput(onchange) {
  const input = element("input", { type: "text", inputMode: "numeric", autocomplete: "off", size: 8 });
  input.onchange = () => onchange(input.value.trim());
  return input;
}

/** Creates a list of terms and changeable values, in columns. A term may have several parts. */
export function facts(terms, columns) {
  const values = terms.map(() => element("dd", {}, "–"));
  const pairs = terms.map((term, index) => element("div", {}, element("dt", {}, ...[term].flat()), values[index]));
  const list = element("dl", { className: `facts columns-${columns}` }, ...pairs);
  return { list, show: (texts) => values.forEach((value, index) => (value.textContent = texts[index])) };
}

/** Creates the title and description of a part. */
export function intro(title, text) {
  return element("div", { className: "intro" }, element("h1", {}, title), element("p", {}, text));
}

/** Creates a group of controls that few need, which can be opened. */
export function more(...children) {
  return element("details", { className: "more" }, element("summary", {}, "More"), ...children);
}

/** Creates an explanation that can be opened. */
export function about(...paragraphs) {
  const text = paragraphs.map((paragraph) => element("p", {}, paragraph));
  return element("details", { className: "about" }, element("summary", {}, "What am I looking at?"), ...text);
}

/** Handles keys by name, unless a control uses them. Returns a function that stops it. */
export function listen(acts) {
  function press(event) {
    const act = acts[event.key];
    if (!act || isTyping(event)) return;
    event.preventDefault();
    act();
  }
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}

/** Whether the user prefers reduced motion (`matches`). */
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

const SLIDER_KEYS = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft", "Home", "End", "PageUp", "PageDown"];

/** Returns whether the focused control uses a key. */
export function isTyping({ target, key, altKey, ctrlKey, metaKey }) {
  if (altKey || ctrlKey || metaKey) return true;
  if (target.matches("input[type=range]")) return SLIDER_KEYS.includes(key);
  if (target.matches("button, summary, input[type=checkbox]")) return key === " ";
  return target.matches("input, select, textarea");
}

/**
 * Removes the focus from a button, checkbox or slider of this element after pointer use, so that keys control the game
 * again. After keyboard use the focus stays: clicks by keys have no detail.
 */
export function leaveAfterPointer(root) {
  function leave() {
    const { activeElement: active } = document;
    const isControl = active?.matches("button, summary, input[type=checkbox], input[type=range]");
    if (isControl && root.contains(active)) active.blur();
  }
  const leaveLater = () => setTimeout(leave);
  // A slider handles the end of a drag first.
  addEventListener("pointerup", leaveLater);
  root.addEventListener("click", ({ detail }) => {
    if (detail === 0) return;
    leave();
    // A click on a label focuses its checkbox afterwards.
    leaveLater();
  });
}
