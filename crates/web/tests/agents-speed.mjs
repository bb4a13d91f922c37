// Measures how fast agents play and learn as WebAssembly and natively, in turn, on one thread: after build.sh,
// `node agents-speed.mjs HOGNOSE [TIMES]`, where HOGNOSE is the binary, built with --release. Times are CPU seconds of this
// process, whose engine is Chromium's, and of the binary. Both include compiling and loading.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [hognose, times = "3"] = process.argv.slice(2);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const DIST = join(ROOT, "crates/web/dist/agents");
const AGENT = ["every-board-plans", "10x10"];
const GAMES = 20;
/** The number of environment steps of training in the part Learn. */
const STEPS = 64_000;
const quiet = () => {};

// The script is a module, although its name does not end with .mjs.
const glue = readFileSync(join(DIST, "hognose.js"), "utf8");
const page = await import(`data:text/javascript,${encodeURIComponent(glue)}`);
page.initSync({ module: new WebAssembly.Module(readFileSync(join(DIST, "hognose_bg.wasm"))) });
page.add_agent(AGENT[0], readFileSync(join(DIST, `${AGENT[0]}.safetensors`)));

/** Returns the CPU seconds of a function. */
function here(run) {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Returns the CPU seconds of a run of the binary. */
function native(...words) {
  const folder = mkdtempSync(join(tmpdir(), "hognose-"));
  const command = 'TIMEFORMAT="%U %S"; out=$1; shift; time "$@" > /dev/null 2> /dev/null';
  const output = execFileSync("bash", ["-c", `{ ${command}; } 2>&1`, "bash", folder, hognose, ...words.map((word) => word.replace("OUT", folder))], { cwd: ROOT, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  return output.trim().split(" ").map(Number).reduce((sum, seconds) => sum + seconds);
}

function play() {
  for (let game = 0; game < GAMES; game++) {
    const watch = new page.Watch(`dqn:${AGENT[0]}`, AGENT[1], "0", game, quiet);
    watch.look_at(2 ** 32 - 1, 2 ** 32 - 1);
    watch.free();
  }
}

function learn() {
  const learning = new page.Learn("4x4", true, "0", "", quiet);
  while (JSON.parse(learning.facts(0, 0)).step < STEPS) learning.advance(100);
  learning.free();
}

const TRAIN = ["train", "page", "--threads", "1", "--out", "OUT/run", "--set", `train.total_steps=${STEPS}`,
  "--set", "train.schedule_steps=256000", "--set", "evaluation.games=1", "--set", "evaluation.policies=[]"];
const EVALUATE = ["evaluate", "--policies", `dqn:checkpoints/${AGENT[0]}`, "--board", AGENT[1], "--games", `${GAMES}`, "--threads", "1"];

const runs = {
  [`${GAMES} games of ${AGENT[0]}`]: [play, EVALUATE],
  [`${STEPS} steps of training on 4x4`]: [learn, TRAIN],
};
for (const [what, [run, words]] of Object.entries(runs)) {
  const both = Array.from({ length: Number(times) }, () => [here(run), native(...words)]);
  const [wasm, machine] = [0, 1].map((index) => both.map((pair) => pair[index]).toSorted((a, b) => a - b)[both.length >> 1]);
  const all = both.map((pair) => pair.map((seconds) => seconds.toFixed(2)).join("/")).join(" ");
  console.log(`${what}: ${wasm.toFixed(2)} s as WebAssembly, ${machine.toFixed(2)} s natively, ${(machine / wasm).toFixed(2)} of native speed (medians of ${all})`);
}
