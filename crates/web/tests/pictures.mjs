// Measures how many pictures per second the page shows on 20x20, and how many the screen requests: `node pictures.mjs
// [ROUNDS]`. Prints medians of the rounds. This is not a test, since machines differ.

import { closePage, openPage, start, stop } from "./browser.mjs";

const rounds = Number(process.argv[2] ?? 3);
const SECONDS = 5;
const CASES = ["policy=hamiltonian&speed=60", "policy=certified&speed=60", "policy=certified&speed=60&show=plan,cycle,reach", "policy=certified&speed=15", "policy=certified&speed=1000"];

/** Returns how often per second the step changed, and how often the screen requested a picture. */
function counted(page) {
  return page.evaluate((seconds) => new Promise((resolve) => {
    let [changes, asked] = [0, 0];
    new MutationObserver(() => changes++).observe(document.querySelector("dd"), { childList: true, characterData: true, subtree: true });
    const count = () => {
      asked++;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    setTimeout(() => resolve([changes / seconds, asked / seconds]), 1000 * seconds);
  }), SECONDS);
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

await start();
const found = CASES.map(() => []);
for (let round = 0; round < rounds; round++) {
  for (const [index, choices] of CASES.entries()) {
    const page = await openPage(`#watch?board=20x20&${choices}`);
    await page.waitForFunction(() => Number(document.querySelector("dd")?.textContent.replace(",", "")) > 30);
    found[index].push(await counted(page));
    await closePage(page);
  }
}
CASES.forEach((choices, index) => {
  const [shown, asked] = [0, 1].map((which) => median(found[index].map((pair) => pair[which])));
  console.log(`${choices}: ${shown.toFixed(1)} steps shown per second, ${asked.toFixed(1)} pictures requested by the screen`);
});
await stop();
