// Measures the memory of the page while games are played as fast as it goes: `node memory.mjs [MINUTES]`. Every fifth
// minute goes to the other parts, which are opened again and again, and must be freed. It is no test: it takes an hour.

import { closePage, megabytes, openPage, start, stop, withoutAgents } from "./browser.mjs";

const minutes = Number(process.argv[2] ?? 60);
const WATCH = "#watch?board=20x20&speed=Infinity";
const OTHERS = ["#race?speed=Infinity", "#play?board=4x4&show=coach,reach", "#duel?first=nega:2&second=selfplay:1&speed=Infinity", ...(withoutAgents ? [] : ["#learn"])];

await start();
const page = await openPage(WATCH);
const go = (hash) => page.evaluate((its) => (location.hash = its), hash);
const started = Date.now();
const passed = () => (Date.now() - started) / 60_000;
let [games, visits, told] = [0, 0, 0];
console.log("minute, games watched, parts opened, MB");
while (passed() < minutes) {
  if (Math.floor(passed()) % 5 === 4) {
    while (Math.floor(passed()) % 5 === 4) {
      await go(OTHERS[visits++ % OTHERS.length]);
      await page.waitForTimeout(3000);
    }
    await go(WATCH);
  }
  await page.waitForTimeout(50);
  const ended = await page.evaluate(() => /after/.test(document.querySelector("main .status")?.textContent ?? ""));
  if (ended) {
    games += 1;
    await page.keyboard.press("n");
    await page.waitForFunction(() => !/after/.test(document.querySelector("main .status")?.textContent ?? ""));
  }
  if (passed() >= told) {
    console.log(`${passed().toFixed(1)}, ${games}, ${visits}, ${(await megabytes(page)).toFixed(0)}`);
    told += 1;
  }
}
await closePage(page);
await stop();
