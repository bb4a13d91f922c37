// Race, as a person uses it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { closePage, openPage, PHONE, racePresets, SCREENSHOTS, until, useBrowser } from "./browser.mjs";

useBrowser();

test("presets without a document have the numbers of the README", async () => {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const steps = (policy) => readme.match(new RegExp(`^\\| \`${policy}\` \\|.* (\\d+) ± `, "m"))[1];
  const ours = (await racePresets()).filter(({ document, published }) => published && !document);
  assert.ok(ours.length > 0);
  for (const { name, policies, published } of ours) {
    assert.deepEqual(published, policies.map((policy) => Number(steps(policy))), name);
  }
});

test("policies race, and their means come close to published ones", async () => {
  const page = await openPage("#race?speed=Infinity");
  const preset = page.getByLabel("Race", { exact: true });
  await until(async () => (await preset.locator("option").count()) > 5, "the presets");
  await preset.selectOption({ label: "Snek AI (2023), 8x8" });
  await until(async () => (await page.locator(".results .note").textContent()).startsWith("1,000 of"), "a thousand games");
  const rows = await page.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows.map(([name]) => name.split(" ").at(-1)), ["hamiltonian", "modified-cycle", "modified-endgame"]);
  for (const [name, won, steps, , published] of rows) {
    assert.match(won, /^100.0 %/);
    const off = Math.abs(parseFloat(steps) - Number(published.replace(",", "")));
    // Within four standard errors of a thousand games.
    assert.ok(off < 12, `${name}: ${steps}, published ${published}`);
  }
  assert.match(rows[2][3], /^-3\d\d\.\d \[-/);
  await until(async () => (await page.locator(".status").textContent()).includes("is first: it won in"), "the end of the race");
  assert.equal(await page.locator(".lane canvas").count(), 3);
  assert.equal(await page.locator(".chart .bars").count(), 3);
  await closePage(page);
});

test("policies are added and removed, and the address contains them", async () => {
  const page = await openPage("#race?policies=greedy,shortcut&board=6x6&game=5");
  const names = () => page.locator(".lane select").evaluateAll((selects) => selects.map(({ value }) => value));
  await until(async () => (await names()).length === 2, "two lanes");
  await page.getByRole("button", { name: "Add a policy" }).click();
  await until(async () => (await names()).length === 3, "three lanes");
  await page.getByLabel("Policy 3").selectOption("bfs");
  await until(() => /policies=greedy,shortcut,bfs/.test(page.url()), "the address");
  await page.getByRole("button", { name: "Remove greedy" }).click();
  await until(async () => (await names()).join() === "shortcut,bfs", "two lanes again");
  assert.match(page.url(), /policies=shortcut,bfs&board=6x6&game=5/);
  await page.goBack();
  await until(async () => (await names()).length === 3, "three lanes again");
  await until(async () => (await page.locator(".lane-text").first().textContent()).includes("of 36"), "the game");
  await closePage(page);
});

test("one policy gets an opponent, and the address has both", async () => {
  const page = await openPage("#race?policies=certified&board=6x6");
  await until(async () => (await page.locator(".lane").count()) === 2, "two lanes");
  await until(() => page.url().includes("policies=certified,greedy&board=6x6"), "the address");
  await closePage(page);
});

test("background games are paused and resumed", async () => {
  const page = await openPage("#race?policies=greedy,hamiltonian&board=20x20");
  for (const name of ["Pause", "Resume", "Pause", "Resume"]) await page.getByRole("button", { name, exact: true }).click();
  const results = () => page.locator(".results .note").textContent();
  const before = await results();
  await until(async () => (await results()) !== before, "more games");
  await closePage(page);
});

test("a policy that can't play the board stands aside, and the others race", async () => {
  const page = await openPage("#race?policies=greedy,cell-tree,bfs&board=7x7&speed=Infinity");
  const lane = page.locator(".lane").nth(1);
  await lane.getByText("can't play this board").waitFor();
  await until(async () => /first|Nobody/.test(await page.locator(".status").textContent()), "the end of the race");
  await until(async () => /games/.test(await page.locator(".results .note").textContent()), "games in the background");
  assert.equal(await page.locator("tbody tr").count(), 2);
  await lane.getByRole("button", { name: "Play on 6x6" }).click();
  await until(() => page.url().includes("board=6x6"), "the other board");
  await until(async () => (await lane.locator(".lane-text").textContent()).includes("of 36"), "its game");
  await closePage(page);
});

test("greedy leads and starves, in a view for an audience", async () => {
  const page = await openPage("#race?speed=Infinity");
  await page.getByRole("button", { name: "Present" }).click();
  await until(() => page.url().includes("present=1"), "the address");
  for (const hidden of [".top", "footer", ".results", ".choices"]) assert.ok(await page.locator(hidden).isHidden(), hidden);
  await until(async () => /Planner is first/.test(await page.locator(".status").textContent()), "the verdict");
  assert.match(await page.locator(".lane").first().textContent(), /starved/);
  await page.screenshot({ path: `${SCREENSHOTS}race-presented.png` });
  await page.keyboard.press("Escape");
  await page.locator(".top").waitFor();
  await closePage(page);
});

test("fingers run a race in a narrow window", async () => {
  const page = await openPage("#race?policies=greedy,shortcut&board=6x6&speed=8", PHONE);
  const button = (name) => page.getByRole("button", { name, exact: true });
  const lane = () => page.locator(".lane-text").first().textContent();
  await until(async () => /[2-9] steps/.test(await lane()), "the second step");
  await page.locator(".lane canvas").first().tap();
  await until(() => button("Play (space)").isVisible(), "the pause");
  const paused = await lane();
  await button("One step (period)").tap();
  await until(async () => (await lane()) !== paused, "a step");
  await button("Add a policy").tap();
  await until(async () => (await page.locator(".lane").count()) === 3, "three lanes");
  await button("Remove shortcut").tap();
  await until(() => page.url().includes("policies=greedy,greedy"), "two lanes again");
  const speed = page.getByLabel("Speed", { exact: true });
  const { width, height } = await speed.boundingBox();
  await speed.tap({ position: { x: width - 2, y: height / 2 } });
  await until(() => page.url().includes("speed=Infinity"), "the highest speed");
  await until(async () => /first|Nobody/.test(await page.locator(".status").textContent()), "the end of the race");
  await closePage(page);
});
