// Paints a game on a canvas. What is painted was decided in Rust, where crates/viewer/src/canvas.rs explains the numbers.

import { calm, element, svg } from "./elements.js";
import { motion } from "./motion.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
// The canvas itself listens, so that one which is left is freed with its board.
dark.addEventListener("change", () => document.querySelectorAll("canvas").forEach((canvas) => canvas.dispatchEvent(new Event("repaint"))));

/** The longest time that a snake takes from one cell to the next one, in milliseconds. */
const GLIDE = 200;
/** Up to so many steps a second, snakes glide. */
const FASTEST_GLIDE = 30;

/** A small picture of the snake of a seat, 0 or 1, in its colors. */
export function sample({ light, dark, seats }, seat) {
  const [body, head] = seats.slice(2 * seat);
  const line = (path, number, width) => {
    const part = svg("path", { d: path, "stroke-width": width });
    part.style.setProperty("--light", light[number]);
    part.style.setProperty("--dark", dark[number]);
    return part;
  };
  const picture = svg("svg", { viewBox: "0 0 36 16", width: 36, height: 16, "aria-hidden": "true" }, line("M6 8h20", body, 10), line("M26 8h0", head, 13));
  return element("span", { className: "sample" }, picture);
}

/** The numbers of colors, as crates/viewer/src/style.rs has them. */
const INKS = { grid: 1, cycle: 3, plan: 5, mark: 10 };
/** What stays as it is for many steps. Their layers follow each other. */
const STILL = [INKS.grid, INKS.cycle];

/** A dot in the color that something has in pictures. */
export function swatch({ light, dark }, ink) {
  const dot = element("span", { className: "swatch ink" });
  dot.style.setProperty("--light", light[INKS[ink]]);
  dot.style.setProperty("--dark", dark[INKS[ink]]);
  return dot;
}

/** A canvas that shows pictures of a game, as large as its place allows. */
export class Board {
  #canvas;
  #palette;
  #columns;
  #rows;
  #numbers;
  #worth;
  #motion;
  #began;
  #duration;
  #still = { canvas: element("canvas") };

