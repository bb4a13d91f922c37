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

  /** Shows points `{ step, value, interval }` of `total` steps, and a line at a value if it is known. */
  paint(points, total, at) {
    const known = points.filter(({ value }) => value !== null && value !== undefined);
    const [low, high] = this.range(known, at);
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
    const curve = known.map(({ step, value }, index) => `${index ? "L" : "M"}${x(step)} ${y(inside(value))}`);
    const dots = known.map(({ step, value }) => svg("circle", { class: "dot series-0", cx: x(step), cy: y(inside(value)), r: 3 }));
    return [
      ...grid, ...numbers, name, ...line,
      svg("path", { class: "reach series-0", d: bars.join("") }),
      svg("path", { class: "curve series-0", d: curve.join("") }),
      ...dots,
    ];
  }
}
