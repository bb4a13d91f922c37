// Trained agents: they are fetched, play, and compute the same values as natively.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { closePage, damaged, missing, openPage, racePresets, until, useBrowser, withoutAgents } from "./browser.mjs";

useBrowser();
const skip = withoutAgents;

const status = (page) => page.locator("main [role=status]").textContent();
const message = (page) => page.locator("#message").textContent();

test("an agent is fetched and plays", { skip }, async () => {
  const page = await openPage("#watch?policy=dqn:every-board-plans&board=5x8&speed=1000");
  await until(async () => /Won/.test(await status(page)), "a win");
  // An agent selects its own board.
  await page.getByLabel("Who plays").selectOption("dqn:quickstart-6x6");
  await until(async () => page.url().includes("board=6x6"), "its board");
  await until(async () => /after \d+ steps|^Won/.test(await status(page)), "the end of a game");
  await page.goto(page.url().replace(/#.*/, "#race?policies=dqn:every-board-safe,dqn:every-board,greedy&board=5x5"));
  await until(async () => /dqn:every-board-safe/.test(await page.locator("table").first().textContent()), "games");
  await closePage(page);
});

test("an agent's values of moves are shown", { skip }, async () => {
  const page = await openPage("#watch?policy=dqn:every-board-safe&board=5x5&show=worth,opinion&step=40");
  const worth = page.locator(".worth");
  const layer = page.getByLabel("The agent's own values");
  await until(async () => /Expected steps.*Q-values/s.test(await worth.textContent()), "both tables");
  assert.equal(await worth.locator("tr.best").count(), 2);
  await page.getByLabel("Value of each move").uncheck();
  await until(async () => (await worth.locator("table").count()) === 1, "one table");
  await page.getByLabel("Who plays").selectOption("dqn:every-board-plans");
  await until(async () => /estimated by the agent/.test(await worth.textContent()), "the costs of plans");
  await page.getByLabel("Who plays").selectOption("certified");
  await until(async () => (await worth.locator("table").count()) === 0, "no table of a solver");
  assert.ok(await layer.isHidden());
  await closePage(page);
});

test("an agent races against solvers", { skip }, async () => {
  const page = await openPage("#race?speed=Infinity");
  await page.getByLabel("Race", { exact: true }).selectOption({ label: "Our frontier, 10x10" });
  await until(() => page.url().includes("policies=dqn:every-board-plans,certified,killer"), "the policies in the address");
  await until(async () => /is first: it won in/.test(await page.locator(".status").textContent()), "the end of the race");
  // The background games are the games of the README, played with 16-bit weights.
  const games = async () => Number(/^[\d,]+/.exec(await page.locator(".results .note").textContent())?.[0].replace(",", "") ?? 0);
  await until(async () => (await games()) >= 5, "five games");
  const rows = await page.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const { policies, published } = (await racePresets()).find(({ name }) => name === "Our frontier, 10x10");
  assert.deepEqual(
    rows.map(([name, won, , , number]) => [name.split(" ").at(-1), won.slice(0, 5), number]),
    policies.map((policy, index) => [policy, "100.0", published[index].toLocaleString("en")]),
  );
  await closePage(page);
});

test("an agent that has been fetched joins the usual race", { skip }, async () => {
  const page = await openPage("#race?board=6x6&speed=Infinity");
  const names = () => page.locator(".lane select").evaluateAll((selects) => selects.map(({ value }) => value));
  await until(async () => (await names()).length === 3, "three lanes");
  await page.getByRole("button", { name: "Add a trained agent" }).click();
  await until(() => page.url().includes("policies=greedy,hamiltonian,certified,dqn:every-board-plans"), "the agent");
  await until(async () => /is first: it won in/.test(await page.locator(".status").textContent()), "the end of the race");
  await page.getByRole("link", { name: "Watch", exact: true }).click();
  await page.getByRole("link", { name: "Race", exact: true }).click();
  await until(async () => (await names()).at(-1) === "dqn:every-board-plans", "the agent again");
  await closePage(page);
});

test("the network of the story plays once the reader asks for it", { skip }, async () => {
  const page = await openPage("#start");
  await page.getByRole("button", { name: "Fetch the network" }).click();
  const last = page.locator(".story article").last();
  await until(async () => /cells/.test(await last.locator(".scene-words").textContent()), "its game");
  await closePage(page);
});

test("a page without agents has no races with them", { skip: !withoutAgents }, async () => {
  const page = await openPage("#race");
  const options = page.getByLabel("Race", { exact: true }).locator("option");
  await until(async () => (await options.count()) > 5, "the presets");
  assert.ok(!(await options.allTextContents()).includes("Our frontier, 10x10"));
  await closePage(page);
});

test("one agent plays every board", { skip }, async () => {
  const page = await openPage("#watch?policy=greedy&board=9x6&speed=1000");
  await page.getByLabel("Who plays").selectOption("dqn:every-board");
  await until(() => /policy=dqn:every-board&board=9x6/.test(page.url()), "the same board");
  await until(async () => /after \d+ steps|^Won/.test(await status(page)), "the end of a game");
  await page.getByLabel("Board", { exact: true }).fill("5x11");
  await page.keyboard.press("Enter");
  await until(async () => (await page.locator("canvas").getAttribute("aria-label"))?.includes("5x11"), "another board");
  await page.getByLabel("Board", { exact: true }).fill("20x20");
  await page.keyboard.press("Enter");
  await page.getByText("it has learned boards from 4x4 to 12x12").waitFor();
  await closePage(page);
});

test("the best agent is one click away", { skip }, async () => {
  const page = await openPage("#watch?speed=1000");
  await page.getByRole("button", { name: "Let a trained agent play 10x10" }).click();
  await until(() => page.url().includes("policy=dqn:every-board-plans"), "the agent in the address");
  await until(async () => /Won/.test(await status(page)), "a win");
  assert.ok(await page.locator(".offer").isHidden());
  // The agent plays the shown board, if it can.
  await page.goto(page.url().replace(/#.*/, "#watch?policy=greedy&board=16x16"));
  await page.getByRole("button", { name: "Let a trained agent play 10x10" }).waitFor();
  await page.goto(page.url().replace(/#.*/, "#watch?policy=greedy&board=9x6"));
  await page.getByRole("button", { name: "Let a trained agent play 9x6" }).click();
  await until(() => page.url().includes("policy=dqn:every-board-plans&board=9x6"), "its board");
  await closePage(page);
});

test("damaged and missing agents are reported", { skip }, async () => {
  damaged.set("agents/hognose_bg.wasm", Buffer.from("hello"));
  damaged.set("agents/quickstart-6x6.safetensors", Buffer.from("hello"));
  missing.add("agents/every-board-safe.safetensors");
  const page = await openPage("#watch?policy=dqn:every-board-plans&board=5x5", { expected: ["404"] });
  await until(async () => /WebAssembly is damaged/.test(await message(page)), "words");
  damaged.delete("agents/hognose_bg.wasm");
  await page.goto(page.url().replace(/#.*/, "#watch?policy=dqn:quickstart-6x6&board=6x6"));
  await until(async () => /not a complete hognose file/.test(await message(page)), "words");
  await page.goto(page.url().replace(/#.*/, "#watch?policy=dqn:nobody&board=6x6"));
  await until(async () => /There is no agent nobody/.test(await message(page)), "words");
  await page.goto(page.url().replace(/#.*/, "#watch?policy=dqn:every-board-safe&board=5x5"));
  await until(async () => /every-board-safe.safetensors can't be fetched: the server returned 404/.test(await message(page)), "words");
  await page.goto(page.url().replace(/#.*/, "#watch?policy=greedy&board=6x6&speed=1000"));
  await until(async () => /after \d+ steps/.test(await status(page)), "others still play");
  damaged.clear();
  missing.clear();
  await closePage(page);
});

/** The maximum difference of values, and the maximum share of different moves. */
const APART = 1e-4;
const OTHERS = 0.005;

test("values match the native ones", { skip, timeout: 300_000 }, async () => {
  const known = JSON.parse(await readFile(new URL("probes.json", import.meta.url), "utf8"));
  const page = await openPage();
  for (const [name, native] of Object.entries(known)) {
    const computed = await page.evaluate(async (policy) => {
      const { engineFor } = await import("/agents.js");
      const engine = await engineFor(undefined, [policy], () => {});
      return JSON.parse(await engine.call("probe_agent", policy));
    }, `dqn:${name}`);
    assert.equal(computed.length, native.length, name);
    const apart = computed.map(([value], index) => (value === null ? 0 : Math.abs(value - native[index][0])));
    const others = computed.filter(([, move], index) => move !== native[index][1]).length;
    console.log(`${name}: values differ by up to ${Math.max(...apart).toExponential(1)}, and ${others} of ${native.length} moves`);
    assert.ok(Math.max(...apart) < APART && others <= OTHERS * native.length, name);
  }
  await closePage(page);
});
