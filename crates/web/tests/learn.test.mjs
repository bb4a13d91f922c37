// Learn, as a person uses it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { closePage, fact, openPage, PHONE, until, useBrowser, withoutAgents } from "./browser.mjs";

useBrowser();
const skip = withoutAgents;

const status = (page) => page.locator("main [role=status]").textContent();

test("an agent comes within 10 % of the optimum on 4x4 with safe moves", { skip, timeout: 300_000 }, async () => {
  const page = await openPage("#learn?moves=safe");
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

test("an agent learns 5x5 with all moves, and what it does is shown", { skip }, async () => {
  const page = await openPage("#learn?board=5x5");
  await until(async () => Number(await fact(page, "Gradient steps")) > 120, "gradient steps");
  const inside = page.locator(".inside");
  const text = await inside.textContent();
  assert.match(text, /epsilon 0\.\d+: \d+\.\d\s% of the moves are random/);
  assert.match(text, /[\d,]+ of 50,000 transitions/);
  assert.match(text, /\d+ of 100 gradient steps to the next copy, [1-9]/);
  assert.match(text, /1: predicted -?\d+\.\d\d, TD target -?\d+\.\d\d, TD error [+-]?\d/);
  await until(async () => (await inside.locator("circle.dot").count()) >= 128, "a dot for each transition");
  await until(async () => (await inside.locator("tr.best").count()) === 1, "the best move");
  await until(async () => /random move|best move/.test(await page.locator(".games").textContent()), "a move");
  assert.match(await page.locator(".games").textContent(), /Its first game: step/);
  await until(async () => Number(await fact(page, "Gradient steps")) > 50, "gradient steps");
  await page.getByLabel("Moves").selectOption("safe");
  await until(async () => /wins 100\s%/.test(await status(page)), "another training");
  assert.match(page.url(), /board=5x5&moves=safe/);
  assert.ok(await page.getByLabel("Price of death").isDisabled());
  await closePage(page);
});

test("a new training begins while the previous one sleeps", { skip }, async () => {
  const page = await openPage("#learn?pace=0&moves=safe");
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
  await page.locator("canvas").first().tap();
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

test("a page without agents says what is missing", { skip: !withoutAgents }, async () => {
  const page = await openPage("#learn");
  await until(async () => /built without agents and training/.test(await page.locator("main").textContent()), "words");
  await page.getByRole("link", { name: "play yourself" }).click();
  await until(() => page.getByRole("button", { name: "New game" }).isVisible(), "another part");
  await closePage(page);
});

const taken = async (page) => Number(await fact(page, "Environment steps"));

test("sliders begin another training, and its link is the same training", { skip }, async () => {
  const page = await openPage("#learn?pace=0");
  await until(async () => (await taken(page)) > 0, "environment steps");
  await page.getByLabel("Learning rate").press("ArrowRight");
  await until(() => page.url().includes("rate=0.005"), "the learning rate in the address");
  await until(async () => /learning_rate\.start=0\.005/.test(await page.locator("main code").textContent()), "the setting");
  await page.getByLabel("Steps of n-step returns").press("Home");
  await until(() => page.url().includes("n=1"), "one step in the address");
  await until(async () => /n_step=1/.test(await page.locator("main code").textContent()), "the setting");
  const other = await openPage(new URL(page.url()).hash);
  await until(async () => /start=0\.005.*n_step=1/.test(await other.locator("main code").textContent()), "the settings of the link");
  assert.equal(await other.getByLabel("Learning rate").getAttribute("aria-valuetext"), "0.005");
  await page.getByRole("button", { name: "Usual settings" }).click();
  await until(() => !/rate|n=/.test(page.url()), "the usual address");
  await closePage(page);
  await closePage(other);
});

test("a link to settings that do not exist says so, and keeps the training", { skip }, async () => {
  const page = await openPage("#learn?seed=3&rate=fast&board=9x9");
  const message = page.locator("#message");
  await until(async () => /no training on “9x9”.*no learning rate “fast”/.test(await message.textContent()), "words");
  await until(async () => (await taken(page)) > 1000, "a training anyway");
  assert.match(page.url(), /#learn\?seed=3$/);
  const before = await taken(page);
  await page.evaluate(() => (location.hash = "#learn?discount=2"));
  await until(async () => /no discount “2”/.test(await message.textContent()), "words");
  assert.ok((await taken(page)) >= before);
  assert.match(page.url(), /#learn\?seed=3$/);
  await closePage(page);
});

test("training goes on while another part is open, and in a background tab", { skip }, async () => {
  const page = await openPage("#learn?seed=7");
  await until(async () => (await taken(page)) > 0, "environment steps");
  const open = async (part) => page.getByRole("link", { name: part, exact: true }).first().click();
  await open("Play");
  const before = Date.now();
  await until(() => page.getByRole("button", { name: "New game" }).isVisible(), "another part");
  await page.waitForTimeout(1500);
  await open("Learn");
  await until(async () => (await taken(page)) > 500, "the same training");
  assert.match(page.url(), /seed=7/);
  assert.ok(Date.now() - before < 30_000);
  // As in a hidden tab: no more pictures.
  const hidden = await taken(page);
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    window.requestAnimationFrame = () => 0;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await until(async () => (await taken(page)) > hidden + 2000, "steps in a hidden tab");
  await closePage(page);
});

test("an agent is kept, watched, raced, saved, loaded and removed", { skip, timeout: 120_000 }, async () => {
  const page = await openPage("#learn");
  await until(async () => Number(await fact(page, "Gradient steps")) > 20, "gradient steps");
  await page.keyboard.press(" ");
  await page.getByRole("button", { name: "Keep this agent" }).click();
  await until(async () => /own-4x4 4x4, all moves/.test(await page.locator(".own").textContent()), "the agent in the list");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save it as a file" }).click()]);
  assert.equal(download.suggestedFilename(), "policy.safetensors");
  const policy = await readFile(await download.path());
  const file = page.locator("input[type=file]");
  await file.setInputFiles({ name: "mine.safetensors", mimeType: "", buffer: policy });
  await until(async () => /own-4x4-2 loaded from mine/.test(await page.locator(".own").textContent()), "the loaded agent");
  // Damaged, of another kind, and too large.
  const damaged = Buffer.from(policy);
  damaged[policy.length - 5] ^= 1;
  for (const [name, buffer, words] of [["damaged.safetensors", damaged, /not a complete agent/], ["hello.safetensors", Buffer.from("hello"), /not a complete agent/]]) {
    await file.setInputFiles({ name, mimeType: "", buffer });
    await until(async () => words.test(await page.locator("#message").textContent()) && (await page.locator("#message").textContent()).includes(name), `words about ${name}`);
  }
  await page.evaluate(() => Object.defineProperty(File.prototype, "size", { get: () => 2 ** 30 }));
  await file.setInputFiles({ name: "large.safetensors", mimeType: "", buffer: policy });
  await until(async () => /too large for an agent: it has 1024 MiB/.test(await page.locator("#message").textContent()), "words");
  await page.reload();
  await until(async () => /own-4x4-2/.test(await page.locator(".own").textContent()), "both after a reload");
  await page.getByRole("button", { name: "Remove own-4x4-2" }).click();
  await until(async () => !/own-4x4-2/.test(await page.locator(".own").textContent()), "one");
  await page.locator(".own").getByRole("link", { name: "Race" }).click();
  await until(() => page.url().includes("#race?policies=dqn:own-4x4,certified&board=4x4"), "the race");
  await until(async () => /is first|won|dqn:own-4x4/.test(await page.locator("main").textContent()), "a race");
  await page.goto(page.url().replace(/#.*/, "#watch?policy=dqn:own-4x4&board=4x4&speed=1000"));
  await until(async () => /after|Won|Cut off/.test(await page.locator("main .status").first().textContent()), "the end of a game");
  await page.goto(page.url().replace(/#.*/, "#watch?policy=dqn:own-9x9&board=9x9"));
  await until(async () => /own-9x9 is not in this browser/.test(await page.locator("#message").textContent()), "words");
  await closePage(page);
});

test("full or forbidden storage loses nothing", { skip }, async () => {
  const page = await openPage("#learn");
  await until(async () => Number(await fact(page, "Gradient steps")) > 20, "gradient steps");
  for (const [name, words] of [["QuotaExceededError", /storage for this page is full.*Save it as a file/], ["SecurityError", /does not let this page store anything.*Save it as a file/]]) {
    await page.evaluate((its) => (Storage.prototype.setItem = () => {
      throw new DOMException("no", its);
    }), name);
    await page.getByRole("button", { name: "Keep this agent" }).click();
    await until(async () => words.test(await page.locator("#message").textContent()), name);
  }
  // It is there until the page is closed.
  await page.getByRole("button", { name: "Watch it" }).click();
  await until(() => page.url().includes("#watch?policy=dqn:own-4x4&board=4x4"), "the address");
  await until(async () => Number(await fact(page, "Step")) > 0, "its game");
  await closePage(page);
});

// Prints how well an agent plays at the end, and the time; each takes a minute or less.
for (const hash of ["#learn?moves=safe", "#learn", "#learn?board=5x5&moves=safe", "#learn?board=5x5"]) {
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
    assert.match(await status(page), /The training is complete.* wins \d+\s% of 100 games/);
    await closePage(page);
  });
}
