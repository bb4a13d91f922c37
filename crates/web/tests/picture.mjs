// Takes the picture of the page in the README: `node picture.mjs FILE.png`.

import { closePage, openPage, start, stop, until } from "./browser.mjs";

await start();
const page = await openPage("#watch?show=cycle,plan,worth&step=300", { viewport: { width: 1180, height: 900 }, reducedMotion: "reduce" });
await until(async () => (await page.locator(".worth table").count()) > 0, "what moves are worth");
await page.screenshot({ path: process.argv[2] });
await closePage(page);
await stop();
