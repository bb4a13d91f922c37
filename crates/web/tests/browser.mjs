// What the tests of the page share: a server of the built page, a browser, and pages in it.

import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { readFile, mkdir } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

/** Where the built page is. */
export const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".json": "application/json" };
const FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"];
export const SCREENSHOTS = fileURLToPath(new URL("screenshots/", import.meta.url));

/** A window as on a phone, for fingers. */
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** Why tests with agents are left out, if they are. */
export const withoutAgents = existsSync(join(DIST, "agents/hognose_bg.wasm")) ? false : "the page was built without agents";

let server;
let browser;
/** The files that are answered with nothing. */
export const missing = new Set();
/** The files that are answered with other bytes. */
export const damaged = new Map();

/** The address of the page with this after it. */
export const address = (hash = "") => `http://127.0.0.1:${server.address().port}/${hash}`;

/** Starts the server and the browser. */
export async function start() {
  server = createServer(async ({ url }, response) => {
    const name = url.split("?")[0] === "/" ? "index.html" : normalize(url.split("?")[0]).replace(/^\//, "");
    try {
      if (missing.has(name)) throw new Error("not now");
      const bytes = damaged.get(name) ?? (await readFile(join(DIST, name)));
      response.writeHead(200, { "Content-Type": TYPES[extname(name)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  await mkdir(SCREENSHOTS, { recursive: true });
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
}

/** Ends both. */
export async function stop() {
  await browser.close();
  server.close();
}

/** Starts the server and the browser before the tests of a file, and ends them afterwards. */
export function useBrowser() {
  before(start);
  after(stop);
}

/** A page in a window of its own, at this address, or empty. What goes wrong in it fails the test, unless it is expected. */
export async function openPage(hash = "", { expected = [], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.problems = [];
  const note = (text) => expected.some((part) => text.includes(part)) || page.problems.push(text);
  page.on("console", (message) => message.type() === "error" && note(message.text()));
  page.on("pageerror", (error) => note(error.message));
  if (hash !== null) await page.goto(address(hash));
  return page;
}

/**
 * Megabytes that belong to the processes that show pages and paint them, or their shares of what they share. What nobody
 * holds any more is not counted, whenever the browser would free it.
 */
export async function megabytes(page) {
  const context = await page.context().newCDPSession(page);
  await context.send("HeapProfiler.collectGarbage");
  await context.detach();
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const its = processInfo.filter(({ type }) => type === "renderer" || type === "GPU");
  const texts = await Promise.all(its.map(({ id }) => readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "")));
  return texts.reduce((sum, text) => sum + Number(/^Pss: +(\d+)/m.exec(text)?.[1] ?? 0), 0) / 1024;
}

/** Closes a page, and fails if something went wrong in it. */
export async function closePage(page) {
  await page.context().close();
  if (page.problems.length) throw new Error(`problems in the page:\n${page.problems.join("\n")}`);
}

/** The number that a term of the page's facts has. */
export async function fact(page, term) {
  const text = await page.locator(`dl div:has(dt:text-is("${term}")) dd`).textContent();
  return text.replaceAll(",", "");
}

/** Waits until this gives something true, and returns it. */
export async function until(get, what = `${get}`) {
  for (let tries = 0; tries < 600; tries++) {
    const got = await get();
    if (got) return got;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${what}`);
}
