// Paints a game on a canvas. The numbers come from Rust; crates/viewer/src/canvas.rs explains them.

import { calm, element, svg } from "./elements.js";
import { motion } from "./motion.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
// The canvas itself listens, so that a removed canvas is freed with its board.
dark.addEventListener("change", () => document.querySelectorAll("canvas").forEach((canvas) => canvas.dispatchEvent(new Event("repaint"))));

/** The longest time of a snake from one cell to the next, in milliseconds. */
const GLIDE = 200;
/** The highest speed at which snakes glide, in steps per second. */
const FASTEST_GLIDE = 30;

/** Returns a small picture of the snake of a seat, 0 or 1, in its colors. */
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

/** The numbers of colors in crates/viewer/src/style.rs. */
const INKS = { grid: 1, cycle: 3, plan: 5, mark: 10 };
/** The colors of adjacent layers that stay the same for many steps. */
const STILL = [INKS.grid, INKS.cycle];

/** Returns a dot in a color of pictures. */
export function swatch({ light, dark }, ink) {
  const dot = element("span", { className: "swatch ink" });
  dot.style.setProperty("--light", light[INKS[ink]]);
  dot.style.setProperty("--dark", dark[INKS[ink]]);
  return dot;
}

/** A canvas that shows pictures of a game, as large as possible. */
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

  /** Sets the number of columns and rows from a board's name. */
  resize(name) {
    [this.#columns, this.#rows] = name.match(/\d+/g).map(Number);
    this.#numbers = this.#motion = undefined;
    const { margin } = this.#palette;
    this.#canvas.style.aspectRatio = `${this.#columns + 2 * margin} / ${this.#rows + 2 * margin}`;
    this.#canvas.style.setProperty("--columns", this.#columns);
    this.#canvas.style.setProperty("--aspect", (this.#columns + 2 * margin) / (this.#rows + 2 * margin));
  }

  /** Clears the canvas. */
  clear() {
    this.#numbers = this.#motion = undefined;
    this.#canvas.getContext("2d").reset();
    this.#canvas.setAttribute("aria-label", "No game");
  }

  /**
   * Shows a picture. `worth` may have the place of the head, and texts for the four cells around it. At a low speed, in
   * steps per second, snakes glide to their new cells.
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
    // Texts in smaller cells are unreadable.
    if (this.#worth && unit >= 34 * devicePixelRatio) this.#paintWorth(context, colors, unit, margin);
  }

  /** Sets coordinates in cells and clips to the board, until the context is restored. */
  #clip(context, unit) {
    const { margin } = this.#palette;
    context.setTransform(unit, 0, 0, unit, margin * unit, margin * unit);
    context.lineCap = "round";
    context.save();
    context.beginPath();
    context.rect(0, 0, this.#columns, this.#rows);
    context.clip();
  }

  /** Paints layers that stay the same for many steps on their own canvas, unless it already has them. */
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

  /** Writes the values of moves into the cells around the head. */
  #paintWorth(context, colors, unit, margin) {
    const { head, texts } = this.#worth;
    const steps = [[0, -1], [1, 0], [0, 1], [-1, 0]];
    // In pixels, since browsers round font sizes below one.
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

/** Returns the end of the layer that begins at `at`. */
function endOfLayer(numbers, at) {
  return at + 3 + 4 * numbers[at + 2];
}

/** Paints the lines of a layer. */
function stroke(context, layer, colors) {
  context.beginPath();
  for (let at = 3; at < layer.length; at += 4) {
    context.moveTo(layer[at], layer[at + 1]);
    // A dot is a very short line, since browsers skip lines without length.
    context.lineTo(layer[at + 2] + 0.001, layer[at + 3]);
  }
  context.strokeStyle = colors[layer[0]];
  context.lineWidth = layer[1];
  context.stroke();
}

/** Sets the size of a canvas in pixels, which clears it, unless it is the same. */
function resize(canvas, [width, height]) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

const isSame = (some, others) => some?.length === others.length && others.every((number, index) => number === some[index]);
