"""Rows of results: a list of dicts that notebooks draw as a table."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


class Rows(list[dict[str, Any]]):
    """A list of dicts, one for each row of a table.

    >>> rows = Rows([{"name": "greedy", "ends": {"won": 1, "wall": 2}}])
    >>> rows[0]["name"]
    'greedy'
    """

    def to_frame(self) -> Any:
        """Returns a pandas ``DataFrame``, in which the columns of nested dicts have names such as ``ends.won``."""
        import pandas

        return pandas.json_normalize(self)

    def _repr_html_(self) -> str:
        """Returns a table of the numbers and texts, for notebooks."""
        plain = [{name: value for name, value in row.items() if not isinstance(value, dict | list)} for row in self]
        return table_of(plain)


def table_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Returns a table in HTML, with a column for each key."""
    names = list(dict.fromkeys(name for row in rows for name in row))

    def line(tag: str, cells: list[Any]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(_text(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line("td", [row.get(name, "") for name in names]) for row in rows)
    return f"<table>{line('th', names)}{body}</table>"


def drawn(curves: Mapping[str, tuple[Sequence[int], Sequence[float]]]) -> str:
    """Returns curves as SVG: a small chart for each, one above the other."""
    width, height, margin = 480, 120, 24
    charts = []
    for index, (name, (steps, values)) in enumerate(curves.items()):
        low, high = min(values), max(values)
        across, up = max(steps[-1] - steps[0], 1), (high - low) or 1.0
        points = " ".join(
            f"{margin + (step - steps[0]) / across * (width - 2 * margin):.1f},"
            f"{height - margin - (value - low) / up * (height - 2 * margin):.1f}"
            for step, value in zip(steps, values)
        )
        words = f"{name}: {_text(low)} to {_text(high)}, at last {_text(values[-1])}, after {steps[-1]:,} steps"
        charts.append(
            f'<g transform="translate(0 {index * height})"><text x="{margin}" y="16">{escape(words)}</text>'
            f'<polyline points="{points}" fill="none" stroke="#1f6f43" stroke-width="2"/></g>'
        )
    size = f'width="{width}" height="{height * len(charts)}"'
    font = 'font-family="sans-serif" font-size="12" fill="currentColor"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>{"".join(charts)}</svg>'


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
