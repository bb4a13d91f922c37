"""Duels of two snakes: bots, and environments for several learners."""

from typing import TYPE_CHECKING, Any

from hognose import _hognose

if TYPE_CHECKING:
    from hognose.parallel import ParallelDuel


def bots() -> dict[str, str]:
    """The names of all bots, and what each of them does. Most that search take a depth, as in ``adder:4``.

    >>> bots()["random"]
    'plays a legal move at random'
    """
    return dict(_hognose.bots())


def parallel_env(render_mode: str | None = None, **config: Any) -> "ParallelDuel":
    """A duel as PettingZoo's ``ParallelEnv``; needs ``hognose[pettingzoo]``.

    ``pettingzoo.utils.parallel_to_aec`` makes an ``AECEnv`` of it.

    Args:
        render_mode: ``human``, ``ansi``, ``rgb_array`` or None.
        **config: The attributes of :class:`hognose.DuelConfig`.
    """
    from hognose.parallel import ParallelDuel

    return ParallelDuel(render_mode, **config)
