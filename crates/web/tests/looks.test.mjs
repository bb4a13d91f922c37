// The look of the page: readable and accessible in every window. Saves screenshots for inspection in screenshots/.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { closePage, openPage, SCREENSHOTS, until, useBrowser, withoutAgents } from "./browser.mjs";

useBrowser();

const PARTS = {
  start: ["#start", ".scene-words:has-text('cells')"],
  watch: ["#watch?show=cycle,plan,reach,worth&step=300", ".worth table"],
  race: ["#race?policies=certified,killer,shortcut,greedy&board=6x6", "tbody tr"],
  play: ["#play?board=5x4&seed=9&moves=uu&show=coach,reach&pace=0", ".status"],
  duel: ["#duel?first=nega:4&second=selfplay:2&show=plans&step=40", ".status:has-text('same length'), .status:has-text('longer')"],
};
if (!withoutAgents) {
  PARTS.learn = ["#learn", ".status:has-text('wins')"];
  PARTS.agent = ["#watch?policy=dqn:every-board-safe&board=5x5&show=worth,opinion&step=40", ".worth table + table"];
}
const WINDOWS = { light: [[360, 740]], dark: [[1280, 900]] };
if (process.env.FULL) {
  WINDOWS.light.push([1280, 900], [2560, 1300]);
  WINDOWS.dark.push([360, 740], [2560, 1300]);
}

const axe = await readFile(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

for (const [name, [hash, ready]] of Object.entries(PARTS)) {
  for (const [colorScheme, windows] of Object.entries(WINDOWS)) {
    for (const [width, height] of windows) {
      test(`${name}, ${colorScheme}, ${width} pixels wide`, async () => {
        const page = await openPage(hash, { viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
        if (name === "learn") {
          // Nothing starts by itself with reduced motion.
          await until(async () => /Press play/.test(await page.locator(".status[role=status]").textContent()), "the board");
          await page.keyboard.press(" ");
        }
        await until(async () => (await page.locator(ready).count()) > 0, ready);
        await page.waitForTimeout(500);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(beyond, 0, "the page is wider than the window");
        for (const summary of await page.locator("main summary").all()) await summary.click();
        await page.screenshot({ path: `${SCREENSHOTS}${name}-${colorScheme}-${width}.png`, fullPage: true });
        // The page's policy blocks foreign scripts; this one bypasses it.
        const violations = await page.evaluate(`${axe}; axe.run().then(({ violations }) => violations.map(({ id, help, nodes }) => id + ": " + help + " " + nodes.map(({ target }) => target).join(" ")))`);
        assert.deepEqual(violations, []);
        await closePage(page);
      });
    }
  }
}

test("everything is reached by the keyboard, and the focus is visible", async () => {
  const page = await openPage("#watch?step=5");
  await until(async () => (await page.locator("canvas").count()) > 0, "the board");
  const reached = new Set();
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press("Tab");
    const [name, outline] = await page.evaluate(() => {
      const { activeElement: active, body } = document;
      // After the last control the focus moves to the browser.
      if (active === body) return [];
      return [active.getAttribute("aria-label") ?? active.labels?.[0]?.textContent ?? active.textContent, getComputedStyle(active).outlineStyle];
    });
    if (name) assert.notEqual(outline, "none", name);
    reached.add(name);
  }
  for (const name of ["Watch", "Race", "Play", "Play (space)", "One step back (comma)", "Step", "Share", "Who plays", "Board", "Next game", "Speed", "Cycle", "What am I looking at?", "More"]) {
    assert.ok(reached.has(name), `${name} among ${[...reached].join(", ")}`);
  }
  await closePage(page);
});
