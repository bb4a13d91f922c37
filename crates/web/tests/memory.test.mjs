// Closed parts are freed. memory.mjs measures more, in an hour.

import assert from "node:assert/strict";
import { test } from "node:test";
import { closePage, megabytes, openPage, useBrowser } from "./browser.mjs";

useBrowser();

const PARTS = ["#race?policies=certified,killer,shortcut,greedy&speed=60", "#play?board=4x4", "#duel?first=nega:2&second=selfplay:1", "#watch?board=20x20&speed=60"];
/** The maximum growth in MB. Each leaked part would take 5 MB or more. */
const MOST = 30;

test("closed parts are freed", { skip: !process.env.FULL, timeout: 300_000 }, async () => {
  const page = await openPage(PARTS.at(-1));
  const visit = async (times) => {
    for (let time = 0; time < times; time++) {
      for (const hash of PARTS) {
        await page.evaluate((its) => (location.hash = its), hash);
        await page.waitForTimeout(1200);
      }
    }
    return megabytes(page);
  };
  const before = await visit(3);
  const after = await visit(6);
  console.log(`${before.toFixed(0)} MB, and after six rounds more ${after.toFixed(0)} MB`);
  assert.ok(after - before < MOST, `${before} MB became ${after} MB`);
  await closePage(page);
});
