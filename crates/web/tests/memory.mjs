// Measures the memory of the page over time: `node memory.mjs [MINUTES]`. Three windows run Watch, Race and Learn as fast
// as possible, one game, race or training after another. A fourth window opens parts again and again, which must be
// freed. Prints a line per minute. This is not a test, since it takes an hour.

import { closePage, fact, megabytes, openPage, start, stop, withoutAgents } from "./browser.mjs";

const minutes = Number(process.argv[2] ?? 60);
const VISITS = ["#race?speed=Infinity", "#play?board=4x4&show=coach,reach", "#duel?first=nega:2&second=selfplay:1&speed=Infinity", "#watch?board=20x20&speed=Infinity", ...(withoutAgents ? [] : ["#learn?moves=safe"])];
/** The interval of checks of the windows, in milliseconds; at each check the fourth window opens the next part. */
const PATIENCE = 5000;

/** The steps of a training on 4x4 (experiments/page.toml). */
const TRAINING = "256000";

/** Goes to the next game if the current one has ended. */
async function nextGame(page) {
  const ended = /after|first|Nobody/.test(await page.locator(".status").textContent());
  if (ended) await page.keyboard.press("n");
  return ended;
}

/** Goes to the next game, or to the next seed if all background games were played. */
async function nextRace(page) {
  const [, seed = 0] = /seed=(\d+)/.exec(page.url()) ?? [];
  if (!/^1,000 of/.test(await page.locator(".results .note").textContent())) return nextGame(page);
  await page.evaluate((hash) => (location.hash = hash), `#race?speed=Infinity&seed=${Number(seed) + 1}`);
  return true;
}

/** Begins the next training if the current one has ended. */
async function nextTraining(page) {
  const ended = (await fact(page, "Environment steps")) === TRAINING;
  if (ended) await page.getByRole("button", { name: "Start over" }).click();
  return ended;
}

/** Opens the next part. */
async function nextPart(page) {
  page.visits = (page.visits ?? 0) + 1;
  await page.evaluate((hash) => (location.hash = hash), VISITS[page.visits % VISITS.length]);
  return true;
}

const WINDOWS = {
  watch: ["#watch?board=20x20&speed=Infinity", nextGame],
  race: ["#race?speed=Infinity", nextRace],
  ...(withoutAgents ? {} : { learn: ["#learn?moves=safe", nextTraining] }),
  visits: [VISITS[0], nextPart],
};

/** Returns the megabytes of a page's script, and of the WebAssembly in its workers. */
async function held(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  const sizes = await Promise.all(page.workers().map((worker) => worker.evaluate(sizeOfWasm).catch(() => 0)));
  return [usedSize, sizes.reduce((sum, size) => sum + size, 0)].map((bytes) => (bytes / 2 ** 20).toFixed(1));
}

/** Returns the bytes of the WebAssembly's memory in a worker, without loading it again. */
async function sizeOfWasm() {
  const glue = performance.getEntriesByType("resource").map(({ name }) => name).find((name) => name.endsWith("/hognose.js"));
  const { memory } = await (await import(glue)).default();
  return memory.buffer.byteLength;
}

await start();
const windows = await Promise.all(Object.entries(WINDOWS).map(async ([name, [hash, next]]) => ({ name, next, page: await openPage(hash), ended: 0 })));
const started = Date.now();
const passed = () => (Date.now() - started) / 60_000;
console.log(["minute", "MB", ...windows.flatMap(({ name }) => [`${name}: ended`, "heap, MB", "wasm, MB"])].join("\t"));
for (let minute = 1; minute <= minutes; minute++) {
  while (passed() < minute) {
    await windows[0].page.waitForTimeout(PATIENCE);
    for (const its of windows) its.ended += await its.next(its.page);
  }
  const numbers = [];
  for (const { page, ended } of windows) numbers.push(ended, ...(await held(page)));
  console.log([passed().toFixed(1), (await megabytes(windows[0].page)).toFixed(0), ...numbers].join("\t"));
}
for (const { page } of windows) await closePage(page);
await stop();
