// Watch, as a person uses it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { closePage, fact, missing, openPage, PHONE, until, useBrowser, withoutAgents } from "./browser.mjs";

useBrowser();

const step = async (page) => Number(await fact(page, "Step"));
const message = (page) => page.locator("#message");

test("a game starts at once, and can be paused and stepped through", async () => {
  const page = await openPage("#watch");
  await until(async () => (await step(page)) >= 3, "the third step");
  assert.equal(await page.locator(".offer").isHidden(), Boolean(withoutAgents));
  await page.keyboard.press(" ");
  await until(() => /step=\d+$/.test(page.url()), "the pause");
  const stopped = await step(page);
  await page.keyboard.press(",");
  await until(async () => (await step(page)) === stopped - 1, "a step back");
  await page.keyboard.press("ArrowLeft");
  await until(async () => (await step(page)) === stopped - 2, "another step back");
  await page.keyboard.press(".");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await until(async () => (await step(page)) === stopped + 1, "three steps forward");
  // Presses come faster than pictures, and none is lost.
  await page.evaluate(() => ["ArrowRight", "ArrowRight", ",", "ArrowRight", "ArrowRight"].forEach((key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))));
  await until(() => page.url().endsWith(`step=${stopped + 4}`), "three more steps");
  assert.equal(await step(page), stopped + 4);
  await page.keyboard.press(",");
  await until(async () => (await step(page)) === stopped + 3, "a step back again");
  await until(() => page.url().endsWith(`step=${stopped + 3}`), "its address");
  await page.getByRole("button", { name: "To the end" }).click();
  await until(async () => (await page.locator(".status").textContent()).startsWith("Won: the board is full"), "the win");
  const steps = await step(page);
  assert.equal(await fact(page, "Length"), "100 of 100");
  await page.getByRole("button", { name: "Restart" }).click();
  await until(async () => (await step(page)) === 0, "the start");
  await page.getByRole("slider", { name: "Step", exact: true }).fill(`${steps - 5}`);
  await until(async () => (await step(page)) === steps - 5, "the chosen step");
  await closePage(page);
});

test("Space pauses after a click, too, and the address drops the paused step", async () => {
  const page = await openPage("#watch?game=abc&step=0");
  await until(async () => (await step(page)) === 0, "the first game");
  const next = page.getByRole("button", { name: "Next game" });
  await next.click();
  await until(async () => /game=1/.test(page.url()) && (await step(page)) >= 1, "the next game");
  await page.keyboard.press(" ");
  await until(() => /game=1.*step=\d+$/.test(page.url()), "the pause");
  await page.keyboard.press(" ");
  await until(() => !/step=/.test(page.url()), "the game to go on in the address");
  // After keyboard use the focus stays on the button.
  await next.press("Enter");
  await until(() => /game=2/.test(page.url()), "another game");
  assert.ok(await next.evaluate((button) => button === document.activeElement));
  await closePage(page);
  const other = await openPage("#watch?step=3");
  await until(async () => (await step(other)) === 3, "the third step");
  // Links do not use Space.
  await other.getByRole("link", { name: "Watch", exact: true }).focus();
  await other.keyboard.press(" ");
  await until(async () => (await step(other)) > 3, "the game to go on");
  await closePage(other);
});

test("the last choice counts on the way to the end", async () => {
  const page = await openPage("#watch?policy=hamiltonian&board=20x20&step=3");
  await until(async () => (await step(page)) === 3, "the third step");
  const press = (keys) => page.evaluate((all) => all.forEach((key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))), keys);
  await press(["End", "Home"]);
  await until(() => /step=0$/.test(page.url()), "the beginning");
  await page.waitForTimeout(300);
  assert.equal(await step(page), 0);
  await closePage(page);
});

test("a link shows the same game, and the back button the previous one", async () => {
  const page = await openPage("#watch?board=8x8&seed=7&game=2&show=cycle,plan,reach,worth&step=40");
  await until(async () => (await step(page)) === 40, "step 40");
  const picture = () => page.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const facts = () => page.locator("dl").textContent();
  const [shown, known] = [await picture(), await facts()];
  assert.match(await page.locator(".worth").textContent(), /best/);
  await page.reload();
  await until(async () => (await facts()) === known, "the same facts");
  assert.equal(await picture(), shown);
  await page.getByRole("button", { name: "Next game" }).click();
  await until(() => /game=3/.test(page.url()), "the next game in the address");
  await page.getByLabel("Who plays").selectOption("killer");
  await until(() => /policy=killer/.test(page.url()), "the policy in the address");
  await page.goBack();
  await page.goBack();
  await until(async () => (await facts()) === known, "the game of the link");
  assert.equal(await picture(), shown);
  await closePage(page);
});

