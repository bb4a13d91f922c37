// Measures the speed of the page next to the same Rust code on this machine: `node speed.mjs [ROUNDS]`. Both run in turn
// on one core each, and the shortest times count. This is not a test, since machines differ.

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { address, closePage, DIST, fact, openPage, slowDown, start, stop, until, withoutAgents } from "./browser.mjs";

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

await stop();
await start({ compress: true });

/** Returns the seconds from an empty cache until `isReady`, the fastest of all rounds, and the kilobytes that were loaded. */
async function loading(hash, isReady, isSlow) {
  const found = [];
  for (let round = 0; round < rounds; round++) {
    const cold = await openPage(null, { serviceWorkers: "block" });
    if (isSlow) await slowDown(cold);
    const started = performance.now();
    await cold.goto(address(hash), { waitUntil: "commit" });
    await until(() => isReady(cold));
    found.push((performance.now() - started) / 1000);
    await closePage(cold);
  }
  return Math.min(...found).toFixed(1);
}

const moved = async (page) => /^\d+ of 64 cells, ([1-9]\d*) steps/.test(await page.locator(".scene-words").first().textContent({ timeout: 100 }).catch(() => ""));
const stepped = async (page) => Number(await fact(page, "Step").catch(() => 0)) > 0;
console.log(`\nFirst move after ${await loading("", moved, false)} s, at 1.6 Mbit/s and 150 ms after ${await loading("", moved, true)} s (the fastest of ${rounds} loads).`);
if (!withoutAgents) {
  const learned = async (page) => Number(await fact(page, "Environment steps").catch(() => 0)) > 0;
  console.log(`An agent's first move at that speed: in Learn after ${await loading("#learn", learned, true)} s, in Watch after ${await loading("#watch?policy=dqn:quickstart-6x6&board=6x6", stepped, true)} s (quickstart-6x6) or ${await loading("#watch?policy=dqn:every-board-plans", stepped, true)} s (every-board-plans).`);
}

const cold = await openPage("", { serviceWorkers: "block" });
await until(() => moved(cold));
const names = await cold.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname.slice(1)));
const sizes = await Promise.all([...new Set(["index.html", "worker.js", ...names])].map(async (name) => gzipSync(await readFile(`${DIST}${name}`), { level: 9 }).length));
console.log(`${Math.round(sizes.reduce((sum, size) => sum + size) / 1000)} kB compressed with the first game, parts that are fetched ahead included.`);
await closePage(cold);
await stop();