  /** @param {{light: string[], dark: string[], seats: number[], margin: number}} palette */
  constructor(canvas, palette) {
    this.#canvas = canvas;
    this.#palette = palette;
    new ResizeObserver(() => this.#paint()).observe(canvas);
    canvas.addEventListener("repaint", () => this.#paint());
  }

  /** The number of columns and rows from now on, as a board's name tells them. */
  resize(name) {
    [this.#columns, this.#rows] = name.match(/\d+/g).map(Number);
    this.#numbers = this.#motion = undefined;
    const { margin } = this.#palette;
    this.#canvas.style.aspectRatio = `${this.#columns + 2 * margin} / ${this.#rows + 2 * margin}`;
    this.#canvas.style.setProperty("--columns", this.#columns);
    this.#canvas.style.setProperty("--aspect", (this.#columns + 2 * margin) / (this.#rows + 2 * margin));
  }

  /** Shows nothing. */
  clear() {
    this.#numbers = this.#motion = undefined;
    this.#canvas.getContext("2d").reset();
    this.#canvas.setAttribute("aria-label", "No game");
  }

  /**
   * Shows a picture; `worth` may have a head's place and texts for the four cells around it. At a low speed, in steps a
   * second, snakes glide to where they are.
   */
  show(numbers, { worth, speed = Infinity } = {}) {
    if (this.#motion && !worth && isSame(this.#numbers, numbers)) return;
    const glides = this.#numbers && !worth && !calm.matches && speed <= FASTEST_GLIDE;
    this.#motion = glides ? motion(this.#numbers, numbers, this.#palette.seats) : undefined;
    this.#numbers = numbers;
    this.#worth = worth;
    if (!this.#motion) {
      this.#paint();
      return;
    }
    this.#began = performance.now();
    this.#duration = Math.min(1000 / speed, GLIDE);
    this.#move(this.#motion);
  }

  /** Paints the pictures between two steps. */
  #move(motion) {
    if (motion !== this.#motion) return;
    const share = (performance.now() - this.#began) / this.#duration;
    if (share >= 1) this.#motion = undefined;
    else requestAnimationFrame(() => this.#move(motion));
    this.#paint(share < 1 ? motion(share) : this.#numbers);
  }

  #paint(numbers = this.#numbers) {
    const { width, height } = this.#canvas.getBoundingClientRect();
    if (!numbers || width === 0) return;
    const pixels = [width, height].map((length) => Math.round(length * devicePixelRatio));
    resize(this.#canvas, pixels);
    const context = this.#canvas.getContext("2d");
    const { margin } = this.#palette;
    const colors = dark.matches ? this.#palette.dark : this.#palette.light;
    const unit = pixels[0] / (this.#columns + 2 * margin);
    context.resetTransform();
    context.fillStyle = colors[0];
    context.fillRect(0, 0, ...pixels);
    this.#clip(context, unit);
    for (let at = 0; at < numbers.length;) {
      let end = endOfLayer(numbers, at);
      if (STILL.includes(numbers[at])) {
        while (STILL.includes(numbers[end])) end = endOfLayer(numbers, end);
        this.#paintStill(numbers.subarray(at, end), pixels, colors, unit);
        context.save();
        context.resetTransform();
        context.drawImage(this.#still.canvas, 0, 0);
        context.restore();
      } else {
        // The last layer is the frame around the board.
        if (end === numbers.length) context.restore();
        stroke(context, numbers.subarray(at, end), colors);
      }
      at = end;
    }
    // Below this size texts in cells can't be read.
    if (this.#worth && unit >= 34 * devicePixelRatio) this.#paintWorth(context, colors, unit, margin);
  }

  /** Paints in cells from now on, and only on the board, until the context is restored. */
  #clip(context, unit) {
    const { margin } = this.#palette;
    context.setTransform(unit, 0, 0, unit, margin * unit, margin * unit);
    context.lineCap = "round";
    context.save();
    context.beginPath();
    context.rect(0, 0, this.#columns, this.#rows);
    context.clip();
  }

  /** Paints layers that stay as they are for many steps on a canvas of their own, unless they are there. */
  #paintStill(layers, pixels, colors, unit) {
    const { canvas } = this.#still;
    const look = `${pixels} ${colors}`;
    if (this.#still.look === look && isSame(this.#still.layers, layers)) return;
    Object.assign(this.#still, { look, layers: layers.slice() });
    resize(canvas, pixels);
    const context = canvas.getContext("2d");
    context.resetTransform();
    context.clearRect(0, 0, ...pixels);
    this.#clip(context, unit);
    for (let at = 0; at < layers.length; at = endOfLayer(layers, at)) {
      stroke(context, layers.subarray(at, endOfLayer(layers, at)), colors);
    }
    context.restore();
  }

  /** Writes what moves are worth into the cells around the head. */
  #paintWorth(context, colors, unit, margin) {
    const { head, texts } = this.#worth;
    const steps = [[0, -1], [1, 0], [0, 1], [-1, 0]];
    // In pixels: browsers round fonts that are smaller than one.
    context.resetTransform();
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const { index, text, best } of texts.filter(({ number }) => number)) {
      const [x, y] = head.map((place, axis) => (place + steps[index][axis] + 0.5 + margin) * unit);
      context.font = `${best ? 700 : 400} ${Math.round(0.26 * unit)}px system-ui, sans-serif`;
      const width = Math.min(context.measureText(text).width + 0.12 * unit, 0.96 * unit);
      context.fillStyle = colors[0];
      context.beginPath();
      context.roundRect(x - width / 2, y - 0.18 * unit, width, 0.36 * unit, 0.1 * unit);
      context.fill();
      context.fillStyle = best ? colors[7] : getComputedStyle(this.#canvas).color;
      context.fillText(text, x, y + 0.02 * unit, 0.9 * unit);
    }
  }
}

/** Where the layer that begins at this number ends. */
function endOfLayer(numbers, at) {
  return at + 3 + 4 * numbers[at + 2];
}

/** Paints the lines of a layer. */
function stroke(context, layer, colors) {
  context.beginPath();
  for (let at = 3; at < layer.length; at += 4) {
    context.moveTo(layer[at], layer[at + 1]);
    // A dot is a very short line: browsers leave out lines of no length.
    context.lineTo(layer[at + 2] + 0.001, layer[at + 3]);
  }
  context.strokeStyle = colors[layer[0]];
  context.lineWidth = layer[1];
  context.stroke();
}

/** Gives a canvas so many pixels, which clears it, unless it has them. */
function resize(canvas, [width, height]) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

const isSame = (some, others) => some?.length === others.length && others.every((number, index) => number === some[index]);
