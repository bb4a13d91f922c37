// Fetches large files, and reports progress.

import { Refused } from "./engine.js";

/**
 * Fetches a file of `size` bytes, and reports the share that has arrived. The response's type is the one given, which
 * compiling WebAssembly while it arrives requires.
 */
export async function fetched(url, size, report, type = "application/octet-stream") {
  const file = new URL(url).pathname.split("/").at(-1);
  const response = await fetch(url).catch(() => {
    throw new Refused(`${file} can't be fetched: there is no connection to the page's server.`);
  });
  if (!response.ok) throw new Refused(`${file} can't be fetched: the server returned ${response.status}.`);
  let got = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      got += chunk.length;
      report?.(Math.min(got / (size || got), 1));
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count), { headers: { "Content-Type": type } });
}

/** Fetches and compiles WebAssembly. */
export async function compiled(url, size, report) {
  if (typeof WebAssembly !== "object") throw new Refused("This browser does not support WebAssembly, which the page needs.");
  const response = await fetched(url, size, report, "application/wasm");
  return WebAssembly.compileStreaming(response).catch((error) => {
    if (!(error instanceof WebAssembly.CompileError)) throw new Refused("The connection to the page's server broke off. Please reload the page.");
    throw new Refused(`The page's WebAssembly is damaged, or this browser is too old: it needs SIMD, which browsers have supported since 2023. (${error.message})`);
  });
}
