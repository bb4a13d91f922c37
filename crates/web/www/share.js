// Share: a link to what the page shows, a picture of it, and a line about it.

import { element } from "./elements.js";

/** The width of a board in a picture, and its margin, in pixels. */
const [WIDTH, MARGIN] = [900, 30];

/**
 * Creates the menu. `current()` resolves to what the part shares: a `text`, by default the page's title, a `note` about the
 * link, and `canvases`, by default all of `root`. `say` shows a message.
 */
export function shareMenu(root, current, say) {
  const about = async () => {
    const { text, note = "", canvases } = (await current()) ?? {};
    return { text, note, canvases: canvases ?? [...root.querySelectorAll("canvas")], url: location.href };
  };
  const act = (label, then) => element("button", { type: "button", onclick: async () => {
    menu.open = false;
    then(await about());
  } }, label);
  const menu = element("details", { className: "share" }, element("summary", {}, "Share"),
    element("div", { className: "menu" },
      act("Copy a link", async ({ text, note, url }) => {
        const words = text ? `${text} ${url}` : url;
        const seconds = 4;
        try {
          await navigator.clipboard.writeText(words);
          say(`Copied: ${words} ${note}`, { seconds });
        } catch {
          say("The browser does not allow copying. The page's address is the link.", { seconds });
        }
      }),
      act("Save a picture", async ({ text, canvases }) => {
        if (canvases.length === 0) return;
        const blob = await new Promise((resolve) => picture(canvases, text ?? document.title).toBlob(resolve));
        download(blob, "hognose.png");
      }),
      navigator.share && act("Send …", ({ text, url }) => navigator.share({ title: document.title, text, url }).catch(() => {}))));
  addEventListener("pointerdown", ({ target }) => menu.contains(target) || (menu.open = false));
  menu.addEventListener("keydown", ({ key }) => key === "Escape" && (menu.open = false));
  return menu;
}

/** Saves a blob as a file. */
export function download(blob, name) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Paints canvases in a row, or in two rows if there are more than three, above a text. */
function picture(canvases, text) {
  const across = canvases.length > 3 ? 2 : canvases.length;
  const heights = canvases.map(({ width, height }) => Math.round((WIDTH * height) / width));
  const row = Math.max(...heights) + MARGIN;
  const made = element("canvas", {
    width: across * (WIDTH + MARGIN) + MARGIN, height: Math.ceil(canvases.length / across) * row + 3 * MARGIN,
  });
  const context = made.getContext("2d");
  const { backgroundColor, color } = getComputedStyle(document.body);
  context.fillStyle = backgroundColor;
  context.fillRect(0, 0, made.width, made.height);
  canvases.forEach((canvas, index) =>
    context.drawImage(canvas, MARGIN + (index % across) * (WIDTH + MARGIN), MARGIN + Math.floor(index / across) * row, WIDTH, heights[index]));
  context.fillStyle = color;
  context.font = "600 28px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillText(text, made.width / 2, made.height - MARGIN, made.width - 2 * MARGIN);
  return made;
}

/** The board of every day, with the mean steps of perfect play from a random cell (docs/results/optimal.md). */
const DAILY = { board: "6x6", perfect: 151.3 };

/** Returns today's date, as in 2026-11-27. */
function today() {
  const now = new Date();
  return new Date(now - 60_000 * now.getTimezoneOffset()).toISOString().slice(0, 10);
}

/** Returns the choices of today's board in the part Play. The date is the seed. */
export function daily() {
  return { board: DAILY.board, seed: today().replaceAll("-", "") };
}

/** Returns a line about a game that the user played; undefined before its end. */
export function resultLine({ board, seed, rules }, { end, step, length, area }) {
  if (!end) return undefined;
  const isDaily = !rules && board === DAILY.board && `${seed}` === daily().seed;
  const what = isDaily ? `${board}, ${today()}` : `Snake on ${board}`;
  if (end !== "won") return `${what}: I filled ${length} of ${area} cells.`;
  return `${what}: I needed ${step} steps${isDaily ? `; perfect play needs ${DAILY.perfect} on average` : ""}.`;
}
