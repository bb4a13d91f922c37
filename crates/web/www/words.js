// What parts say in words.

import { element } from "./elements.js";

/** The rules that were chosen, as the WebAssembly reads them: a board, or all rules as JSON. */
export function rulesOf({ board, rules }) {
  if (!rules) return `${board}`;
  try {
    return JSON.stringify({ ...JSON.parse(rules), board });
  } catch {
    return rules;
  }
}

/** How a game ended; nothing while it goes on. */
export function endingOf({ end, step, length, area }) {
  const steps = `${step.toLocaleString("en")} steps`;
  switch (end) {
    case "won": return `Won: the board is full after ${steps}.`;
    case "wall": return `Lost after ${steps}: the snake left the board, with length ${length} of ${area}.`;
    case "body": return `Lost after ${steps}: the snake hit itself, with length ${length} of ${area}.`;
    case "limit": return `Cut off after ${steps}: it ate nothing for too long, with length ${length} of ${area}.`;
    default: return "";
  }
}

export const DIRECTIONS = ["Up", "Right", "Down", "Left"];

/** What each move is worth, in words: of each move that does not lose at once. */
export function worthRows({ scale, steps, sure, legal }) {
  const best = Math.min(...steps.filter((value) => value !== null));
  const digits = scale === "exact" ? 2 : 1;
  return DIRECTIONS.map((direction, index) => {
    const value = steps[index];
    if (!legal[index]) return { direction, index, text: "loses", more: "" };
    if (!sure[index]) return { direction, index, text: sure.includes(true) ? "the win is not certain after it" : "no certain win is known", more: "" };
    if (value === null) return { direction, index, text: "safe", more: "" };
    return { direction, index, ...compared(value, best, digits) };
  });
}

/** What a learned agent thinks of each move, in words. */
export function opinionRows({ q_values: qValues, plan_costs: planCosts }) {
  const values = qValues ?? planCosts;
  const known = values.filter((value) => value !== null);
  const best = qValues ? Math.max(...known) : Math.min(...known);
  return DIRECTIONS.map((direction, index) => {
    const value = values[index];
    if (value === null) return { direction, index, text: qValues ? "not allowed" : "no plan", more: "" };
    return { direction, index, ...compared(value, best, qValues ? 2 : 1) };
  });
}

/** A number beside the best one. */
function compared(value, best, digits) {
  const more = value - best;
  const isBest = Math.abs(more) < 1e-9;
  return { number: true, text: value.toFixed(digits), more: isBest ? "best" : `${more > 0 ? "+" : ""}${more.toFixed(digits)}`, best: isBest };
}

/** An interval in brackets; nothing where there is none. */
export function intervalText(interval, digits) {
  return interval ? `[${interval.map((end) => end.toFixed(digits)).join(", ")}]` : "";
}

/** Rules other than the usual ones, in words. */
export function rulesText(rules) {
  let told;
  try {
    told = JSON.parse(rules || "{}");
  } catch {
    return "";
  }
  const { start, tail_entry: tailEntry, foods } = told;
  const words = [];
  if (start?.heading) {
    words.push(`The snake begins in column ${start.column}, row ${start.row}, heading ${start.heading}, with length ${start.length}.`);
  } else if (start?.length > 1 || start?.margin > 0) {
    words.push(`The snake begins with length ${start.length}, at least ${start.margin} cells from every border.`);
  }
  if (tailEntry === false) words.push("The head must not enter the cell that the tail leaves.");
  if (foods > 1) words.push(`There are ${foods} foods at a time.`);
  return words.join(" ");
}

/** What each move is worth, as a table. */
export function worthTable({ scale }, rows) {
  return movesTable(scale === "exact" ? "Expected steps to the full board" : "Steps that each move costs, as the solver certified estimates", rows);
}

/** What a learned agent thinks of each move, as a table. */
export function opinionTable({ q_values: qValues }, rows) {
  return movesTable(qValues ? "What the agent expects of each move (Q-values)" : "Steps that each move costs, as the agent estimates", rows);
}

function movesTable(title, rows) {
  const body = rows.map(({ direction, text, more, best }) =>
    element("tr", { className: best ? "best" : "" },
      element("th", { scope: "row" }, direction), element("td", {}, text), element("td", {}, more)));
  return element("table", {}, element("caption", {}, title), element("tbody", {}, ...body));
}

/** A description as a sentence. What it says of names that one types in a terminal is left out. */
export const described = (words) => sentence(words.split(";")[0].replace(/ or :[A-Z]+/, ""));

/** What is known of a policy; undefined where it can't be chosen. A number may follow its name. */
export const knownOf = (policies, policy) => policies.find(({ name }) => name === policy || name === policy.split(":")[0]);

/** What a policy does, as a sentence; nothing where it is not known. */
export function descriptionOf(policies, policy) {
  const known = knownOf(policies, policy);
  return known ? described(known.description) : "";
}

/** Words as a sentence. */
export const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}.`;
