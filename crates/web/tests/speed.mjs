// Measures the speed of the page next to the same Rust code on this machine: `node speed.mjs [ROUNDS]`. Both run in turn
// on one core each, and the shortest times count. This is not a test, since machines differ.

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { address, closePage, DIST, openPage, start, stop } from "./browser.mjs";

const WORK = ["certified,10x10,40", "killer,16x16,60", "cell-tree,20x20,40", "hamiltonian,30x30,20", "greedy,10x10,400", "optimal,5x5,0", "optimal,4x5,2000"];
const rounds = Number(process.argv[2] ?? 5);
const folder = fileURLToPath(new URL("..", import.meta.url));

function native() {
  const environment = { ...process.env, RAYON_NUM_THREADS: "1" };
  return JSON.parse(execFileSync("cargo", ["run", "--quiet", "--release", "--locked", "--example", "speed", "--", ...WORK], { cwd: folder, env: environment }));
}

function inBrowser(page) {
  return page.evaluate(async (work) => {
    const { Engine } = await import("/engine.js");
    const engine = new Engine(await WebAssembly.compileStreaming(fetch("/hognose_bg.wasm")));
    const seconds = [];
    for (const [policy, board, games] of work.map((text) => text.split(","))) {
      const started = performance.now();
      const race = await engine.create("Race", [[policy], board, "0"]);
      await race.advance(2 ** 32 - 1, Number(games));
      seconds.push((performance.now() - started) / 1000);
    }
    engine.close();
    return seconds;
  }, WORK);
}

await start();
native();
const page = await openPage("#play");
const best = { native: WORK.map(() => Infinity), browser: WORK.map(() => Infinity) };
for (let round = 0; round < rounds; round++) {
  native().forEach((seconds, index) => (best.native[index] = Math.min(best.native[index], seconds)));
  (await inBrowser(page)).forEach((seconds, index) => (best.browser[index] = Math.min(best.browser[index], seconds)));
}
console.log("| Work | Machine, s | Browser, s | Speed |\n|---|--:|--:|--:|");
WORK.forEach((work, index) => {
  const [ours, its] = [best.native[index], best.browser[index]];
  console.log(`| ${work} | ${ours.toFixed(3)} | ${its.toFixed(3)} | ${(ours / its).toFixed(2)} |`);
});
await closePage(page);

// From an empty cache to the first move on the screen.
const firsts = [];
for (let round = 0; round < rounds; round++) {
  const cold = await openPage(null);
  const started = performance.now();
  await cold.goto(address("#watch?speed=Infinity"));
  await cold.waitForFunction(() => Number(document.querySelector("dd")?.textContent.replace(",", "")) > 0);
  firsts.push(performance.now() - started);
  await closePage(cold);
}
console.log(`\nFirst move on the screen after ${Math.min(...firsts).toFixed(0)} ms (the fastest of ${rounds} loads).`);

const names = ["index.html", "style.css", "main.js", "address.js", "agents.js", "agents/agents.json", "ahead.js", "elements.js", "engine.js", "worker.js", "watch.js", "board.js", "clock.js", "motion.js", "transport.js", "words.js", "hognose.js", "hognose_bg.wasm", "icon.svg"];
const sizes = await Promise.all(names.map(async (name) => gzipSync(await readFile(`${DIST}${name}`), { level: 9 }).length));
console.log(`${Math.round(sizes.reduce((sum, size) => sum + size) / 1000)} kB compressed before the first game.`);
await stop();
