// Curves with intervals, as SVG in the colors of the page.

import { Chart, ticks } from "./charts.js";
import { svg } from "./elements.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 10, 40];

/** A curve over environment steps. */
export class Curve extends Chart {
  /** `range` returns the lowest and highest value to show, and `line` the text of a line at a value. */
  constructor(label, { range, line, percent = false }) {
    super(label, 170);
    Object.assign(this, { range, line, percent });
  }

  /**
   * Shows points `{ step, value, interval }` of `total` steps, a line at a value if it is known, and the points of an
   * `earlier` curve for comparison.
   */
  paint(points, total, at, earlier = []) {
    const isKnown = ({ value }) => value !== null && value !== undefined;
    const known = points.filter(isKnown);
    const before = earlier.filter(isKnown);
    const [low, high] = this.range([...known, ...before], at);
    const x = (step) => LEFT + (step / total) * (this.width - LEFT - RIGHT);
    const y = (value) => this.height - BOTTOM - ((value - low) / (high - low || 1)) * (this.height - TOP - BOTTOM);
    const inside = (value) => Math.min(Math.max(value, low), high);
    const grid = ticks(low, high, 4).flatMap((value) => [
      svg("path", { class: "grid", d: `M${LEFT} ${y(value)}H${this.width - RIGHT}` }),
      svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, this.percent ? `${Math.round(100 * value)} %` : `${Number(value.toPrecision(6))}`),
    ]);
    const numbers = ticks(0, total, Math.max(2, Math.floor(this.width / 110))).map((value) =>
      svg("text", { x: x(value), y: this.height - BOTTOM + 16, "text-anchor": "middle" }, value.toLocaleString("en")));
    const name = svg("text", { x: (LEFT + this.width - RIGHT) / 2, y: this.height - 6, "text-anchor": "middle" }, "environment steps");
    const line = at === null || at === undefined ? [] : [
      svg("path", { class: "optimum", d: `M${LEFT} ${y(at)}H${this.width - RIGHT}` }),
      svg("text", { class: "optimum", x: this.width - RIGHT, y: y(at) + 14, "text-anchor": "end" }, this.line(at)),
    ];
    const bars = known.filter(({ interval }) => interval).map(({ step, interval: [from, to] }) =>
      `M${x(step)} ${y(inside(from))}V${y(inside(to))}`);
    const path = (its) => its.map(({ step, value }, index) => `${index ? "L" : "M"}${x(step)} ${y(inside(value))}`).join("");
    const dots = known.filter(({ interval }) => interval).map(({ step, value }) => svg("circle", { class: "dot series-0", cx: x(step), cy: y(inside(value)), r: 3 }));
    return [
      ...grid, ...numbers, name, ...line,
      svg("path", { class: "curve earlier", d: path(before.filter(({ step }) => step <= total)) }),
      svg("path", { class: "reach series-0", d: bars.join("") }),
      svg("path", { class: "curve series-0", d: path(known) }),
      ...dots,
    ];
  }
}

/** The predicted values of a batch beside their targets: a dot on the diagonal is a perfect prediction. */
export class Scatter extends Chart {
  constructor(label) {
    super(label, 220);
  }

  /** Shows predictions and targets, and rings around some of them, with their numbers. */
  paint(predicted, targets, ringed) {
    const values = [...predicted, ...targets];
    const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
    const scale = (from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);
    const [x, y] = [scale(LEFT, this.width - RIGHT), scale(this.height - BOTTOM, TOP)];
    const text = (attributes, words) => svg("text", attributes, words);
    const round = (value) => `${Number(value.toPrecision(6))}`;
    const grid = ticks(low, high, 4).flatMap((value) => [
      svg("path", { class: "grid", d: `M${LEFT} ${y(value)}H${this.width - RIGHT}` }),
      text({ x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, round(value)),
      text({ x: x(value), y: this.height - BOTTOM + 16, "text-anchor": "middle" }, round(value)),
    ]);
    const dots = predicted.map((value, index) => svg("circle", { class: "dot series-0", cx: x(value), cy: y(targets[index]), r: 2.5 }));
    const rings = ringed.flatMap((index, number) => [
      svg("circle", { class: "ring", cx: x(predicted[index]), cy: y(targets[index]), r: 7 }),
      text({ class: "ring-number", x: x(predicted[index]), y: y(targets[index]) - 10, "text-anchor": "middle" }, `${number + 1}`),
    ]);
    return [
      ...grid,
      text({ x: (LEFT + this.width - RIGHT) / 2, y: this.height - 6, "text-anchor": "middle" }, "predicted Q-value"),
      text({ x: 0, y: 0, "text-anchor": "middle", transform: `translate(11 ${(this.height - BOTTOM) / 2}) rotate(-90)` }, "TD target"),
      svg("path", { class: "optimum", d: `M${x(low)} ${y(low)}L${x(high)} ${y(high)}` }),
      ...dots, ...rings,
    ];
  }
}
