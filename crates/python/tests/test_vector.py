"""The native vector environment."""

import copy
import pickle
import threading

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode

import hognose


def allowed(infos, draws):
    """Returns a random allowed action for each environment."""
    return np.array([draws.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])


def test_make_vec_gives_the_native_environments():
    envs = gymnasium.make_vec("hognose/Snake-v0", num_envs=3, vectorization_mode="vector_entry_point", width=6, height=6)
    assert isinstance(envs, hognose.SnakeVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.single_action_space.n == 3 and envs.action_space.shape == (3,)
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space and observations[0] in envs.single_observation_space
    assert infos["action_mask"].dtype == np.int8
    envs.action_space.sample(mask=tuple(infos["action_mask"]))


def test_make_vec_limits_steps():
    envs = gymnasium.make_vec("hognose/Snake-v0", num_envs=3, max_episode_steps=2, torus=True)
    assert isinstance(envs, hognose.SnakeVectorEnv)
    envs.reset(seed=0)
    assert [envs.step(np.ones(3, int))[3].any() for _ in range(2)] == [False, True]


def test_make_vec_makes_native_duels():
    envs = gymnasium.make_vec("hognose/Duel-v0", num_envs=3, opponent="random", observation="features")
    assert isinstance(envs, hognose.DuelVectorEnv) and envs.num_envs == 3 and envs.opponent == "random"
    assert gymnasium.make_vec("hognose/Duel-v0", num_envs=2).opponent == hognose.DuelEnv().opponent
    envs.reset(seed=0)
    envs.step(np.ones(3, int))


def test_each_episode_draws_its_board():
    """All listed boards occur except the held-out ones; a board listed twice occurs twice as often."""
    config = {"boards": ["4x4..5x5", "4x4"], "held_out": ["5x4"], "observation": "centered", "starvation": 10}
    envs = hognose.SnakeVectorEnv(30, autoreset_mode="SameStep", **config)
    _, infos = envs.reset(seed=3)
    draws = np.random.default_rng(1)
    counts = {"4x4": 0, "5x5": 0}
    for _ in range(600):
        before = envs.boards
        _, _, terminations, truncations, infos = envs.step(allowed(infos, draws))
        ended = terminations | truncations
        if ended.any():
            boards = infos["snake"]["board"]
            assert [str(board) for board in boards[ended]] == [before[env] for env in np.flatnonzero(ended)]
            assert not boards[~ended].any()
            for board in boards[ended]:
                counts[str(board)] += 1
    episodes = sum(counts.values())
    # The share of 4x4 is two thirds, within four standard errors. It does not depend on the length of episodes.
    assert episodes > 1000 and abs(counts["4x4"] / episodes - 2 / 3) < 4 * np.sqrt(2 / 9 / episodes) + 30 / episodes


def test_boards_match_single_environments():
    config = {"boards": ["4x4..6x7"], "observation": "features", "render_mode": "rgb_array"}
    envs = hognose.SnakeVectorEnv(8, **config)
    envs.reset(seed=list(range(8)))
    for seed, board in enumerate(envs.boards):
        single = hognose.SnakeEnv(record=True, **config)
        single.reset(seed=seed)
        width, height = map(int, board.split("x"))
        assert single.board == board and single.render().shape == (24 * height + 12, 24 * width + 12, 3)
        assert single.record().startswith(f"hognose-record 1\nboard {board}\n")
        single = pickle.loads(pickle.dumps(single))
        assert single.board == board
    assert len(set(envs.boards)) > 1
    again = pickle.loads(pickle.dumps(envs))
    assert again.boards == envs.boards


def test_incompatible_boards_are_named():
    for wrong, words in [
        ({"boards": "4x4"}, r"boards must be a list of boards such as \['6x6'\], got '4x4'"),
        ({"boards": ["4x"]}, "expected"),
        ({"boards": ["4x4", "5x5"], "observation": "planes"}, "planes"),
        ({"boards": ["4x4"], "held_out": ["4x4"], "observation": "centered"}, "boards"),
        ({"held_out": ["4x4"], "observation": "centered"}, "held"),
    ]:
        with pytest.raises(ValueError, match=words):
            hognose.SnakeVectorEnv(1, **wrong)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("frame_stack", [1, 3])
@pytest.mark.parametrize("observation", ["planes", "egocentric"])
def test_vector_environments_match_single_environments(mode, frame_stack, observation):
    """Compares with Gymnasium's own vector environment over single ones, in every mode."""
    config = {"width": 5, "height": 4, "starvation": 15, "frame_stack": frame_stack, "observation": observation}
    envs = hognose.SnakeVectorEnv(4, autoreset_mode=mode, **config)
    single = gymnasium.vector.SyncVectorEnv([lambda: hognose.SnakeEnv(**config)] * 4, autoreset_mode=mode)
    seeds = [11, 12, 13, 14]
    draws = np.random.default_rng(0)
    ours, our_infos = envs.reset(seed=seeds)
    theirs, their_infos = single.reset(seed=seeds)
    ends = 0
    for _ in range(300):
        assert np.array_equal(ours, theirs)
        assert np.array_equal(our_infos["action_mask"], their_infos["action_mask"])
        actions = allowed(our_infos, draws)
        ours, *our_results, our_infos = envs.step(actions)
        theirs, *their_results, their_infos = single.step(actions)
        for own, other in zip(our_results, their_results, strict=True):
            assert own.dtype == other.dtype and np.array_equal(own, other)
        ended = our_results[1] | our_results[2]
        if ended.any():
            ends += 1
            assert np.array_equal(our_infos["_snake"], ended)
        if ended.any() and mode is AutoresetMode.SAME_STEP:
            assert np.array_equal(our_infos["_final_obs"], their_infos["_final_obs"])
            for env in np.flatnonzero(ended):
                assert np.array_equal(our_infos["final_obs"][env], their_infos["final_obs"][env])
            theirs_last = their_infos["final_info"]["action_mask"]
            assert np.array_equal(our_infos["final_info"]["action_mask"][ended], theirs_last[ended])
            our_snake, their_snake = our_infos["final_info"]["snake"], their_infos["final_info"]["snake"]
            assert our_infos["final_info"].keys() == their_infos["final_info"].keys()
            assert our_snake.keys() == their_snake.keys() and np.array_equal(our_infos["final_info"]["_snake"], ended)
            for name in ("return", "steps", "length", "ended_by"):
                assert np.array_equal(our_infos["snake"][name][ended], their_snake[name][ended])
                assert np.array_equal(our_snake[name][ended], their_snake[name][ended])
        if ended.any() and mode is AutoresetMode.DISABLED:
            options = {"reset_mask": ended}
            ours, our_infos = envs.reset(options=options)
            assert options["reset_mask"] is ended
            theirs, resets = single.reset(options=dict(options))
            assert np.array_equal(our_infos["action_mask"][ended], resets["action_mask"][ended])
            their_infos["action_mask"][ended] = resets["action_mask"][ended]
    assert ends > 10


@pytest.mark.parametrize("observation", ["planes", "window"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_views_and_copies_show_the_same(observation, dtype):
    config = {"width": 6, "height": 6, "observation": observation, "dtype": dtype}
    config |= {"starvation": 15, "autoreset_mode": "SameStep"}
    copies, views = (hognose.SnakeVectorEnv(5, copy=own, **config) for own in (True, False))
    fresh = hognose.SnakeVectorEnv(5, threads=2, **config)
    draws = np.random.default_rng(1)
    a, infos = copies.reset(seed=5)
    b, _ = views.reset(seed=5)
    fresh.reset(seed=5)
    kept = []
    for step in range(200):
        assert np.array_equal(a, b)
        actions = allowed(infos, draws)
        a, *rest, infos = copies.step(actions)
        b, *others, view_infos = views.step(actions)
        assert all(np.array_equal(x, y) for x, y in zip(rest, others, strict=True))
        assert np.array_equal(a, fresh.step(actions)[0])
        assert same_infos(infos, view_infos)
        kept.append(({**infos, "observations": a}, copy.deepcopy({**infos, "observations": a})))
    assert not b.flags.writeable and a.flags.writeable
    assert sum("snake" in infos for infos, _ in kept) > 10
    assert all(same_infos(*pair) for pair in kept), "later steps do not change earlier results"


def same_infos(a, b):
    """Returns whether two infos are equal; entries without an episode are 0 or None."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_infos(a[key], b[key]) for key in a)
    if a.dtype == object:
        return all((x is None and y is None) or np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    return a.dtype == b.dtype and np.array_equal(a, b)


def test_seeds():
    config = {"width": 6, "height": 6}
    envs = hognose.SnakeVectorEnv(3, **config)
    first = envs.reset(seed=9)[0]
    assert np.array_equal(first, envs.reset(seed=9)[0])
    assert not np.array_equal(first, envs.reset(seed=10)[0])
    # Without a seed the sequence continues; more environments do not change the first ones.
    envs.reset(seed=9)
    envs.step(np.ones(3, int))
    going_on = envs.reset()[0]
    assert not np.array_equal(first, going_on)
    more = hognose.SnakeVectorEnv(8, **config)
    assert np.array_equal(more.reset(seed=9)[0][:3], first)
    single = hognose.SnakeEnv(**config)
    assert np.array_equal(envs.reset(seed=[4, None, 6])[0][2], single.reset(seed=6)[0])


@pytest.mark.parametrize("frame_stack", [1, 2])
def test_a_reset_without_a_seed_begins_the_next_episode(frame_stack):
    config = {"width": 6, "height": 6, "frame_stack": frame_stack}
    envs = hognose.SnakeVectorEnv(3, **config)
    singles = [hognose.SnakeEnv(**config) for _ in range(3)]
    seeds = [11, 12, 13]
    first = envs.reset(seed=seeds)[0]
    starts = [single.reset(seed=seed)[0] for single, seed in zip(singles, seeds)]
    assert all(np.array_equal(own, start) for own, start in zip(first, starts))
    for mask in ([True] * 3, [True, False, True], [False, True, False], [True] * 3):
        which = np.array(mask)
        before = starts
        starts = [single.reset()[0] if one else start for single, start, one in zip(singles, starts, which)]
        assert all(np.array_equal(a, b) != one for a, b, one in zip(before, starts, which))
        for other in (pickle.loads(pickle.dumps(envs)), envs):
            now = other.reset(options={"reset_mask": which})[0]
            assert all(np.array_equal(own, start) for own, start in zip(now, starts))
    assert np.array_equal(envs.reset(seed=seeds)[0], first)


def test_environments_continue_from_snapshots_without_a_reset():
    single = hognose.SnakeEnv(width=6, height=6)
    single.reset(seed=4)
    snapshot = single.snapshot()
    envs = hognose.SnakeVectorEnv(3, width=6, height=6)
    envs.restore(1, snapshot)
    for call in (lambda: envs.step(np.ones(3, int)), envs.observe):
        with pytest.raises(ResetNeeded, match="environment 0 has not begun"):
            call()
    with pytest.raises(ResetNeeded, match="environment 2 has not begun"):
        envs.fork(2, [0])
    envs.fork(1, [0])
    envs.reset(options={"reset_mask": np.array([False, False, True])})
    theirs, ours = single.step(1), envs.step(np.ones(3, int))
    for env in (0, 1):
        assert np.array_equal(ours[0][env], theirs[0])
        assert [column[env] for column in ours[1:4]] == list(theirs[1:4])


def test_planning_pickle_and_copies():
    envs = hognose.SnakeVectorEnv(4, width=6, height=6, autoreset_mode=AutoresetMode.SAME_STEP)
    envs.reset(seed=2)
    for _ in range(5):
        envs.step(np.ones(4, int))
    envs.fork(0, [1, 2])
    envs.fork(0, [3], reseed=1)
    assert envs.snapshot(0) == envs.snapshot(1) == envs.snapshot(2) != envs.snapshot(3)
    observations, masks = envs.observe()
    assert all(np.array_equal(observations[0], row) for row in observations)
    snapshot = envs.snapshot(0)
    for other in (copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))):
        kept = pickle.loads(pickle.dumps(envs))
        for _ in range(30):
            a, b = kept.step(np.ones(4, int)), other.step(np.ones(4, int))
            assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4], strict=True))
    envs.step(np.zeros(4, int))
    envs.restore(2, snapshot)
    assert envs.snapshot(2) == snapshot


def test_stepping_lets_other_threads_run():
    envs = hognose.SnakeVectorEnv(256, width=12, height=12, observation="egocentric")
    envs.reset(seed=0)
    results, actions = [], np.ones(256, int)

    def step():
        for _ in range(50):
            try:
                envs.step(actions)
            except RuntimeError as error:
                results.append(str(error))

    threads = [threading.Thread(target=step) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # A concurrent step raises an error; nothing hangs or breaks.
    assert set(results) <= {"another thread is stepping these environments"}
    envs.step(actions)


def test_bad_input_is_named():
    for num_envs in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="num_envs"):
            hognose.SnakeVectorEnv(num_envs)
    with pytest.raises(ValueError):
        hognose.SnakeVectorEnv(2, autoreset_mode="never")
    envs = hognose.SnakeVectorEnv(3, width=4, height=4, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(ResetNeeded):
        envs.step(np.zeros(3, int))
    envs.reset(seed=0)
    for actions, error, words in (
        (np.zeros(2, int), ValueError, "shape"),
        (np.zeros((3, 1), int), ValueError, "shape"),
        (0, ValueError, "shape"),
        (np.zeros(3), TypeError, "whole numbers"),
        (["a", "b", "c"], TypeError, "whole numbers"),
        ([0, 1, 3], ValueError, "environment 2 must be from 0 to 2, got 3"),
        ([0, -1, 0], ValueError, "environment 1 must be from 0 to 2, got -1"),
        ([0, 0, 2**40], ValueError, "must be from 0 to 2"),
    ):
        with pytest.raises(error, match=words):
            envs.step(actions)
    envs.step(np.ones(6, np.int32)[::2])
    for seed, error in (([1, 2], ValueError), ([1, 2, -3], ValueError), ("abc", TypeError), (1.5, TypeError)):
        with pytest.raises(error):
            envs.reset(seed=seed)
    for mask, error in (
        ([True] * 3, TypeError),
        (np.ones(3, int), TypeError),
        (np.ones(2, bool), ValueError),
        (np.zeros(3, bool), ValueError),
    ):
        with pytest.raises(error, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(IndexError, match="must be from 0 to 2, got 5"):
        envs.snapshot(5)
    for call in (
        lambda: envs.fork(0, [1, 9]), lambda: envs.fork(0, [-1]), lambda: envs.snapshot(-1), lambda: envs.position(-1)
    ):
        with pytest.raises(IndexError, match=r"the environment must be from 0 to 2, got (9|-1)"):
            call()
    envs.reset(seed=0)
    while not any((results := envs.step(np.ones(3, int)))[2] | results[3]):
        pass
    with pytest.raises(ResetNeeded, match="has ended"):
        envs.step(np.ones(3, int))
    envs.close()
    envs.close()
    with pytest.raises(ClosedEnvironmentError):
        envs.step(np.ones(3, int))
