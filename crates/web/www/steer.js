// Steers a snake by keyboard and by touch.

import { element, isTyping } from "./elements.js";
import { DIRECTIONS } from "./words.js";

const KEYS = {
  ArrowUp: 0, ArrowRight: 1, ArrowDown: 2, ArrowLeft: 3,
  w: 0, d: 1, s: 2, a: 3, W: 0, D: 1, S: 2, A: 3,
};

/** How far a finger moves until it counts, in pixels. */
const SWIPE = 22;

/** The direction that a key means, unless it is meant for a control. */
export function directionOf(event) {
  return isTyping(event) ? undefined : KEYS[event.key];
}

/** Makes swipes over a canvas steer: `press` hears each direction. A finger that goes on may turn again. */
export function swipes(canvas, press) {
  let touch;
  canvas.classList.add("swiped");
  canvas.onpointerdown = (event) => {
    touch = [event.clientX, event.clientY];
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (!touch) return;
    const [across, down] = [event.clientX - touch[0], event.clientY - touch[1]];
    if (Math.max(Math.abs(across), Math.abs(down)) < SWIPE) return;
    touch = [event.clientX, event.clientY];
    press(Math.abs(across) > Math.abs(down) ? (across > 0 ? 1 : 3) : down > 0 ? 2 : 0);
  };
  canvas.onpointerup = canvas.onpointercancel = () => (touch = undefined);
}

/** Four buttons that steer, where fingers are. */
export function pad(press) {
  const buttons = ["▲", "▶", "▼", "◀"].map((sign, direction) => {
    const button = element("button", { type: "button", className: `pad-${direction}` }, sign);
    button.setAttribute("aria-label", DIRECTIONS[direction]);
    // At once, not when the finger leaves. Keys click, too; no pointer has told them before.
    button.onpointerdown = () => press(direction);
    button.onclick = (event) => event.detail === 0 && press(direction);
    return button;
  });
  return element("div", { className: "pad", role: "group", "aria-label": "Directions" }, ...buttons);
}
