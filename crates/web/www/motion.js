// Pictures between two steps, in which snakes glide from cell to cell. crates/viewer/src/canvas.rs explains the numbers.

/** Returns the layers of a picture: color, line width, and lines as x and y of both ends. */
export function layersOf(numbers) {
  const layers = [];
  for (let at = 0; at < numbers.length;) {
    const [color, width, count] = numbers.subarray(at, at + 3);
    const lines = Array.from({ length: count }, (_, line) => Array.from(numbers.subarray(at + 3 + 4 * line, at + 7 + 4 * line)));
    layers.push({ color, width, lines });
    at += 3 + 4 * count;
  }
  return layers;
}

/**
 * Returns a function from a share, 0 to 1, to the picture between two pictures; undefined if no snake moved by one cell.
 * `seats` has the colors of the body and the head of both snakes.
 */
export function motion(from, to, seats) {
  const [before, after] = [layersOf(from), layersOf(to)];
  const snakes = [seats.slice(0, 2), seats.slice(2)].map((colors) => glide(before, after, colors)).filter(Boolean);
  if (snakes.length === 0) return undefined;
  return (share) => {
    const moving = snakes.map((snake) => snake(share));
    const numbers = after.flatMap((layer, index) => {
      const { color, width, lines } = layer;
      const its = moving.find((snake) => snake.body === layer || snake.head === layer);
      const drawn = its?.body === layer ? its.lines : its ? [[...its.place, ...its.place]] : [...lines];
      if (!its) moving.filter((snake) => index > snake.above).forEach((snake) => drawn.push(...stretched(lines, snake)));
      return [color, width, drawn.length, ...drawn.flat()];
    });
    return Float32Array.from(numbers);
  };
}

/** Returns extra lines that connect lines at the head's goal, such as plans, to the moving head. */
function stretched(lines, { goal, place }) {
  return lines.some(([x, y, ...end]) => same([x, y], goal) && !same(end, goal)) ? [[...place, ...goal]] : [];
}

/** Returns the motion of one snake: its head by one cell, and its tail by one cell unless it has eaten. */
function glide(before, after, [bodyColor, headColor]) {
  const isDot = ({ lines }) => lines.length === 1 && same(lines[0].slice(0, 2), lines[0].slice(2));
  const headOf = (layers) => layers.find((layer) => layer.color === headColor && isDot(layer));
  const bodyOf = (layers) => layers.find(({ color }) => color === bodyColor);
  const [was, head] = [headOf(before), headOf(after)];
  if (!was || !head) return undefined;
  const [start, goal] = [was.lines[0].slice(0, 2), head.lines[0].slice(0, 2)];
  if (Math.abs(start[0] - goal[0]) + Math.abs(start[1] - goal[1]) !== 1) return undefined;
  const body = bodyOf(after);
  const [old, now] = [bodyOf(before)?.lines ?? [], body?.lines ?? []];
  const [came, went] = [without(now, old), without(old, now)];
  const isNeck = (lines) => lines.length === 2 && [start, goal].every((place) => centers(lines).some((center) => same(center, place)));
  // Forward, the neck appears and the tail disappears; backward, the reverse.
  const isForward = isNeck(came);
  const [neck, tail] = isForward ? [came, went] : [went, came];
  const isSnake = old.length + now.length === 0 || (isNeck(neck) && (tail.length === 0 || tail.length === 2));
  // A snake that loses its body, or shrinks to one cell, does not glide.
  if (!isSnake || (now.length === 0 && old.length > 0)) return undefined;
  const ends = tail.length === 2 ? tailOf(tail, isForward ? old : now, isForward ? start : goal) : undefined;
  const still = now.filter((line) => !came.includes(line));
  const [fixed, free] = isForward ? [start, goal] : [goal, start];
  return (share) => {
    const ahead = isForward ? share : 1 - share;
    const lines = [...still];
    if (now.length > 0) lines.push([...fixed, ...between(fixed, free, ahead)]);
    if (ends) lines.push([...between(ends.tip, ends.anchor, ahead), ...ends.anchor]);
    return { body, head, lines, goal, place: between(start, goal, share), above: Math.max(after.indexOf(body), 0) };
  };
}

/** Returns the tip of a tail, which is in only one line, and the cell before it. */
function tailOf(tail, body, head) {
  const places = centers(tail);
  const isTip = (place) => !same(place, head) && body.filter(([x, y]) => same([x, y], place)).length === 1;
  const tip = places.find(isTip) ?? places[0];
  return { tip, anchor: places.find((place) => place !== tip) };
}

const centers = (lines) => lines.map(([x, y]) => [x, y]);
const same = ([x, y], [otherX, otherY]) => x === otherX && y === otherY;
const between = (from, to, share) => from.map((place, axis) => place + (to[axis] - place) * share);

/** Returns the lines of the first list that are not in the second. */
function without(lines, others) {
  const known = new Set(others.map(String));
  return lines.filter((line) => !known.has(String(line)));
}
