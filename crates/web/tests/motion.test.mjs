// Snakes between two steps. Needs no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { layersOf, motion } from "../www/motion.js";

const [BODY, HEAD] = [4, 7];
const SEATS = [BODY, HEAD, 8, 9];

/** Returns the picture of a snake, from head to tail, and of a plan. */
function picture(cells, plan = []) {
  const halves = cells.flatMap((cell, index) => [cells[index - 1], cells[index + 1]].filter(Boolean).map((next) => [...cell, (cell[0] + next[0]) / 2, (cell[1] + next[1]) / 2]));
  const layers = [[1, 0.1, [[9, 9, 9, 9]]], [BODY, 0.6, halves], [5, 0.2, plan], [HEAD, 0.8, [[...cells[0], ...cells[0]]]]];
  return Float32Array.from(layers.filter(([, , lines]) => lines.length).flatMap(([color, width, lines]) => [color, width, lines.length, ...lines.flat()]));
}

/** Returns lines as sorted texts, independent of their order and direction, without duplicates. */
function drawn(numbers, color) {
  const texts = layersOf(numbers).filter((layer) => layer.color === color).flatMap(({ lines }) => lines)
    .map(([x, y, toX, toY]) => [[x, y], [toX, toY]].map(([left, top]) => `${left},${top}`).sort().join(" "));
  return [...new Set(texts)].sort();
}

const SNAKE = [[3.5, 1.5], [2.5, 1.5], [1.5, 1.5], [1.5, 2.5], [2.5, 2.5]];
const MOVED = [[3.5, 2.5], ...SNAKE.slice(0, 4)];

test("a snake glides forward and back", () => {
  for (const [from, to, share] of [[SNAKE, MOVED, 0.25], [MOVED, SNAKE, 0.75]]) {
    const numbers = motion(picture(from), picture(to), SEATS)(share);
    assert.deepEqual(drawn(numbers, HEAD), ["3.5,1.75 3.5,1.75"]);
    const lines = drawn(numbers, BODY);
    assert.ok(lines.includes("3.5,1.5 3.5,1.75"), "the neck grows");
    assert.ok(lines.includes("1.5,2.5 2.25,2.5"), "the tail follows");
    assert.equal(lines.length, 2 + 6);
  }
});

test("a snake that eats keeps its tail, and one cell becomes two", () => {
  const grown = motion(picture(SNAKE), picture([[3.5, 2.5], ...SNAKE]), SEATS)(0.5);
  assert.equal(drawn(grown, BODY).length, 1 + 8);
  assert.ok(drawn(grown, BODY).includes("3.5,1.5 3.5,2"));
  const two = motion(picture([[0.5, 0.5]]), picture([[1.5, 0.5], [0.5, 0.5]]), SEATS)(0.5);
  assert.deepEqual(drawn(two, BODY), ["0.5,0.5 1,0.5"]);
  const on = motion(picture([[1.5, 0.5], [0.5, 0.5]]), picture([[2.5, 0.5], [1.5, 0.5]]), SEATS)(0.5);
  assert.deepEqual(drawn(on, BODY), ["1,0.5 1.5,0.5", "1.5,0.5 2,0.5"]);
  assert.deepEqual(drawn(motion(picture([[0.5, 0.5]]), picture([[0.5, 1.5]]), SEATS)(0.5), HEAD), ["0.5,1 0.5,1"]);
});

test("the head may enter the cell that the tail leaves", () => {
  const ring = [[0.5, 0.5], [1.5, 0.5], [1.5, 1.5], [0.5, 1.5]];
  const lines = drawn(motion(picture(ring), picture([ring[3], ...ring.slice(0, 3)]), SEATS)(0.25), BODY);
  assert.ok(lines.includes("0.5,0.5 0.5,0.75") && lines.includes("0.75,1.5 1.5,1.5"), lines.join("; "));
});

test("a plan begins at the head, and jumps do not glide", () => {
  const plan = [[3.5, 2.5, 3.5, 3.5]];
  const numbers = motion(picture(SNAKE, plan), picture(MOVED, plan), SEATS)(0.5);
  assert.deepEqual(drawn(numbers, 5), ["3.5,2 3.5,2.5", "3.5,2.5 3.5,3.5"]);
  assert.equal(motion(picture(SNAKE), picture(SNAKE), SEATS), undefined);
  assert.equal(motion(picture(SNAKE), picture([[0.5, 0.5]]), SEATS), undefined);
  assert.equal(motion(picture(SNAKE), picture([[4.5, 1.5], [4.5, 2.5], [4.5, 3.5]]), SEATS), undefined);
});
