// Play, as a person uses it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { closePage, fact, openPage, PHONE, SCREENSHOTS, until, useBrowser } from "./browser.mjs";

useBrowser();

const steps = async (page) => Number(await fact(page, "Steps"));
const status = (page) => page.locator(".status").textContent();

test("keys steer, none is lost, and lost steps are shown", async () => {
  const page = await openPage("#play?board=6x6&seed=5&pace=15");
  await until(async () => (await status(page)).includes("to begin"), "the board");
  // All at once: presses are queued.
  await page.evaluate(() => ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowRight"].forEach((key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))));
  await until(async () => (await status(page)).startsWith("You lost"), "the end");
  await until(() => page.locator(".review").isVisible(), "the review");
  const moves = new URLSearchParams(page.url().split("?")[1]).get("moves");
  assert.match(moves, /^urdr/, moves);
  assert.match(await page.locator(".review p").textContent(), /best ones|evaluated/);
  assert.match(await page.locator(".result").textContent(), /To beat: the solver certified wins this game in \d+ steps\./);
  await page.keyboard.press(",");
  await until(async () => (await status(page)).includes("continue from here"), "an earlier step");
  await page.getByRole("button", { name: "Same game again" }).click();
  await until(async () => (await steps(page)) === 0, "the same game again");
  assert.match(page.url(), /seed=5/);
  await page.getByRole("button", { name: "New game" }).click();
  await until(() => !/seed=5$|seed=5&/.test(page.url()), "another game");
  await closePage(page);
});

test("keys steer after clicks, too", async () => {
  // This board has no walls.
  const page = await openPage("#play?board=8x8-torus&seed=5&pace=4");
  await until(async () => (await status(page)).includes("to begin"), "the board");
  await page.getByRole("button", { name: "Same game again" }).click();
  await page.keyboard.press("ArrowUp");
  await until(async () => (await steps(page)) >= 1, "a step");
  await page.keyboard.press(" ");
  await until(async () => (await status(page)) === "Paused.", "the pause");
  assert.ok((await steps(page)) >= 1 && /seed=5/.test(page.url()), page.url());
  await page.getByLabel("Pace", { exact: true }).click();
  await until(() => !/pace=4/.test(page.url()), "another pace");
  const before = await steps(page);
  await page.keyboard.press("ArrowRight");
  await until(async () => (await steps(page)) > before, "a step after the slider was used");
  await closePage(page);
});

test("a review disappears when other moves are played", async () => {
  const page = await openPage("#play?board=6x6&seed=5&pace=0");
  await until(async () => (await status(page)).includes("to begin"), "the board");
  for (let made = 0; !(await status(page)).startsWith("You lost"); made++) {
    await page.keyboard.press("ArrowUp");
    await until(async () => (await steps(page)) === made + 1, `step ${made + 1}`);
  }
  await until(() => page.locator(".review").isVisible(), "the review");
  await page.getByRole("slider", { name: "Step", exact: true }).fill("0");
  await until(async () => (await steps(page)) === 0, "the first step");
  assert.ok(await page.locator(".review").isVisible());
  await page.keyboard.press("w");
  await until(async () => (await steps(page)) === 1, "another first step");
  assert.ok(await page.locator(".review").isHidden());
  await closePage(page);
});

test("the coach knows 4x4 exactly, and its moves win", async () => {
  const page = await openPage("#play?board=4x4&seed=3&pace=0&show=coach");
  const best = () => page.locator(".worth tr.best th").first().textContent();
  for (let made = 0; !(await status(page)).startsWith("You"); made++) {
    await until(() => page.locator(".worth[aria-busy=false] table").isVisible(), "the values of moves");
    assert.match(await page.locator(".worth").textContent(), /Expected steps/);
    await page.keyboard.press(`Arrow${await best()}`);
    await until(async () => (await steps(page)) === made + 1, `step ${made + 1}`);
    if (made > 200) throw new Error("the game does not end");
  }
  assert.match(await status(page), /^You won/);
  await until(() => page.locator(".review").isVisible(), "the review");
  const verdict = await page.locator(".review p").textContent();
  assert.equal(verdict, `All ${await steps(page)} evaluated moves were the best ones, by exact play.`);
  await closePage(page);
});

test("records are saved and opened, and links carry games", async () => {
  const page = await openPage("#play?board=5x4&seed=9&moves=uu");
  await until(async () => (await steps(page)) > 0, "the game of the link");
  const facts = await page.locator("dl").textContent();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the record" }).click()]);
  const record = await readFile(await download.path(), "utf8");
  assert.match(record, /^hognose-record 1\nboard 5x4\n/);
  await page.getByRole("button", { name: "New game" }).click();
  await until(async () => (await steps(page)) === 0, "a new game");
  const open = (name, text) => page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await open("game.txt", record);
  await until(async () => (await page.locator("dl").textContent()) === facts, "the game of the record");
  for (const [text, words] of [
    ["", "expected"],
    ["hognose-record 9\n", "version 9"],
    [record.replace("moves u", "moves d"), "does not replay"],
    [record.replace("board 5x4", "board 900x4"), "line 2"],
    ["\u0000\uffff".repeat(1000), "line 1"],
  ]) {
    await open("bad.txt", text);
    await until(async () => (await page.locator("#message").textContent()).includes(words), words);
  }
  await closePage(page);
  for (const moves of ["x", "u99999", "u99999".repeat(300), "u5x", "-"]) {
    const bad = await openPage(`#play?board=5x4&seed=9&moves=${moves}`);
    await until(() => bad.locator("#message").isVisible(), `the message about ${moves}`);
    await bad.getByRole("button", { name: "New game" }).click();
    await until(async () => (await status(bad)).includes("to begin"), "a game");
    await closePage(bad);
  }
});

test("a record contains its rules", async () => {
  const page = await openPage('#play?board=5x4&seed=9&moves=u&rules={"tail_entry":false}');
  await until(async () => (await steps(page)) === 1, "the game of the link");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the record" }).click()]);
  const record = await readFile(await download.path());
  await page.goto(page.url().replace(/#.*/, "#play?board=6x6&seed=1"));
  await until(async () => (await steps(page)) === 0, "another game");
  await page.locator("input[type=file]").setInputFiles({ name: "game.txt", mimeType: "text/plain", buffer: record });
  await until(() => /board=5x4.*tail_entry.*seed=9.*moves=u/.test(page.url()), "the record in the address");
  await page.getByRole("button", { name: "Same game again" }).click();
  await until(async () => (await steps(page)) === 0, "the same game again");
  assert.match(page.url(), /board=5x4.*tail_entry.*seed=9/);
  await closePage(page);
});

test("fingers steer", async () => {
  const page = await openPage("#play?board=8x8&seed=2&pace=0", PHONE);
  await until(async () => (await status(page)).includes("to begin"), "the board");
  await page.getByRole("button", { name: "Down", exact: true }).tap();
  await until(async () => (await steps(page)) === 1, "a step by a button");
  const { x, y, width } = await page.locator("canvas").boundingBox();
  const touch = await page.context().newCDPSession(page);
  const at = (across) => [{ x: x + width / 2 + across, y: y + width / 2 }];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
  for (const across of [8, 16, 30]) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(across) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await until(async () => (await steps(page)) === 2, "a step by a swipe");
  await closePage(page);
});

test("after a loss Enter, Space or a tap begins the next game, and best scores are kept", async () => {
  const page = await openPage("#play?seed=5&pace=0", PHONE);
  await until(async () => (await status(page)).includes("to begin"), "the board");
  const card = page.locator(".result");
  const lose = async () => {
    await until(async () => (await steps(page)) === 0, "a new game");
    while (!(await status(page)).startsWith("You lost")) {
      const before = await steps(page);
      await page.keyboard.press("ArrowUp");
      await until(async () => (await steps(page)) > before, "a step");
    }
    await until(() => card.isVisible(), "the result");
    // Presses just after the end are meant for the game that ended.
    await page.keyboard.press("Enter");
    assert.ok(await card.isVisible());
    await page.waitForTimeout(600);
  };
  for (const again of [() => page.keyboard.press("Enter"), () => page.keyboard.press(" "), () => page.locator("canvas").tap({ position: { x: 40, y: 20 } })]) {
    await lose();
    assert.match(await card.textContent(), /You lost.*Length \d+ of 100 in \d+ step.*(first score|best) on 10x10/);
    const before = page.url();
    await again();
    await until(() => page.url() !== before, "another seed");
    await until(() => card.isHidden(), "the next game");
  }
  // Without storage the game goes on.
  await page.evaluate(() => Object.defineProperty(window, "localStorage", { get: () => {
    throw new DOMException("no", "SecurityError");
  } }));
  await lose();
  assert.match(await card.textContent(), /does not let this page keep best scores/);
  await page.getByRole("button", { name: "Play again" }).tap();
  await until(() => card.isHidden(), "the next game");
  await closePage(page);
});

test("a large board begins away from the walls", async () => {
  for (const seed of [5, 6, 7]) {
    const page = await openPage(`#play?seed=${seed}&pace=0`);
    await until(async () => (await status(page)).includes("to begin"), "the board");
    for (let made = 1; made <= 3; made++) {
      await page.keyboard.press("ArrowUp");
      await until(async () => (await steps(page)) === made, `step ${made}`);
    }
    assert.equal(await status(page), "");
    await closePage(page);
  }
});

test("where the food is can be heard", async () => {
  const page = await openPage("#play?board=4x4&seed=3&pace=0");
  const heard = page.locator("main [aria-live]");
  await until(async () => /^Food: (\d (right|left|up|down)(, )?){1,2}\.$/.test(await heard.textContent()), "the food");
  assert.ok((await page.locator("canvas").getAttribute("aria-label")).endsWith(await heard.textContent()));
  const [, number, direction] = /(\d) (right|left|up|down)/.exec(await heard.textContent());
  const before = await heard.textContent();
  await page.keyboard.press(`Arrow${direction[0].toUpperCase()}${direction.slice(1)}`);
  await until(async () => (await heard.textContent()) !== before, "other words");
  if (Number(number) > 1) assert.match(await heard.textContent(), new RegExp(`${number - 1} ${direction}`));
  await closePage(page);
});

test("the coach gives a lesson", async () => {
  const page = await openPage("#play");
  await page.getByRole("button", { name: "A lesson with the coach" }).click();
  await until(async () => /fewer are better/.test(await status(page)), "the first words");
  assert.match(page.url(), /board=4x4.*pace=0&show=coach/);
  const row = (which) => page.locator(`.worth[aria-busy=false] tr${which} th`).first();
  await page.keyboard.press(`Arrow${await row(".best").textContent()}`);
  await until(async () => /was the best move/.test(await status(page)), "praise");
  await closePage(page);
});

test("nothing that a game needs is outside the window of a phone", async () => {
  for (const viewport of [PHONE.viewport, { width: 740, height: 360 }, { width: 667, height: 375 }, { width: 932, height: 430 }, { width: 375, height: 667 }]) {
    const page = await openPage("#play", { ...PHONE, viewport });
    await until(async () => (await status(page)).includes("to begin"), "the board");
    for (const its of ["canvas", ".pad", ".play .status", ".play .transport"]) {
      const { x, y, width, height } = await page.locator(its).boundingBox();
      assert.ok(x >= 0 && y >= 0 && x + width <= viewport.width && y + height <= viewport.height, `${its} in ${JSON.stringify(viewport)}: ${[x, y, width, height]}`);
    }
    const [pad, panel] = await Promise.all([".pad", ".panel"].map((its) => page.locator(its).boundingBox()));
    assert.ok(panel.y >= pad.y + pad.height || panel.x >= pad.x + pad.width, "the panel covers the directions");
    const { width } = await page.locator("canvas").boundingBox();
    assert.ok(width >= 230, `the board is ${width} pixels wide`);
    await page.screenshot({ path: `${SCREENSHOTS}play-phone-${viewport.width}.png` });
    await closePage(page);
  }
});
