// What happens inside a training: the replay buffer, a batch, the target network, and the network's layers.

import { Board } from "./board.js";
import { Scatter } from "./curves.js";
import { element } from "./elements.js";
import { DIRECTIONS } from "./words.js";

/** The planes of the observation `egocentric`. */
const PLANES = ["walls", "own body", "still there on arrival", "food", "can be reached", "steps to get there"];
/** The number of transitions whose boards are shown. */
const SAMPLES = 3;

/** A labelled bar that fills. */
export class Gauge {
  #bar = element("progress", { max: 1, value: 0 });
  #text = element("span");

  constructor(label) {
    this.#bar.setAttribute("aria-label", label);
    this.element = element("p", { className: "gauge" }, this.#bar, this.#text);
  }

  show({ now, of }, text) {
    this.#bar.value = now / of;
    this.#text.textContent = text;
  }
}

/** The batch of the last gradient step: predictions beside targets, and the boards of the largest errors. */
export class BatchView {
  #scatter = new Scatter("The batch: predicted values and their TD targets");
  #boards;
  #texts;
  #size;

  constructor(palette) {
    const canvases = Array.from({ length: SAMPLES }, (_, index) =>
      element("canvas", { role: "img", "aria-label": `Transition ${index + 1} with one of the largest errors` }));
    this.#boards = canvases.map((canvas) => new Board(canvas, palette));
    this.#texts = canvases.map(() => element("figcaption"));
    const figures = canvases.map((canvas, index) => element("figure", {}, canvas, this.#texts[index]));
    this.element = element("div", {}, this.#scatter.element, element("div", { className: "samples" }, ...figures));
  }

  show(batch, size) {
    if (!batch) return;
    const { q_values: predicted, targets, samples } = batch;
    if (this.#size !== size) this.#boards.forEach((board) => board.resize(size));
    this.#size = size;
    this.#scatter.show(predicted, targets, samples.map(([index]) => index));
    samples.forEach(([index, picture], number) => {
      this.#boards[number].show(Float32Array.from(picture));
      const error = targets[index] - predicted[index];
      this.#texts[number].textContent = `${number + 1}: predicted ${predicted[index].toFixed(2)}, TD target ${targets[index].toFixed(2)}, TD error ${error > 0 ? "+" : ""}${error.toFixed(2)}`;
    });
  }
}

/** What the network sees after the best move, and what its layers compute for each move. */
export class NetworkView {
  #planes = PLANES.map((name) => units(`Input: ${name}`));
  #rows = DIRECTIONS.map((direction) => {
    const cells = [units(`First hidden layer after ${direction}`), units(`Second hidden layer after ${direction}`), units(`Parts of the value after ${direction}`)];
    const text = element("td", { className: "number" });
    const head = element("th", { scope: "row" }, direction);
    const row = element("tr", { hidden: true }, head, ...cells.map((cell) => element("td", {}, cell)), text);
    return { row, cells, text };
  });

  constructor() {
    const figures = PLANES.map((name, index) => element("figure", {}, this.#planes[index], element("figcaption", {}, name)));
    const names = ["Move", "First layer", "Second layer", "Parts of the value", "Q-value"];
    const head = names.map((name, index) => element("th", { scope: "col", className: index === 4 ? "number" : "" }, name));
    this.element = element("div", {},
      element("div", { className: "planes" }, ...figures),
      element("table", { className: "layers" }, element("thead", {}, element("tr", {}, ...head)),
        element("tbody", {}, ...this.#rows.map(({ row }) => row))));
  }

  show(looks) {
    const best = looks.reduce((best, look) => (best && best.q_value >= look.q_value ? best : look), undefined);
    const known = looks.filter(({ insight }) => insight);
    const of = (best?.insight ? best : known[0])?.insight;
    if (of) PLANES.forEach((_, index) => paint(this.#planes[index], of.planes.slice(index * of.side ** 2, (index + 1) * of.side ** 2), of.side, 1));
    const most = (layer) => Math.max(1e-6, ...known.flatMap(({ insight }) => insight.hidden[layer]));
    const largest = Math.max(1e-6, ...known.flatMap(({ insight }) => insight.terms.map(Math.abs)));
    this.#rows.forEach(({ row, cells, text }, direction) => {
      const look = looks.find((its) => its.direction === direction);
      row.hidden = !look;
      if (!look) return;
      row.classList.toggle("best", look === best);
      text.textContent = look.q_value.toFixed(2);
      cells.forEach((cell) => (cell.hidden = !look.insight));
      if (!look.insight) return;
      const { hidden, terms } = look.insight;
      paint(cells[0], hidden[0], 16, most(0));
      paint(cells[1], hidden[1], 16, most(1));
      bars(cells[2], terms, largest);
    });
  }
}

const units = (label) => element("canvas", { className: "units", role: "img", "aria-label": label });

/** Paints numbers from 0 to `most` as cells in rows of `columns`: the darker, the greater. */
function paint(canvas, numbers, columns, most) {
  const rows = Math.ceil(numbers.length / columns);
  const context = fresh(canvas, columns, rows);
  context.fillStyle = getComputedStyle(canvas).getPropertyValue("--series-0");
  numbers.forEach((number, index) => {
    context.globalAlpha = Math.min(number / most, 1);
    context.fillRect(index % columns, Math.floor(index / columns), 0.92, 0.92);
  });
}

/** Paints numbers as bars from a line in the middle: up what adds to the value, down what takes from it. */
function bars(canvas, numbers, most) {
  const context = fresh(canvas, numbers.length, numbers.length / 4);
  const style = getComputedStyle(canvas);
  const middle = numbers.length / 8;
  numbers.forEach((number, index) => {
    context.fillStyle = style.getPropertyValue(number > 0 ? "--series-2" : "--series-1");
    context.fillRect(index, middle, 0.8, -(number / most) * middle);
  });
  context.fillStyle = style.color;
  context.fillRect(0, middle - 0.03, numbers.length, 0.06);
}

/** Clears a canvas for a picture of this many units across and down, and returns its context in these units. */
function fresh(canvas, across, down) {
  const unit = Math.max(2, Math.round((canvas.clientWidth * devicePixelRatio) / across));
  canvas.style.aspectRatio = `${across} / ${down}`;
  [canvas.width, canvas.height] = [across * unit, Math.round(down * unit)];
  const context = canvas.getContext("2d");
  context.scale(unit, unit);
  return context;
}
