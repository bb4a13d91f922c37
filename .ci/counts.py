#!/usr/bin/env python3
"""Measures how readable the sources are: size, density, and habits that slow a reader down.

    .ci/counts.py            # this repository
    .ci/counts.py FOLDER     # the Rust sources in another folder
"""

import itertools
import pathlib
import re
import sys

TEST = re.compile(r"^(\s*)#\[cfg\(test\)\]")
CLOSURE = re.compile(r"^\s*let (?:mut )?(\w+)(?:: [^=]+)? = (?:move )?\|")


def code_of(text: str) -> list[str]:
    """Returns the lines of code, without blank lines, comments and tests."""
    lines, skipped = [], None
    for line in text.splitlines():
        if skipped is not None:
            if line == skipped + "}":
                skipped = None
            continue
        test = TEST.match(line)
        if test and test.group(1) == "":
            skipped = ""
            continue
        if line.strip() and not line.lstrip().startswith("//"):
            lines.append(line)
    return lines


def size_of(lines: list[str]) -> int:
    """Returns the number of characters, without whitespace."""
    return sum(len("".join(line.split())) for line in lines)


def uses_of_closures(lines: list[str]) -> list[int]:
    """Returns how often each named closure is used in its block."""
    uses = []
    for index, line in enumerate(lines):
        if closure := CLOSURE.match(line):
            indent = len(line) - len(line.lstrip())
            block = itertools.takewhile(lambda line: len(line) - len(line.lstrip()) >= indent, lines[index + 1 :])
            uses.append(sum(len(re.findall(rf"\b{closure.group(1)}\b", line)) for line in block))
    return uses


def main() -> None:
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    crates = {}
    for path in sorted(root.rglob("*.rs")):
        parts = path.relative_to(root).parts
        if any(part in ("target", "tests", "benches", "examples", ".git", "fuzz") for part in parts):
            continue
        name = parts[1] if parts[0] == "crates" else parts[0]
        crates.setdefault(name, []).append(code_of(path.read_text()))
    print(f"{'crate':12} {'files':>5} {'lines':>7} {'characters':>10}")
    for name, files in crates.items():
        size = sum(map(size_of, files))
        print(f"{name:12} {len(files):5} {sum(map(len, files)):7} {size:10}")
    every = [lines for files in crates.values() for lines in files]
    flat = [line for lines in every for line in lines]
    size = size_of(flat)
    print(f"{'all':12} {len(every):5} {len(flat):7} {size:10}\n")

    named = [uses for lines in every for uses in uses_of_closures(lines)]
    pairs = sum(bool(re.match(r"\s*let \([^)]*,[^)]*\) = \(", line)) for line in flat)
    steps = sum(bool(re.search(r"\bfn step\b", line)) for line in flat)
    once = sum(uses == 1 for uses in named)
    for what, count in (
        ("let (a, b) = (x, y)", pairs), ("closures with a name", len(named)), ("of these used once", once)
    ):
        print(f"{what}: {count}, {1000 * count / len(flat):.1f} per 1,000 lines")
    print(f"lines over 100 characters: {sum(len(line) > 100 for line in flat)}")
    print(f"functions named `step`: {steps}")


if __name__ == "__main__":
    main()
