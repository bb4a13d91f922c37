// A player for hognose in JavaScript: it makes the legal move that leads nearest to the food.
const STEPS = { up: [0, -1], right: [1, 0], down: [0, 1], left: [-1, 0] };

function distance({ body, foods }, move) {
  const [x, y] = [body[0][0] + STEPS[move][0], body[0][1] + STEPS[move][1]];
  return Math.min(...foods.map(([column, row]) => Math.abs(x - column) + Math.abs(y - row)));
}

function answer(message) {
  const moves = message.legal.length ? message.legal : ["up"];
  const best = moves.reduce((a, b) => (distance(message, b) < distance(message, a) ? b : a));
  return { step: message.step, move: best };
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "position") console.log(JSON.stringify(answer(message)));
});
