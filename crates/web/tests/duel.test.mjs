// Duel, as a person uses it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { closePage, fact, openPage, PHONE, until, useBrowser } from "./browser.mjs";

useBrowser();

const status = (page) => page.locator("main [role=status]").textContent();
const step = async (page) => parseInt(await fact(page, "Step"));
const waits = (page) => until(async () => (await status(page)).includes("Press an arrow"), "the duel to wait for the user");

test("the user plays by keyboard, and no press is lost", async () => {
  const page = await openPage("#duel?second=one-ply&speed=2");
  await waits(page);
  // The first snake heads up, near the left side.
  for (const key of ["ArrowRight", "ArrowUp", "ArrowLeft", "w"]) await page.keyboard.press(key);
  await until(async () => (await step(page)) >= 5, "five steps");
  await page.keyboard.press(" ");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the duel" }).click();
  const record = await readFile(await (await download).path(), "utf8");
  assert.match(record, /^hognose-duel-record 2\n/);
  assert.match(record, /first_moves rulu/);
  // Goes back, and continues from the end of the duel.
  await page.keyboard.press(",");
  const back = await step(page);
  await page.keyboard.press("ArrowRight");
  await until(async () => (await step(page)) > back + 1, "the duel to go on at its end");
  await until(async () => /(won|draw) after \d+ steps, lengths/.test(await status(page)), "the end");
  await page.keyboard.press("n");
  await waits(page);
  assert.match(page.url(), /game=1/);
  await page.goBack();
  await until(async () => !page.url().includes("game=1") && (await step(page)) === 0, "the first duel");
  await closePage(page);
});

test("fingers steer in a narrow window", async () => {
  const page = await openPage("#duel?second=greedy&speed=4", PHONE);
  await waits(page);
  await page.getByRole("button", { name: "Right", exact: true }).tap();
  await until(async () => (await step(page)) >= 1, "the duel to begin");
  await closePage(page);
});

test("two bots play the duel of an address to its end", async () => {
  const page = await openPage("#duel?first=nega:4&second=selfplay:2&show=plans&speed=120&seed=3");
  await until(async () => (await step(page)) >= 20, "twenty steps");
  await page.keyboard.press(" ");
  await until(() => /step=\d+$/.test(page.url()), "the pause");
  const facts = () => page.locator(".facts").textContent();
  const shown = [await fact(page, "Step"), await facts()];
  await page.reload();
  await until(async () => (await fact(page, "Step")) === shown[0], "the same step");
  assert.equal(await facts(), shown[1]);
  // Small pictures show the colors of the snakes.
  const stroke = (index) => page.locator(".facts .sample path").nth(index).evaluate((path) => getComputedStyle(path).stroke);
  assert.notEqual(await stroke(0), await stroke(2));
  await page.keyboard.press("End");
  await until(async () => /after \d+ steps/.test(await status(page)), "the end");
  // The level is part of a bot's name.
  await page.getByLabel("Level").first().fill("1");
  await until(async () => page.url().includes("first=nega:1"), "another level");
  await closePage(page);
});

test("a rejected seed after a duel does not stop the page", async () => {
  const page = await openPage("#duel?first=greedy&second=one-ply&speed=Infinity");
  await until(async () => /after \d+ steps/.test(await status(page)), "the end");
  await page.locator(".more summary").click();
  await page.getByLabel("Seed").fill("x");
  await page.keyboard.press("Tab");
  await until(async () => (await page.locator("#message").textContent()) !== "", "words");
  await page.getByRole("button", { name: /^Play/ }).click();
  await page.getByLabel("Seed").fill("1");
  await page.keyboard.press("Tab");
  await until(async () => (await step(page)) > 0, "another duel");
  await closePage(page);
});

test("the user swaps seats with the bot", async () => {
  const page = await openPage("#duel?second=greedy");
  await waits(page);
  await page.getByLabel("Second snake").selectOption("you");
  await until(() => /first=greedy&second=you/.test(page.url()), "the bot in the other seat");
  await waits(page);
  await closePage(page);
});

test("invalid addresses are reported", async () => {
  const page = await openPage("#duel?second=negra");
  await until(async () => /did you mean nega/.test(await page.locator("#message").textContent()), "words");
  await page.goto(page.url().replace("negra", "exec:sh"));
  await until(async () => /is refused here/.test(await page.locator("#message").textContent()), "words");
  await closePage(page);
});
