"""Tablebases: exact play on small boards.

>>> import hognose
>>> table = Table("3x3")
>>> position = hognose.Position("3x3", [(1, 1), (0, 1)], food=(2, 2))
>>> round(table.value(position), 4)
15.7583
>>> [value and round(value, 4) for value in table.moves(position)]
[17.4306, 15.7583, 15.7583, None]
"""

from hognose._hognose import Table

__all__ = ["Table"]
