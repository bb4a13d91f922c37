// The state of the page in its address: `#watch?policy=certified&board=10x10`.

/** What an address says: the part of the page, and what was chosen in it. */
export function parse(hash) {
  const [part, query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { part, choices: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of choices. What is as usual is left out. */
export function format(part, choices, usual = {}) {
  const told = Object.entries(choices).filter(([key, value]) => `${value ?? ""}` !== `${usual[key] ?? ""}`);
  const query = new URLSearchParams(told).toString();
  // These need no escapes in an address, which is nicer to read without them.
  return `#${part}${query ? "?" : ""}${query.replace(/%2C/g, ",").replace(/%3A/g, ":")}`;
}

/**
 * How a part takes what its controls choose. `change` chooses another game, to which the back button leads back; there
 * `anew` goes before what was chosen earlier. `adjust` only shows the game in another way.
 */
export function chooser(page, current, select, anew = {}) {
  const take = (isNew, first) => (chosen) => {
    const made = { ...current(), ...first, ...chosen };
    page.write(made, isNew);
    select(made, isNew);
  };
  return { change: take(true, anew), adjust: take(false, {}) };
}

/** A whole number from `low` to `high` that an address tells, or else the usual one. */
export function number(text, usual, low = 0, high = Number.MAX_SAFE_INTEGER) {
  const value = Number(text);
  return text !== undefined && text !== "" && Number.isInteger(value) ? Math.min(Math.max(value, low), high) : usual;
}

/** The number of a game that an address or a field tells. */
export const gameNumber = (text) => number(text, 0, 0, 2 ** 32 - 1);

/** Moves as an address tells them: `uuuur` is `u4r`. */
export function packMoves(moves) {
  return moves.replace(/(.)\1+/g, (run) => run[0] + run.length);
}

/** The most moves that are read from an address. */
const MOST_MOVES = 100_000;

/** The moves that an address tells. What is not understood or too much stays, so that it is refused. */
export function unpackMoves(text) {
  const RUNS = /([urdl])(\d{1,5})/g;
  const total = [...text.matchAll(RUNS)].reduce((sum, [, , count]) => sum + Number(count), 0);
  return total > MOST_MOVES ? text : text.replace(RUNS, (_, letter, count) => letter.repeat(Number(count)));
}
