#!/usr/bin/env python3
"""Writes the tables of the book from the reports in docs/data, which `hognose evaluate --json` wrote.

    docs/tables.py            # writes the tables
    docs/tables.py --check    # fails if a page has another table than its report

A table follows its mark, <!-- table NAME -->, and ends at an empty line.
"""

import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).parent
MARK = re.compile(r"(<!-- table ([\w-]+) -->\n)(.*?)(?=\n\n)", re.DOTALL)


def report(name: str):
    return json.loads((DOCS / "data" / f"{name}.json").read_text())


def number(value: float, interval: list[float], digits: int = 1, factor: float = 1, unit: str = "") -> str:
    low, high = (f"{factor * bound:.{digits}f}" for bound in interval)
    return f"{factor * value:.{digits}f}{unit} [{low}, {high}]"


def steps(row) -> str:
    return number(row["mean_steps_won"], row["mean_steps_won_interval"])


def wins(row) -> str:
    return number(row["win_rate"], row["win_rate_interval"], factor=100, unit=" %")


def rate(value: float) -> str:
    return f"{value / 1e6:.1f} M" if value >= 1e6 else f"{value / 1e3:.1f} k"


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    head, *body = ["| " + " | ".join(line) + " |" for line in [heads, *rows]]
    return "\n".join([head, "|---|" + "--:|" * (len(heads) - 1), *body])


def agents_steps() -> str:
    heads = ["Board", "`certified`", "plans", "safe", "free", "free: wins"]
    rows = [
        [board["board"], *[steps(row) for row in board["policies"]], wins(board["policies"][-1])]
        for board in report("agents")
    ]
    return markdown(heads, rows)


def agents_paired() -> str:
    rows = [
        [board["board"], *[number(row["paired"]["steps_won"], row["paired"]["steps_won_interval"]) for row in board["policies"][1:]]]
        for board in report("agents")
    ]
    return markdown(["Board", "plans", "safe", "free"], rows)


def agents_6x6() -> str:
    rows = [
        [f"`{row['name']}`", wins(row), steps(row), str(row["ends"]["limit"]), str(row["ends"]["wall"] + row["ends"]["body"])]
        for row in report("agents-6x6")["policies"]
    ]
    return markdown(["Policy", "Wins", "Steps when won", "Cut off", "Died"], rows)


def readme() -> str:
    what = {
        "dqn:every-board-plans": "an agent that chooses among plans, which a solver proposes",
        "certified": "our strongest solver",
        "killer": "a solver by [xmamat](docs/results/published.md)",
        "shortcut": "follows a cycle through all cells, with short cuts",
        "dqn:checkpoints/every-board": "an agent that may make any move",
        "greedy": "the shortest way to the food, if it can reach its tail afterwards",
    }
    rows = []
    for row in report("readme")["policies"]:
        low, high = row["mean_steps_won_interval"]
        mean = f"{row['mean_steps_won']:.0f} ± {(high - low) / 2:.0f}"
        rows.append([f"`{row['name']}`", what[row["name"]], f"{100 * row['win_rate']:.0f} %", mean])
    table = markdown(["Player on 10x10", "What it is", "Games won", "Steps to win"], rows)
    return table.replace("|---|--:|--:|--:|", "|---|---|--:|--:|")


def solvers() -> str:
    rows = [
        [f"`{row['name']}`", wins(row), steps(row), rate(row["decisions_per_second"])]
        for row in sorted(report("solvers")["policies"], key=lambda row: (-row["win_rate"], row["mean_steps_won"]))
    ]
    return markdown(["Policy", "Wins", "Steps when won", "Decisions/s"], rows)


TABLES = {
    "agents-steps": agents_steps, "agents-paired": agents_paired, "agents-6x6": agents_6x6, "readme": readme,
    "solvers": solvers,
}


def main() -> None:
    check, wrong, written = "--check" in sys.argv[1:], [], set()
    for page in [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]:
        text = page.read_text()
        marks = [name for _, name, _ in MARK.findall(text)]
        written.update(marks)
        new = MARK.sub(lambda found: found[1] + TABLES[found[2]](), text)
        if new != text and check:
            wrong.append(str(page))
        elif new != text:
            page.write_text(new)
    if missing := TABLES.keys() - written:
        sys.exit(f"no page has the tables {', '.join(sorted(missing))}")
    if wrong:
        sys.exit(f"tables differ from their reports, docs/tables.py writes them: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