test("small boards are solved", async () => {
  const page = await openPage("#watch?policy=certified&board=4x4&show=worth&step=0");
  await until(async () => (await page.locator(".worth").textContent()).includes("Expected steps"), "the values of moves");
  await until(async () => (await page.locator("#message").textContent()) === "", "the message of solving to go away");
  await page.keyboard.press("End");
  await until(async () => (await page.locator(".status").textContent()).startsWith("Won"), "the win");
  await closePage(page);
});

test("errors are reported, and the page continues", async () => {
  for (const [hash, words] of [
    ["#watch?board=1x5", "board sides must be 2..=255"],
    ["#watch?board=%00%F0%9F%90%8D", "expected a board"],
    ["#watch?policy=hamiltonain", "did you mean hamiltonian"],
    ["#watch?policy=exec:ls", "is refused here"],
    ["#watch?seed=-1", "expected a seed"],
    ["#watch?rules={]", "expected rules"],
    ['#watch?rules={"start":3}', "expected rules"],
    ['#watch?rules={"foods":100}', "number of foods"],
    ["#watch?policy=certified:99999999999999999999", "expected an effort"],
  ]) {
    const page = await openPage(hash);
    await until(async () => (await message(page).textContent()).includes(words), `${hash}: ${words}`);
    assert.doesNotMatch(await message(page).textContent(), /`hognose|--\w/);
    await page.locator(".more summary").click();
    for (const [label, text] of [["Board", "6x6"], ["Seed", "1"]]) {
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.keyboard.press("Enter");
    }
    await page.getByLabel("Who plays").selectOption("shortcut");
    await until(async () => (await step(page)) > 0 && (await message(page).isHidden()), `${hash}: a game`);
    await closePage(page);
  }
});

test("a policy that can't play the board says why, and offers a board that it plays", async () => {
  for (const [policy, board, why, other] of [["optimal", "10x10", "up to 25 cells", "5x5"], ["cell-tree", "7x7", "even", "6x6"]]) {
    const page = await openPage(`#watch?policy=${policy}&board=${board}`);
    const words = await page.locator(".refusal").textContent();
    assert.ok(words.includes(why) && !/hognose|--/.test(words), words);
    assert.ok(await page.locator("#message").isHidden());
    await page.getByRole("button", { name: `Play on ${other}` }).click();
    await until(async () => page.url().includes(`board=${other}`) && (await step(page)) > 0, "a game on the other board");
    assert.equal(await page.locator(".refusal").count(), 0);
    await closePage(page);
  }
  const page = await openPage("#watch?board=7x7");
  await until(async () => (await page.locator("option.refused").count()) > 3, "greyed policies");
  const names = await page.locator("option.refused").evaluateAll((options) => options.map(({ value, textContent }) => [value, textContent]));
  assert.ok(names.some(([name, text]) => name === "hamiltonian" && text.includes("not on 7x7")), `${names}`);
  await closePage(page);
});

test("boards, names and speeds are as people write them", async () => {
  const page = await openPage("#watch?board=6%20x%206&speed=abc");
  await until(async () => (await fact(page, "Length")).endsWith("of 36"), "6x6");
  assert.match(await page.locator(".field:has-text('Speed') output").textContent(), /^15 steps per second/);
  for (const text of ["7×7", "7X7", "7", " 7 * 7 "]) {
    await page.getByLabel("Board", { exact: true }).fill("8x8");
    await page.keyboard.press("Enter");
    await until(async () => (await fact(page, "Length")).endsWith("of 64"), "8x8");
    await page.getByLabel("Board", { exact: true }).fill(text);
    await page.keyboard.press("Enter");
    await until(async () => (await fact(page, "Length")).endsWith("of 49"), text);
  }
  const options = await page.getByLabel("Who plays").locator("option").evaluateAll((all) => all.map(({ value, textContent }) => [value, textContent]));
  for (const [name, text] of options) assert.match(text, new RegExp(`^[A-Z].*: ${name}`), "each policy has a name for people");
  for (const [name] of options) {
    await page.getByLabel("Who plays").selectOption(name);
    const words = await page.locator(".field:has(select) .note").textContent();
    assert.ok(/^[A-Z].*\.$/.test(words) && !/:[A-Z]/.test(words), words);
    assert.equal(words.split("(").length, words.split(")").length, words);
  }
  await closePage(page);
});

test("odd addresses are ignored", async () => {
  for (const hash of ["#watch?step=1e99&speed=x&show=,,,&game=-5", "#watch?%", "#watch?__proto__=1&constructor=2"]) {
    const page = await openPage(hash);
    await until(async () => (await step(page)) > 0, `${hash}: a game`);
    await closePage(page);
  }
});

test("unknown parts lead to the start", async () => {
  for (const hash of ["#nothing", "#toString", "#?=&&&"]) {
    const page = await openPage(hash);
    await page.getByRole("heading", { name: "This snake never loses" }).waitFor();
    await closePage(page);
  }
});

test("a failed download is reported", async () => {
  missing.add("hognose_bg.wasm");
  const page = await openPage("", { expected: ["404"] });
  await until(async () => (await message(page).textContent()).includes("404"), "the message");
  missing.delete("hognose_bg.wasm");
  await page.getByRole("link", { name: "Play", exact: true }).click();
  await until(async () => (await page.locator(".status").textContent()).includes("to begin"), "another part, once it can be loaded");
  await closePage(page);
});

test("a part that can't be loaded is reported, and the others still open", async () => {
  missing.add("race.js");
  const page = await openPage("#watch?step=3", { expected: ["404"] });
  await until(async () => (await step(page)) === 3, "the third step");
  await page.getByRole("link", { name: "Race", exact: true }).click();
  await until(async () => (await message(page).textContent()).includes("Race can't be loaded"), "the message");
  assert.equal(await page.locator("canvas").count(), 0);
  missing.delete("race.js");
  await page.getByRole("link", { name: "Watch", exact: true }).click();
  await until(async () => (await step(page)) > 0, "a game");
  await closePage(page);
});

test("a tap on the board pauses and continues", async () => {
  const page = await openPage("#watch?speed=8", PHONE);
  await until(async () => (await step(page)) >= 2, "the second step");
  await page.locator("canvas").tap();
  await until(() => /step=\d+$/.test(page.url()), "the pause");
  const stopped = await step(page);
  await page.locator("canvas").tap();
  await until(async () => (await step(page)) > stopped, "more steps");
  await closePage(page);
});

test("the board follows the colors of the system", async () => {
  const page = await openPage("#watch?board=6x6&step=9", { colorScheme: "light" });
  await until(async () => (await step(page)) === 9, "step 9");
  const corner = () => page.locator("canvas").evaluate((canvas) => canvas.getContext("2d").getImageData(1, 1, 1, 1).data[0]);
  assert.equal(await corner(), 255);
  await page.emulateMedia({ colorScheme: "dark" });
  await until(async () => (await corner()) < 50, "a dark board");
  await closePage(page);
});

test("snakes glide between two steps, unless the user prefers reduced motion", async () => {
  for (const reducedMotion of ["no-preference", "reduce"]) {
    const page = await openPage("#watch?board=6x6&step=9", { reducedMotion });
    await until(async () => (await step(page)) === 9, "step 9");
    // Every picture from one step to the next one, as the screen shows them.
    const pictures = await page.evaluate(() => new Promise((resolve) => {
      const shown = new Set();
      const ends = performance.now() + 1500;
      const look = () => {
        shown.add(document.querySelector("canvas").toDataURL());
        if (performance.now() < ends) requestAnimationFrame(look);
        else resolve(shown.size);
      };
      look();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
    }));
    assert.equal(await step(page), 10);
    if (reducedMotion === "reduce") assert.equal(pictures, 2);
    else assert.ok(pictures > 2, `${pictures} pictures`);
    await closePage(page);
  }
});

test("nothing moves by itself with reduced motion", async () => {
  const page = await openPage("#watch", { reducedMotion: "reduce" });
  await until(async () => (await page.locator("canvas").getAttribute("aria-label"))?.includes("step 0"), "the board");
  await page.waitForTimeout(400);
  assert.equal(await step(page), 0);
  await page.keyboard.press(" ");
  await until(async () => (await step(page)) > 0, "a step");
  await closePage(page);
});
