// Takes the README's screenshot of the page: `node picture.mjs FILE.png`.

import { closePage, openPage, start, stop, until } from "./browser.mjs";

await start();
const page = await openPage("#watch?show=cycle,plan,worth&step=300", { viewport: { width: 1180, height: 900 }, reducedMotion: "reduce" });
await until(async () => (await page.locator(".worth table").count()) > 0, "the values of moves");
await page.screenshot({ path: process.argv[2] });
await closePage(page);
await stop();
