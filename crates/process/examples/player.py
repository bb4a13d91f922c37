"""A player for hognose in Python: it makes the legal move that leads nearest to the food."""

import json
import sys

STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


def distance(message, move):
    x, y = (place + step for place, step in zip(message["body"][0], STEPS[move]))
    return min(abs(x - column) + abs(y - row) for column, row in message["foods"])


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "position":
        moves = message["legal"] or ["up"]
        best = min(moves, key=lambda move: distance(message, move))
        print(json.dumps({"step": message["step"], "move": best}), flush=True)
