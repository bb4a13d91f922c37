// The browser computes the same as the machine.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { closePage, openPage, useBrowser } from "./browser.mjs";

useBrowser();

/** Games to play to the end. */
const GAMES = [
  ["certified", "10x10", "0", 0],
  ["certified", "7x7", "3", 1],
  ["certified:1000", "6x6", "18446744073709551615", 2],
  ["optimal", "4x5", "0", 0],
  ["optimal", "3x5", "1", 4],
  ["killer", "16x16", "0", 0],
  ["phc", "12x8", "7", 0],
  ["greedy", "8x6-torus", "0", 3],
  ["random", "20x20", "0", 0],
];

test("the behavior checksum and whole games match the machine", { timeout: 600_000 }, async () => {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const games = GAMES.map((game) => game.join(","));
  const native = JSON.parse(execFileSync("cargo", ["run", "--quiet", "--locked", "--example", "golden", "--", ...games], { cwd: folder }));
  const page = await openPage();
  const computed = await page.evaluate(async (games) => {
    const { Engine } = await import("/engine.js");
    const engine = new Engine(await WebAssembly.compileStreaming(fetch("/hognose_bg.wasm")));
    const records = [];
    for (const game of games) {
      const watch = await engine.create("Watch", game);
      await watch.look_at(2 ** 32 - 1, 2 ** 32 - 1);
      records.push(await watch.record());
    }
    return { behavior: await engine.call("behavior"), records };
  }, GAMES);
  assert.match(native.behavior, /^[0-9a-f]{16} over \d+ games, \d+ steps$/);
  assert.equal(native.records.length, GAMES.length);
  assert.deepEqual(computed, native);
  console.log(`behavior ${computed.behavior}`);
  await closePage(page);
});
