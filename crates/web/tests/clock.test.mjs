// Speeds are real on a slow machine, in simulated time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, SPEEDS } from "../www/clock.js";

/** Plays ten seconds in which each call takes `fixed` milliseconds and `each` for each step. Returns steps per second. */
async function reached(speed, fixed, each) {
  let now = 0;
  let frame;
  let steps = 0;
  const { performance } = globalThis;
  globalThis.performance = { now: () => now };
  globalThis.requestAnimationFrame = (call) => (frame = call);
  const reports = [];
  const clock = new Clock(async (count) => {
    steps += count;
    now += fixed + each * count;
  }, (its) => reports.push(its));
  clock.speed = speed;
  clock.play();
  while (now < 10_000) {
    now += 16;
    const call = frame;
    frame = undefined;
    call(now);
    while (!frame) await new Promise(setImmediate);
  }
  clock.pause();
  globalThis.performance = performance;
  return { speed: (1000 * steps) / now, last: reports.at(-1) };
}

test("a slow round trip to the worker costs pictures, not steps", async () => {
  for (const wanted of [15, 60, 250, 500, 1000]) {
    const { speed, last } = await reached(wanted, 25, 0.1);
    assert.ok(Math.abs(speed / wanted - 1) < 0.1, `${wanted}: ${speed}`);
    assert.ok(Math.abs(last / wanted - 1) < 0.15, `${wanted}: ${last} reported`);
  }
});

test("slow steps do not freeze the picture, and their speed is reported", async () => {
  const { speed, last } = await reached(1000, 5, 10);
  assert.ok(speed > 50 && speed < 100, `${speed}`);
  assert.ok(Math.abs(last / speed - 1) < 0.2, `${last} of ${speed}`);
  assert.ok((await reached(SPEEDS.at(-1), 5, 0.01)).speed > 1000);
});
