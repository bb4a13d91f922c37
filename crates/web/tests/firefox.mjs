// Opens each part in Firefox, and plays: `npm install --no-save puppeteer-core@25.16.0`, then `node firefox.mjs`. test.sh
// does not run it. Screenshots are in screenshots/.

import puppeteer from "puppeteer-core";
import { address, SCREENSHOTS, start, stop, until, withoutAgents } from "./browser.mjs";

const count = async (page, term) => {
  const text = await page.evaluate((wanted) => [...document.querySelectorAll("dl div")].find((pair) => pair.querySelector("dt").textContent === wanted)?.querySelector("dd").textContent, term);
  return parseInt((text ?? "").replaceAll(",", ""));
};
const status = (page) => page.evaluate(() => document.querySelector("main .status")?.textContent ?? "");

/** The address and the test of each part. */
const PARTS = {
  watch: ["#watch?board=8x8&speed=30&show=plan,cycle,reach,worth", async (page) => {
    await until(async () => (await count(page, "Step")) > 20, "steps");
    await page.keyboard.press(" ");
    await page.keyboard.press(",");
    await until(() => /step=\d+/.test(page.url()), "a pause");
    await page.keyboard.press("End");
    await until(async () => (await status(page)).startsWith("Won"), "the win");
  }],
  agent: ["#watch?policy=dqn:every-board-plans&board=6x6&speed=1000", async (page) => {
    await until(async () => (await status(page)).startsWith("Won"), "the win");
  }],
  race: ["#race?policies=certified,killer,shortcut,greedy&board=6x6&speed=Infinity", async (page) => {
    await until(async () => (await status(page)).includes("is first"), "the end of the race");
    await until(() => page.evaluate(() => document.querySelectorAll(".chart .bars").length >= 3), "histograms");
  }],
  play: ["#play?board=4x4&seed=3&pace=0&show=coach", async (page) => {
    for (let made = 0; !(await status(page)).startsWith("You"); made++) {
      const best = await until(() => page.evaluate(() => document.querySelector(".worth[aria-busy=false] tr.best th")?.textContent), "the coach");
      await page.keyboard.press(`Arrow${best}`);
      await until(async () => (await count(page, "Steps")) === made + 1, `step ${made + 1}`);
    }
    await until(() => page.evaluate(() => !document.querySelector(".review").hidden), "the review");
  }],
  duel: ["#duel?second=one-ply&speed=8", async (page) => {
    await until(async () => (await status(page)).includes("to start"), "the start");
    for (const key of ["ArrowRight", "ArrowUp", "ArrowLeft"]) await page.keyboard.press(key);
    await until(async () => (await count(page, "Step")) > 5, "steps");
    await until(async () => /after \d+ steps/.test(await status(page)), "the end");
  }],
  learn: ["#learn?moves=safe", async (page) => {
    await until(async () => (await count(page, "Gradient steps")) > 100, "gradient steps");
    await until(async () => /wins 100/.test(await page.evaluate(() => document.querySelector("main .status").textContent)), "wins");
  }],
};

await start();
const browser = await puppeteer.launch({ browser: "firefox", executablePath: "/usr/bin/firefox-esr", headless: true, defaultViewport: null, args: ["--width=1280", "--height=900"] });
console.log(await browser.version());
let failed = 0;
for (const [name, [hash, use]] of Object.entries(PARTS)) {
  if (withoutAgents && ["agent", "learn"].includes(name)) continue;
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  const started = Date.now();
  await page.goto(address(hash));
  await use(page).catch((error) => problems.push(error.message));
  await page.screenshot({ path: `${SCREENSHOTS}firefox-${name}.png` });
  console.log(`${name}: ${problems.join("; ") || "ok"}, ${((Date.now() - started) / 1000).toFixed(1)} s`);
  failed += problems.length;
  await page.close();
}
await browser.close();
await stop();
process.exitCode = failed > 0 ? 1 : 0;
