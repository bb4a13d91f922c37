// The state of the page in its address: `#watch?policy=certified&board=10x10`.

/** Parses an address into the part of the page and its choices. */
export function parse(hash) {
  const [part, query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { part, choices: Object.fromEntries(new URLSearchParams(query)) };
}

/** Returns the address of choices, without defaults. */
export function format(part, choices, usual = {}) {
  const others = Object.entries(choices).filter(([key, value]) => `${value ?? ""}` !== `${usual[key] ?? ""}`);
  const query = new URLSearchParams(others).toString();
  // Addresses are easier to read without these escapes, which are not needed.
  return `#${part}${query ? "?" : ""}${query.replace(/%2C/g, ",").replace(/%3A/g, ":")}`;
}

/**
 * Returns how a part handles choices of its controls. `change` chooses another game, adds an entry to the history, and
 * overrides earlier choices with `reset`. `adjust` only changes how the game is shown.
 */
export function chooser(page, current, select, reset = {}) {
  const take = (isNew, first) => (chosen) => {
    const made = { ...current(), ...first, ...chosen };
    page.write(made, isNew);
    select(made, isNew);
  };
  return { change: take(true, reset), adjust: take(false, {}) };
}

/** Parses a whole number in an address and clamps it to `low` and `high`; `usual` if it is invalid. */
export function number(text, usual, low = 0, high = Number.MAX_SAFE_INTEGER) {
  const value = Number(text);
  return text !== undefined && text !== "" && Number.isInteger(value) ? Math.min(Math.max(value, low), high) : usual;
}

/** Parses the number of a game. */
export const gameNumber = (text) => number(text, 0, 0, 2 ** 32 - 1);

/** Returns the name of a board that people may write as `10 x 10`, `10×10`, `10X10` or `10`; other text as it is. */
export function boardOf(text) {
  const [, columns, rows, torus] = /^\s*(\d+)(?:\s*[x×*]\s*(\d+))?(?:\s*-?\s*(torus))?\s*$/i.exec(text) ?? [];
  return columns ? `${Number(columns)}x${Number(rows ?? columns)}${torus ? "-torus" : ""}` : `${text}`.trim();
}

/** Returns moves in the form of addresses: `uuuur` is `u4r`. */
export function packMoves(moves) {
  return moves.replace(/(.)\1+/g, (run) => run[0] + run.length);
}

/** The maximum number of moves in an address. */
const MOST_MOVES = 100_000;

/** Returns the moves of an address. Invalid text, and too many moves, stay as they are and are rejected later. */
export function unpackMoves(text) {
  const RUNS = /([urdl])(\d{1,5})/g;
  const total = [...text.matchAll(RUNS)].reduce((sum, [, , count]) => sum + Number(count), 0);
  return total > MOST_MOVES ? text : text.replace(RUNS, (_, letter, count) => letter.repeat(Number(count)));
}
