// A bot for duels in JavaScript: it goes to the nearest food, but avoids the head of a snake that is at least as long.
const STEPS = { up: [0, -1], right: [1, 0], down: [0, 1], left: [-1, 0] };

function distance(a, b) {
  return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);
}

function cost({ body, other, foods }, move) {
  const head = [body[0][0] + STEPS[move][0], body[0][1] + STEPS[move][1]];
  const danger = other.body.length >= body.length && distance(head, other.body[0]) === 1;
  return 1000 * danger + (foods.length ? Math.min(...foods.map((food) => distance(head, food))) : 0);
}

function answer(message) {
  const moves = message.legal.length ? message.legal : ["up"];
  const best = moves.reduce((a, b) => (cost(message, b) < cost(message, a) ? b : a));
  return { step: message.step, move: best };
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "position") console.log(JSON.stringify(answer(message)));
});
