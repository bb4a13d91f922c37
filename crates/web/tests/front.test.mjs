// The front, sharing, and visits without a connection, as a visitor uses them.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { boardOf } from "../www/address.js";
import { address, closePage, DIST, openPage, PHONE, until, useBrowser } from "./browser.mjs";

useBrowser();

const words = (page, scene = 0) => page.locator(".scene-words").nth(scene).textContent();

test("a board fills by itself, and the next game begins", { timeout: 120_000 }, async () => {
  const page = await openPage();
  await page.getByRole("heading", { name: "This snake never loses. Can you beat it?" }).waitFor();
  await until(async () => /^[2-9] of 64 cells/.test(await words(page)), "the second food");
  await until(async () => (await words(page)).startsWith("Won: the board is full"), "the win");
  await until(async () => /of 64 cells/.test(await words(page)), "the next game");
  await closePage(page);
});

test("each board of the story plays once it is on the screen, and the reader can touch it", async () => {
  const page = await openPage("", PHONE);
  const chapters = page.locator(".story article");
  await chapters.first().waitFor();
  assert.ok((await chapters.count()) >= 5);
  for (let index = 0; index < 5; index++) {
    const chapter = chapters.nth(index);
    assert.equal(await chapter.locator(".scene-words").textContent(), "");
    await chapter.locator("canvas").scrollIntoViewIfNeeded();
    await until(async () => /cells/.test(await chapter.locator(".scene-words").textContent()), `the board of step ${index + 1}`);
    await chapter.locator("canvas").tap();
    await chapter.getByRole("button", { name: "Play" }).waitFor();
    const slider = chapter.getByRole("slider", { name: "Step" });
    await slider.fill(`${await slider.getAttribute("max")}`);
    const ending = index === 0 ? /^Lost/ : /^Won/;
    await until(async () => ending.test(await chapter.locator(".scene-words").textContent()), "the end of the game");
    await chapter.getByRole("button", { name: "Next game" }).tap();
    await until(async () => / cells, /.test(await chapter.locator(".scene-words").textContent()), "another game");
  }
  await closePage(page);
});

test("nothing moves by itself with reduced motion", async () => {
  const page = await openPage("", { reducedMotion: "reduce" });
  await until(async () => /cells/.test(await words(page)), "a game");
  const shown = await words(page);
  await page.waitForTimeout(500);
  assert.equal(await words(page), shown);
  await closePage(page);
});

test("every part can be shared: its link, a line, and a picture", async () => {
  const page = await openPage("#watch?board=6x6&step=30", { permissions: ["clipboard-read", "clipboard-write"] });
  const share = async (what) => {
    await page.locator(".share summary").click();
    await page.locator(".share").getByRole("button", { name: what }).click();
  };
  for (const [hash, text] of [
    ["#start", "This snake never loses. Can you beat it? "], ["#watch?board=6x6&step=30", "Planner (certified) plays Snake on 6x6. "],
    ["#race?board=6x6", "Greedy snake against Cycle follower against Planner on 6x6."], ["#duel?second=one-ply", "Duel of snakes: you against one-ply. "],
    ["#play?board=4x4&seed=1&moves=u", ""],
  ]) {
    await page.goto(address(hash));
    await page.locator("canvas").first().waitFor();
    await share("Copy a link");
    await until(async () => (await page.locator("#message").textContent()).startsWith(`Copied: ${text}`), hash);
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.startsWith(text) && copied.includes(address(hash.split("?")[0])), copied);
    const download = page.waitForEvent("download");
    await share("Save a picture");
    const bytes = await readFile(await (await download).path());
    assert.equal(bytes.subarray(1, 4).toString(), "PNG", hash);
  }
  await closePage(page);
});

test("the board of the day has one result line", async () => {
  const page = await openPage("", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("link", { name: "Play today's board" }).click();
  await until(() => /#play\?board=6x6&seed=20\d{6}$/.test(page.url()), "the date as seed");
  await until(async () => (await page.locator(".status").textContent()).includes("to begin"), "the board");
  await page.keyboard.press("ArrowUp");
  await until(async () => /^You lost/.test(await page.locator(".status").textContent()), "the end");
  await page.locator(".share summary").click();
  await page.locator(".share").getByRole("button", { name: "Copy a link" }).click();
  await until(async () => /6x6, 20\d\d-\d\d-\d\d: I filled \d+ of 36 cells/.test(await page.locator("#message").textContent()), "the line");
  await closePage(page);
});

test("a line tells a win on the board of the day from others", async () => {
  const { daily, resultLine } = await inPage();
  const game = { end: "won", step: 171, length: 36, area: 36 };
  assert.match(resultLine({ ...daily(), rules: "" }, game), /^6x6, 20\d\d-\d\d-\d\d: I needed 171 steps; perfect play needs 151.3 on average\.$/);
  assert.equal(resultLine({ board: "6x6", seed: "1", rules: "" }, game), "Snake on 6x6: I needed 171 steps.");
  assert.equal(resultLine(daily(), { ...game, end: null }), undefined);
});

/** Returns the module share.js, which needs a browser only for its menu. */
async function inPage() {
  globalThis.matchMedia ??= () => ({ matches: false });
  return import("../www/share.js");
}

test("boards are written in several ways", () => {
  for (const text of ["10x10", "10 x 10", "10×10", "10X10", "10", " 10 * 10 "]) assert.equal(boardOf(text), "10x10", text);
  assert.equal(boardOf("8 x 6 torus"), "8x6-torus");
  assert.equal(boardOf("8x8-torus"), "8x8-torus");
  for (const text of ["", "ten", "10y10", "1x2x3"]) assert.equal(boardOf(text), text);
});

test("the head of the page has what other pages show of it", async () => {
  const html = await readFile(`${DIST}index.html`, "utf8");
  for (const name of ["og:title", "og:description", "og:image", "twitter:card"]) assert.ok(html.includes(`"${name}"`), name);
  const bytes = (await readFile(`${DIST}hognose_bg.wasm`)).length;
  assert.ok(html.includes(`data-bytes="${bytes}"`), "the size of the WebAssembly");
  assert.equal((await readFile(`${DIST}share.png`)).subarray(1, 4).toString(), "PNG");
});

test("the service worker keeps the page, but agents only once they are fetched", async () => {
  const [, list] = /FILES = (\[.*\])/.exec(await readFile(`${DIST}sw.js`, "utf8"));
  const files = JSON.parse(list);
  for (const file of ["./", "./index.html", "./hognose_bg.wasm", "./front.js", "./agents/agents.json"]) assert.ok(files.includes(file), file);
  assert.ok(!files.some((file) => /^\.\/agents\/.*(wasm|safetensors)$/.test(file)), list);
});

test("after the first visit the page works without a connection, and with one the new build shows", async () => {
  const page = await openPage("#start");
  await until(() => page.evaluate(async () => (await caches.keys()).length > 0 && (await (await caches.open("hognose")).keys()).length > 20), "the files to be kept");
  await until(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller)), "the service worker");
  await page.context().setOffline(true);
  await page.goto(address("#race?board=6x6"));
  await page.reload();
  await until(async () => /of 36/.test(await page.locator(".lane-text").first().textContent()), "a race without a connection");
  await page.context().setOffline(false);
  await page.evaluate(async () => (await caches.open("hognose")).put(new Request("./"), new Response("an old build", { headers: { "Content-Type": "text/html" } })));
  await page.reload();
  await page.locator(".lane").first().waitFor();
  await closePage(page);
});
