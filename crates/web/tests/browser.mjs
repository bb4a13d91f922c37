// Shared by the tests of the page: a server of the built page, a browser, and its pages.

import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { readFile, mkdir } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before } from "node:test";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

/** The folder of the built page. */
export const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".json": "application/json", ".png": "image/png" };
const FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"];
export const SCREENSHOTS = fileURLToPath(new URL("screenshots/", import.meta.url));

/** A window of a phone with touch. */
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** Why tests with agents are skipped, if they are. */
export const withoutAgents = existsSync(join(DIST, "agents/hognose_bg.wasm")) ? false : "the page was built without agents";

let server;
let browser;
/** Files that the server answers with 404. */
export const missing = new Set();
/** Files that the server replaces with other bytes. */
export const damaged = new Map();

/** Returns the presets of Race. */
export const racePresets = async () => JSON.parse(await readFile(join(DIST, "presets.json"), "utf8"));

/** Returns the address of the page with a suffix. */
export const address = (hash = "") => `http://127.0.0.1:${server.address().port}/${hash}`;

/** Starts the server and the browser. The server compresses files as `hognose page` does, if it should. */
export async function start({ compress = false } = {}) {
  const compressed = new Map();
  server = createServer(async ({ url }, response) => {
    const name = url.split("?")[0] === "/" ? "index.html" : normalize(url.split("?")[0]).replace(/^\//, "");
    try {
      if (missing.has(name)) throw new Error("not now");
      const bytes = damaged.get(name) ?? (await readFile(join(DIST, name)));
      const headers = { "Content-Type": TYPES[extname(name)] ?? "application/octet-stream" };
      if (!compress) return response.writeHead(200, headers).end(bytes);
      if (!compressed.has(name)) compressed.set(name, gzipSync(bytes));
      response.writeHead(200, { ...headers, "Content-Encoding": "gzip" }).end(compressed.get(name));
    } catch {
      response.writeHead(404).end();
    }
    return undefined;
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  await mkdir(SCREENSHOTS, { recursive: true });
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
}

/** Stops the server and the browser. */
export async function stop() {
  await browser.close();
  server.close();
}

/** Starts the server and the browser before the tests of a file, and stops them afterwards. */
export function useBrowser() {
  before(start);
  after(stop);
}

/** Slows the connection of a page to 1.6 Mbit/s and 150 ms. */
export async function slowDown(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 });
}

/** Opens a page in its own window, at an address or empty. Errors in it fail the test, unless they are expected. */
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
 * Returns the megabytes of the processes that render and paint pages, with their shares of shared memory. Collects garbage
 * first.
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

/** Closes a page, and fails if it had errors. */
export async function closePage(page) {
  await page.context().close();
  if (page.problems.length) throw new Error(`problems in the page:\n${page.problems.join("\n")}`);
}

/** Returns the value of a term in the page's facts. */
export async function fact(page, term) {
  const text = await page.locator(`dl div:has(dt:text-is("${term}")) dd`).textContent();
  return text.replaceAll(",", "");
}

/** Waits until `get` returns something truthy, and returns it. */
export async function until(get, what = `${get}`) {
  for (let tries = 0; tries < 600; tries++) {
    const got = await get();
    if (got) return got;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`timed out waiting for ${what}`);
}
