"""Policies by their names, and what they do in environments."""

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hognose import _hognose
from hognose._hognose import Playing, Position

HEADINGS = ("up", "right", "down", "left")


class Solver:
    """A named policy: see :func:`hognose.policies`.

    >>> game = Solver("certified").begin(position := Position("6x6", [(2, 2), (1, 2)], food=(4, 2)))
    >>> game.act(position)
    1
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._solver = _hognose.Solver(name)
        # The games that it plays in environments.
        self._games: WeakKeyDictionary[Any, list[Playing | None]] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"<Solver {self.name}>"

    def __reduce__(self) -> tuple[type["Solver"], tuple[str]]:
        return Solver, (self.name,)

    def begin(self, position: Position, seed: int = 0) -> Playing:
        """Begins a game at a position. Random choices follow from the seed."""
        return self._solver.begin(position, seed)

    def actions(self, env: Any) -> Any:
        """Returns the action in an environment, or in each environment of a vector, in the actions of ``env``.

        It follows each episode from the position at which it is called first, or again after other moves than its own.
        By relative actions a snake of one cell can't turn back, so it turns to a side instead.

        >>> import hognose
        >>> env = hognose.SnakeEnv(width=6, height=6, starvation=None)
        >>> observation, info = env.reset(seed=0)
        >>> solver, ended = Solver("hamiltonian"), False
        >>> while not ended:
        ...     observation, reward, ended, truncated, info = env.step(solver.actions(env))
        >>> info["snake"]["ended_by"]
        'won'

        Args:
            env: A :class:`hognose.SnakeEnv`, a :class:`hognose.SnakeVectorEnv` or a :class:`hognose.sb3.SnakeVecEnv`,
                maybe wrapped.

        Raises:
            ValueError: The policy can't play these games.
        """
        seen = seen_by(env)
        games = self._games.setdefault(seen.env, [None] * len(seen.positions))
        moves = np.full(len(seen.positions), -1)
        for index, position in enumerate(seen.positions):
            if position.status == "ongoing":
                moves[index] = self._act(games, index, position)
        return moves_in(seen, moves)

    def _act(self, games: list[Playing | None], index: int, position: Position) -> int:
        game = games[index]
        if game is not None:
            try:
                return game.act(position)
            except ValueError:
                # Another episode has begun, or the environment has made another move.
                pass
        games[index] = game = self.begin(position)
        return game.act(position)


class Seen(NamedTuple):
    """What a policy sees of an environment."""

    env: Any
    positions: list[Position]
    action: str
    single: bool


def seen_by(env: Any) -> Seen:
    """Returns the positions of an environment of one snake, or of each environment of a vector."""
    from hognose.env import SnakeEnv
    from hognose.vector import SnakeVectorEnv

    inner = getattr(env, "unwrapped", env)
    # Stable-Baselines3's environments have another base class.
    inner = getattr(inner, "envs", inner)
    if isinstance(inner, SnakeEnv):
        return Seen(inner, [inner.position], inner.config.action, True)
    if isinstance(inner, SnakeVectorEnv):
        positions = [inner.position(index) for index in range(inner.num_envs)]
        return Seen(inner, positions, inner.config.action, False)
    raise TypeError(f"expected a SnakeEnv or a SnakeVectorEnv, got {type(env).__name__}")


def moves_in(seen: Seen, moves: NDArray[np.int64]) -> Any:
    """Returns moves (0 up to 3 left) as actions of an environment. -1 stands for a game that is over: straight on."""
    headings = np.array([HEADINGS.index(position.heading) for position in seen.positions])
    moves = np.where(moves < 0, headings, moves)
    actions = moves if seen.action == "absolute" else (moves - headings + 1) % 4
    if seen.action == "relative":
        # A snake of one cell may turn back, but not by a relative action.
        for index in np.flatnonzero(actions == 3):
            legal = (np.array(seen.positions[index].legal_moves()) - headings[index] + 1) % 4
            actions[index] = min(legal)
    return actions[0] if seen.single else actions
