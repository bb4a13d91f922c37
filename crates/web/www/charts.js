// SVG charts: a histogram of several samples, and bars along a game. 100 lines of code instead of a library are enough
// to follow the colors of the page and to update with new numbers.

import { svg } from "./elements.js";

const LEFT = 44;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 40;

/** A chart that is redrawn when its size changes. */
export class Chart {
  constructor(label, height) {
    this.height = height;
    this.element = svg("svg", { class: "chart", role: "img", "aria-label": label, height });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  show(...data) {
    this.data = data;
    this.draw();
  }

  draw() {
    this.width = this.element.clientWidth;
    this.element.replaceChildren();
    if (this.data && this.width > 0) this.element.append(...this.paint(...this.data));
  }

  /** Returns grid lines and numbers of both axes, and the scales. */
  axes([left, right], top, across, up) {
    const x = (value) => LEFT + ((value - left) / (right - left || 1)) * (this.width - LEFT - RIGHT);
    const y = (value) => this.height - BOTTOM - (value / (top || 1)) * (this.height - TOP - BOTTOM);
    const text = (attributes, ...words) => svg("text", attributes, ...words);
    const lines = ticks(0, top, 4).flatMap((value) => [
      svg("path", { class: "grid", d: `M${LEFT} ${y(value)}H${this.width - RIGHT}` }),
      text({ x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)),
    ]);
    const numbers = ticks(left, right, Math.max(2, Math.floor(this.width / 110))).map((value) =>
      text({ x: x(value), y: this.height - BOTTOM + 16, "text-anchor": "middle" }, short(value)));
    const names = [
      text({ x: (LEFT + this.width - RIGHT) / 2, y: this.height - 6, "text-anchor": "middle" }, across),
      text({ x: 0, y: 0, "text-anchor": "middle", transform: `translate(11 ${(this.height - BOTTOM) / 2}) rotate(-90)` }, up),
    ];
    return { x, y, parts: [...lines, ...numbers, ...names] };
  }
}

/** Returns about `count` round numbers between two values. */
export function ticks(low, high, count) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, index) => (first + index) * step);
}

function short(value) {
  return Number(value.toPrecision(10)).toLocaleString("en");
}

/** Overlaid histograms of several samples, with their means and intervals. */
export class Histograms extends Chart {
  constructor() {
    super("Steps to win of the games won", 260);
  }

  paint(series) {
    const { start, width } = series[0].histogram;
    const end = start + width * series[0].histogram.counts.length;
    const most = Math.max(1, ...series.flatMap(({ histogram }) => histogram.counts));
    const { x, y, parts } = this.axes([start, end], most, "steps to win", "games");
    const shapes = series.flatMap(({ histogram: { counts }, mean, interval, index }) => {
      const outline = counts.map((count, bin) => `V${y(count)}H${x(start + width * (bin + 1))}`).join("");
      const made = [svg("path", { class: `bars series-${index}`, d: `M${x(start)} ${y(0)}${outline}V${y(0)}z` })];
      if (interval) {
        const [low, high] = interval.map(x);
        const band = { x: low, y: TOP, width: high - low, height: y(0) - TOP };
        made.push(svg("rect", { class: `band series-${index}`, ...band }));
      }
      if (mean !== null) made.push(svg("path", { class: `mean series-${index}`, d: `M${x(mean)} ${TOP}V${y(0)}` }));
      return made;
    });
    return [...parts, ...shapes];
  }
}

/** A bar for each step of a game; a click chooses one. */
export class Bars extends Chart {
  constructor(label, onChoose) {
    super(label, 180);
    this.element.onclick = ({ offsetX }) => {
      const [values] = this.data ?? [[]];
      const share = (offsetX - LEFT) / (this.width - LEFT - RIGHT);
      if (values.length && share >= 0 && share <= 1) onChoose(Math.min(Math.floor(share * values.length), values.length - 1));
    };
  }

  /** `values` are the heights of bars, `marked` the bars of lost wins, and `step` the chosen bar. */
  paint(values, marked, step) {
    const most = Math.max(1, ...values);
    const { x, y, parts } = this.axes([0, values.length], most, "step", "steps lost");
    const bars = values.map((value, index) => (value > 0 ? `M${x(index)} ${y(0)}V${y(value)}H${x(index + 1)}V${y(0)}z` : ""));
    const lost = marked.map((index) => `M${x(index)} ${y(0)}V${TOP}H${x(index + 1)}V${y(0)}z`);
    return [
      ...parts,
      svg("path", { class: "lost", d: lost.join("") }),
      svg("path", { class: "given", d: bars.join("") }),
      svg("path", { class: "now", d: `M${x(step)} ${TOP}V${y(0)}` }),
    ];
  }
}
