// A worker that runs the WebAssembly and answers the calls of engine.js.

const objects = new Map();
let hognose;
let glue;
let give;
const ready = new Promise((resolve) => (give = resolve)).then(start);

onmessage = async ({ data }) => {
  if (data.glue) {
    glue = import(data.glue);
    return;
  }
  if (data.module) {
    give(data.module);
    return;
  }
  const { id } = data;
  try {
    await ready;
    const answer = call(data);
    postMessage({ id, answer }, answer?.buffer instanceof ArrayBuffer ? [answer.buffer] : []);
  } catch (error) {
    // Errors from Rust are texts. Other errors are bugs.
    const stopped = error instanceof WebAssembly.RuntimeError;
    postMessage({ id, error: stopped ? `The program stopped (${error.message}). Please reload the page.` : `${error}` });
  }
};

async function start(module) {
  hognose = await glue;
  await hognose.default({ module_or_path: module });
}

function call({ id, create, object, name, method, args }) {
  // Every call gets an extra argument, which reports progress. Most functions ignore it.
  const progress = (share) => postMessage({ id, progress: share });
  if (object !== undefined) {
    const called = objects.get(object);
    if (name === "free") objects.delete(object);
    return called[name](...args, progress);
  }
  if (!create) return hognose[name](...args, progress);
  const made = method ? hognose[name][method](...args, progress) : new hognose[name](...args, progress);
  objects.set(id, made);
  return id;
}
