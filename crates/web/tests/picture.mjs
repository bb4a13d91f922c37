// Takes the README's screenshot of the page and the picture of shared links: `node picture.mjs FILE.png SHARED.png`.

import { closePage, openPage, start, stop, until } from "./browser.mjs";

const [file, shared] = process.argv.slice(2);
await start();
const page = await openPage("", { viewport: { width: 1180, height: 760 }, reducedMotion: "reduce" });
await until(async () => /cells/.test(await page.locator(".scene-words").first().textContent()), "the game");
await page.screenshot({ path: file });
await page.setViewportSize({ width: 1200, height: 630 });
await page.evaluate(() => document.querySelectorAll(".top, .story, .claim .row, .claim .note, .scene .transport, .scene-words").forEach((its) => (its.hidden = true)));
await page.waitForTimeout(300);
await page.screenshot({ path: shared });
await closePage(page);
await stop();
