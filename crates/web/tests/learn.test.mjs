// Learn, as a person uses it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { closePage, fact, openPage, PHONE, until, useBrowser, withoutAgents } from "./browser.mjs";

useBrowser();
const skip = withoutAgents;

const status = (page) => page.locator("main [role=status]").textContent();

test("an agent comes within 10 % of the optimum on 4x4 with safe moves", { skip, timeout: 300_000 }, async () => {
  const page = await openPage("#learn");
  // It wins from the first game.
  await until(async () => /wins 100\s%/.test(await status(page)), "its first games");
  await page.keyboard.press(" ");
  const paused = await fact(page, "Environment steps");
  await page.waitForTimeout(500);
  assert.equal(await fact(page, "Environment steps"), paused);
  await page.keyboard.press(" ");
  const above = async () => Number(/(\d+)\s% above/.exec(await status(page))?.[1] ?? 100);
  const started = Date.now();
  while ((await above()) >= 10 && Date.now() - started < 240_000) await page.waitForTimeout(200);
  assert.ok((await above()) < 10, await status(page));
  console.log(`after ${await fact(page, "Seconds of learning")} s and ${await fact(page, "Gradient steps")} gradient steps: ${await status(page)}`);
  await page.getByRole("button", { name: "Start over" }).click();
  await until(async () => Number(await fact(page, "Environment steps")) < 5000, "a new training");
  await closePage(page);
});

test("an agent learns 5x5 without a mask", { skip }, async () => {
  const page = await openPage("#learn?board=5x5&moves=free");
  await until(async () => Number(await fact(page, "Gradient steps")) > 50, "gradient steps");
  await page.getByLabel("Moves").selectOption("safe");
  await until(async () => /wins 100\s%/.test(await status(page)), "another training");
  assert.match(page.url(), /board=5x5(?!.*moves)/);
  await closePage(page);
});

test("a new training begins while the previous one sleeps", { skip }, async () => {
  const page = await openPage("#learn?pace=0");
  await until(async () => /first games/.test(await status(page)), "its first games");
  await page.waitForTimeout(500);
  await page.getByRole("button", { name: "Start over" }).click();
  // The previous one would wake after two seconds.
  await page.waitForTimeout(2500);
  assert.ok(await page.locator("#message").isHidden(), await page.locator("#message").textContent());
  await closePage(page);
});

test("fingers let an agent learn in a narrow window", { skip }, async () => {
  const page = await openPage("#learn", PHONE);
  const button = (name) => page.getByRole("button", { name, exact: true });
  const steps = async () => Number(await fact(page, "Environment steps"));
  await until(async () => (await steps()) > 0, "environment steps");
  await page.locator("canvas").tap();
  await until(() => button("Learn (space)").isVisible(), "the pause");
  const pace = page.getByLabel("Speed of learning");
  await pace.tap({ position: { x: 2, y: (await pace.boundingBox()).height / 2 } });
  await until(() => page.url().includes("pace=0"), "the lowest speed");
  await button("Learn (space)").tap();
  await until(() => button("Pause (space)").isVisible(), "the training to go on");
  await button("Start over").tap();
  await until(async () => (await steps()) === 0, "a new training");
  await closePage(page);
});

test("a page without agents reports it", { skip: !withoutAgents }, async () => {
  const page = await openPage("#learn");
  await until(async () => /built without agents/.test(await page.locator("#message").textContent()), "words");
  await closePage(page);
});

// Prints how well an agent plays at the end, and the time; each takes a minute or less.
for (const hash of ["#learn", "#learn?moves=free", "#learn?board=5x5", "#learn?board=5x5&moves=free"]) {
  test(`an agent learns to the end: ${hash}`, { skip: skip || !process.env.FULL, timeout: 600_000 }, async () => {
    const page = await openPage(hash);
    const total = async () => [await fact(page, "Environment steps"), await fact(page, "Seconds of learning")];
    let before;
    let now = await total();
    while (before?.join() !== now.join()) {
      await page.waitForTimeout(3000);
      [before, now] = [now, await total()];
    }
    console.log(`${hash}: ${now[0]} steps in ${now[1]} s. ${await status(page)}`);
    assert.match(await status(page), /wins \d+\s% of 100 games/);
    await closePage(page);
  });
}
