// Texts that several parts show.

import { element } from "./elements.js";

/** Returns the chosen rules for the WebAssembly: a board, or full rules as JSON. */
export function rulesOf({ board, rules }) {
  if (!rules) return `${board}`;
  try {
    return JSON.stringify({ ...JSON.parse(rules), board });
  } catch {
    return rules;
  }
}

/** Returns how a game ended; empty before its end. */
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

/** Returns the value of each move as text. */
export function worthRows({ scale, steps, sure, legal }) {
  const best = Math.min(...steps.filter((value) => value !== null));
  const digits = scale === "exact" ? 2 : 1;
  return DIRECTIONS.map((direction, index) => {
    const value = steps[index];
    if (!legal[index]) return { direction, index, text: "loses", more: "" };
    if (!sure[index]) return { direction, index, text: sure.includes(true) ? "gives away the certain win" : "no certain win is known", more: "" };
    if (value === null) return { direction, index, text: "safe", more: "" };
    return { direction, index, ...compared(value, best, digits) };
  });
}

/** Returns an agent's own value of each move as text. */
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

/** Returns a value and its difference from the best one as text. */
function compared(value, best, digits) {
  const more = value - best;
  const isBest = Math.abs(more) < 1e-9;
  return { number: true, text: value.toFixed(digits), more: isBest ? "best" : `${more > 0 ? "+" : ""}${more.toFixed(digits)}`, best: isBest };
}

/** Returns an interval in brackets; empty if there is none. */
export function intervalText(interval, digits) {
  return interval ? `[${interval.map((end) => end.toFixed(digits)).join(", ")}]` : "";
}

/** Returns a description of rules that differ from the default. */
export function rulesText(rules) {
  let parsed;
  try {
    parsed = JSON.parse(rules || "{}");
  } catch {
    return "";
  }
  const { start, tail_entry: tailEntry, foods } = parsed;
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

/** Returns a table of the values of moves. */
export function worthTable({ scale }, rows) {
  return movesTable(scale === "exact" ? "Expected steps to win" : "Steps that each move costs, estimated by the solver certified", rows);
}

/** Returns a table of an agent's own values of moves. */
export function opinionTable({ q_values: qValues }, rows) {
  return movesTable(qValues ? "The agent's Q-values" : "Steps that each move costs, estimated by the agent", rows);
}

function movesTable(title, rows) {
  const body = rows.map(({ direction, text, more, best }) =>
    element("tr", { className: best ? "best" : "" },
      element("th", { scope: "row" }, direction), element("td", {}, text), element("td", {}, more)));
  return element("table", {}, element("caption", {}, title), element("tbody", {}, ...body));
}

/** Returns a description as a sentence, without hints about names in a terminal. */
export const described = (words) => sentence(words.split(";")[0].replace(/ or :[A-Z]+/, ""));

/** Returns the name of a solver without its number; agents have none. */
export const solverOf = (policy) => (policy.startsWith("dqn") ? policy : policy.split(":")[0]);

/** Returns a policy by name, which may end with a number; undefined if it can't be chosen. */
export const knownOf = (policies, policy) => policies.find(({ name }) => name === solverOf(policy));

/** Returns a policy's description as a sentence; empty if the policy is unknown. */
export function descriptionOf(policies, policy) {
  const known = knownOf(policies, policy);
  return known ? described(known.description) : "";
}

/** Returns words as a sentence. */
export const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}.`;
