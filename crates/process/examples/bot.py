"""A bot for duels in Python: it goes to the nearest food, but avoids the head of a snake that is at least as long."""

import json
import sys

STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


def distance(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def cost(message, move):
    other = message["other"]
    head = [place + step for place, step in zip(message["body"][0], STEPS[move])]
    danger = len(other["body"]) >= len(message["body"]) and distance(head, other["body"][0]) == 1
    return 1000 * danger + min((distance(head, food) for food in message["foods"]), default=0)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "position":
        best = min(message["legal"] or ["up"], key=lambda move: cost(message, move))
        print(json.dumps({"step": message["step"], "move": best}), flush=True)
