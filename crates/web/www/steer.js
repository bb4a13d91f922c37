// Steers a snake by keyboard and touch.

import { element, isTyping } from "./elements.js";
import { DIRECTIONS } from "./words.js";

const KEYS = {
  ArrowUp: 0, ArrowRight: 1, ArrowDown: 2, ArrowLeft: 3,
  w: 0, d: 1, s: 2, a: 3, W: 0, D: 1, S: 2, A: 3,
};

/** The minimum length of a swipe, in pixels. */
const SWIPE = 22;

/** Returns the direction of a key, unless the focused control uses it. */
export function directionOf(event) {
  return isTyping(event) ? undefined : KEYS[event.key];
}

/** Calls `press` with the directions of swipes over a canvas. One swipe may have several. */
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

/** Creates four buttons that steer, for touch screens. */
export function pad(press) {
  const buttons = ["▲", "▶", "▼", "◀"].map((sign, direction) => {
    const button = element("button", { type: "button", className: `pad-${direction}` }, sign);
    button.setAttribute("aria-label", DIRECTIONS[direction]);
    // React on touch, not on release. Clicks by keys have no pointer event before them.
    button.onpointerdown = () => press(direction);
    button.onclick = (event) => event.detail === 0 && press(direction);
    return button;
  });
  return element("div", { className: "pad", role: "group", "aria-label": "Directions" }, ...buttons);
}
