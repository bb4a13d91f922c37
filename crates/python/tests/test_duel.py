"""Duels: one against a bot, many at once, and tournaments."""

import copy
import json
import os
import pickle
import subprocess
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import hognose

SMALL = {"width": 7, "height": 7, "step_limit": 60}


def allowed(masks, draws):
    """Returns a random allowed action for each row."""
    return np.array([draws.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("observation", ["planes", "window", "egocentric", "features"])
def test_gymnasium_accepts_the_environment(observation):
    env = gymnasium.make("hognose/Duel-v0", opponent="greedy", observation=observation, render_mode="rgb_array", **SMALL)
    with warnings.catch_warnings():
        # The checker can't recreate the environment from its spec for every render mode.
        warnings.simplefilter("ignore")
        check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.shape[2] == 3


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("seat", ["first", "second", "alternate"])
def test_vector_duels_match_single_duels(mode, seat):
    """Compares with Gymnasium's own vector environment over single duels, in every mode."""
    config = {**SMALL, "opponent": "random", "seat": seat, "reward": {"food": 0.25}}
    envs = hognose.DuelVectorEnv(4, autoreset_mode=mode, **config)
    single = gymnasium.vector.SyncVectorEnv([lambda: hognose.DuelEnv(**config)] * 4, autoreset_mode=mode)
    seeds = [11, 12, 13, 14]
    draws = np.random.default_rng(0)
    ours, our_infos = envs.reset(seed=seeds)
    theirs, their_infos = single.reset(seed=seeds)
    ends = 0
    for _ in range(300):
        assert np.array_equal(ours, theirs)
        assert np.array_equal(our_infos["action_mask"], their_infos["action_mask"])
        assert np.array_equal(envs.seats(), their_infos["seat"])
        assert np.array_equal(our_infos["seat"], their_infos["seat"])
        actions = allowed(our_infos["action_mask"], draws)
        ours, *our_results, our_infos = envs.step(actions)
        theirs, *their_results, their_infos = single.step(actions)
        for own, other in zip(our_results, their_results, strict=True):
            assert own.dtype == other.dtype and np.array_equal(own, other)
        ended = our_results[1]
        assert not our_results[2].any()
        if ended.any():
            ends += 1
            expected = their_infos["final_info"]["duel"] if mode is AutoresetMode.SAME_STEP else their_infos["duel"]
            for name in ("outcome", "return", "steps", "seat", "length", "other_length", "cause", "other_cause"):
                assert np.array_equal(our_infos["duel"][name][ended], expected[name][ended])
        if ended.any() and mode is AutoresetMode.SAME_STEP:
            for env in np.flatnonzero(ended):
                assert np.array_equal(our_infos["final_obs"][env], their_infos["final_obs"][env])
            ours_last, theirs_last = our_infos["final_info"], their_infos["final_info"]
            assert ours_last.keys() == theirs_last.keys()
            for name in ("action_mask", "seat"):
                assert np.array_equal(ours_last[name][ended], theirs_last[name][ended])
                assert np.array_equal(ours_last[f"_{name}"], ended)
            assert np.array_equal(ours_last["duel"]["outcome"][ended], theirs_last["duel"]["outcome"][ended])
        if ended.any() and mode is AutoresetMode.DISABLED:
            ours, our_infos = envs.reset(options={"reset_mask": ended})
            theirs, resets = single.reset(options={"reset_mask": ended})
            for name in ("action_mask", "seat"):
                their_infos[name][ended] = resets[name][ended]
    assert ends > 10


def test_both_players_of_a_duel_end_in_the_same_step():
    envs = hognose.DuelVectorEnv(3, autoreset_mode="SameStep", observation="planes", dtype="uint8", threads=2, **SMALL)
    assert envs.num_envs == 6
    draws = np.random.default_rng(0)
    observations, infos = envs.reset(seed=3)
    assert observations.shape == (6, 10, 7, 7) and observations in envs.observation_space
    # Each player's own body is the opponent's body for the other player.
    assert np.array_equal(observations[0::2, 0], observations[1::2, 5])
    outcomes = set()
    for _ in range(300):
        observations, rewards, terminations, truncations, infos = envs.step(allowed(infos["action_mask"], draws))
        assert np.array_equal(terminations[0::2], terminations[1::2]) and not truncations.any()
        assert np.array_equal(rewards[0::2], -rewards[1::2])
        for env in np.flatnonzero(terminations):
            duel = infos["duel"]
            outcomes.add(str(duel["outcome"][env]))
            assert duel["seat"][env] == env % 2
            assert rewards[env] == {"won": 1, "lost": -1, "drawn": 0}[duel["outcome"][env]] == duel["return"][env]
            assert duel["cause"][env] == duel["other_cause"][env ^ 1]
            assert duel["length"][env] == duel["other_length"][env ^ 1]
            assert infos["final_obs"][env].shape == (10, 7, 7)
    assert outcomes >= {"won", "lost"}


def test_seeds_and_threads():
    first = hognose.DuelVectorEnv(3, **SMALL)
    second = hognose.DuelVectorEnv(5, threads=2, copy=False, **SMALL)
    a, infos = first.reset(seed=9)
    b, _ = second.reset(seed=9)
    assert np.array_equal(a, b[:6]) and not b.flags.writeable and a.flags.writeable
    draws = np.random.default_rng(0)
    for _ in range(60):
        actions = allowed(infos["action_mask"], draws)
        a, *ours, infos = first.step(actions)
        b, *theirs, _ = second.step(np.concatenate([actions, np.ones(4, int)]))
        assert np.array_equal(a, b[:6])
        assert all(np.array_equal(x, y[:6]) for x, y in zip(ours, theirs, strict=True))
    assert not np.array_equal(first.reset(seed=9)[0], first.reset(seed=10)[0])


def test_a_function_is_an_opponent():
    seen = []

    def straight(observations, masks):
        seen.append((observations.shape, observations.dtype, masks.shape, masks.dtype))
        return np.array([1])

    env = hognose.DuelEnv(opponent=straight, seat="first", observation="planes", dtype="uint8")
    env.reset(seed=0)
    for _ in range(20):
        if env.step(np.argmax(env.action_masks()))[2]:
            break
    assert set(seen) == {((1, 10, 14, 14), np.dtype("uint8"), (1, 3), np.dtype("bool"))}

    def raises(observations, masks):
        raise RuntimeError("had enough")

    env = hognose.DuelEnv(opponent=raises)
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="had enough"):
        env.step(1)
    with pytest.raises(ValueError, match="opponent in duel 0 has forfeited.*had enough"):
        env.step(1)
    env = hognose.DuelEnv(opponent=lambda observations, masks: [7])
    env.reset(seed=0)
    with pytest.raises(ValueError, match="from 0 to 2, got 7"):
        env.step(1)
    env = hognose.DuelEnv(opponent=lambda observations, masks: [1.5])
    env.reset(seed=np.int64(0))
    with pytest.raises(TypeError, match="the bot's actions must be whole numbers, got dtype float64"):
        env.step(1)


def test_rules():
    env = hognose.DuelEnv(render_mode="ansi", rules="ai-snakes-2020", foods=3, opponent="sample")
    env.reset(seed=0)
    text = env.render()
    assert text.count("*") == 3 and text.count("A") == text.count("B") == 1 and len(text.split()) == 14
    torus = hognose.DuelEnv(render_mode="ansi", torus=True, width=6, height=9, redraw_after=None, values=(1, 3))
    torus.reset(seed=0)
    assert len(torus.render().split()) == 9
    assert list(hognose.duel.bots())[:2] == ["random", "sample"]


def test_errors_name_the_bad_input():
    with pytest.raises(ValueError, match="did you mean greedy"):
        hognose.DuelEnv(opponent="greed")
    with pytest.raises(TypeError, match="a bot must be a name or a function, got int"):
        hognose.DuelEnv(opponent=3)
    with pytest.raises(ValueError, match="ai-snakes-2020 or ai-snakes-2021"):
        hognose.DuelEnv(rules="chess")
    with pytest.raises(ValueError, match="does not fit on 14x2"):
        hognose.DuelEnv(height=2)
    with pytest.raises(ValueError, match="reward.discount must be from 0 to 1, got 1.5"):
        hognose.DuelEnv(reward={"discount": 1.5})
    with pytest.raises(ValueError, match="num_duels"):
        hognose.DuelVectorEnv(0)
    env = hognose.DuelEnv()
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.reset()
    envs = hognose.DuelVectorEnv(2, autoreset_mode="Disabled")
    with pytest.raises(ResetNeeded, match="duel 0 has not begun"):
        envs.step(np.zeros(4, int))
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="both players of a duel, or neither"):
        envs.reset(options={"reset_mask": np.array([True, False, True, True])})
    with pytest.raises(IndexError, match="must be from 0 to 1, got -1"):
        envs.snapshot(-1)
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        envs.step(np.zeros(2, int))
    with pytest.raises(ResetNeeded, match="has ended"):
        for _ in range(30):
            envs.step(np.ones(4, int))


def last_allowed(observations, masks):
    """Plays the last allowed action."""
    return [np.flatnonzero(masks[0])[-1]]


def test_a_tournament_of_names_and_functions():
    bots = {"greedy": "greedy", "mine": last_allowed, "random": "random"}
    result = hognose.duel.tournament(bots, games=6, seed=3, observation="planes", dtype="uint8", **SMALL)
    assert result["ranking"]["games"] == len(result["duels"]) == 18
    assert {row["bot"] for row in result["ranking"]["bots"]} == set(bots)
    assert result["ranking"]["anchor"] == "greedy"
    assert hognose.duel.tournament(bots, games=6, seed=3, threads=2, observation="planes", **SMALL) == result
    assert hognose.duel.tournament(bots, games=6, seed=4, **SMALL) != result
    names = hognose.duel.tournament([last_allowed, "sample"], games=2, **SMALL)["bots"]
    assert names == ["last_allowed", "sample"]


def test_bad_input_of_tournaments_is_named():
    def raises(observations, masks):
        raise KeyError("mine")

    for bots, games, error, words in (
        (["greed", "random"], 2, ValueError, "did you mean greedy"),
        (["greedy"], 2, ValueError, "at least two bots, got 1"),
        (["greedy", "random"], 3, ValueError, "must be even"),
        (["greedy", "random"], 0, ValueError, "games must be"),
        ("greedy", 2, TypeError, "list or a mapping"),
        (["greedy", 3], 2, TypeError, "a name or a function, got int"),
        (["greedy", raises], 2, KeyError, "mine"),
    ):
        with pytest.raises(error, match=words):
            hognose.duel.tournament(bots, games=games, **SMALL)


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="HOGNOSE names the binary to compare with")
def test_the_binary_has_the_same_tournament(tmp_path):
    file = tmp_path / "tournament.json"
    arguments = ["duel", "--bots", "greedy,search,random", "--games", "20", "--seed", "5", "--rules", "ai-snakes-2020"]
    arguments += ["--board", "8x9", "--foods", "2"]
    subprocess.run([os.environ["HOGNOSE"], *arguments, "--json", str(file)], check=True, stdout=subprocess.DEVNULL)
    theirs = json.loads(file.read_text())
    ours = hognose.duel.tournament(
        ["greedy", "search", "random"], games=20, seed=5, rules="ai-snakes-2020", width=8, height=9, foods=2
    )
    assert ours == {key: theirs[key] for key in ours}


@pytest.mark.parametrize("opponent", ["random", "greedy", "one-ply", "adder:2", "nega:2", "hognose:1"])
def test_a_duel_continues_from_a_snapshot(opponent):
    """Covers opponents with memory, finished episodes, and the episodes after them."""
    env = hognose.DuelEnv(opponent=opponent, **SMALL)
    _, info = env.reset(seed=3)
    draws = np.random.default_rng(0)
    for _ in range(5):
        _, _, ended, _, info = env.step(allowed([info["action_mask"]], draws)[0])
        if ended:
            _, info = env.reset()
    observation, snapshot = env.restore(env.snapshot()), env.snapshot()
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), hognose.DuelEnv(opponent=opponent, **SMALL)]
    assert np.array_equal(others[2].restore(snapshot), observation)
    for _ in range(2):
        ended = False
        while not ended:
            action = allowed([env.action_masks()], draws)[0]
            observation, reward, ended, _, info = env.step(action)
            for other in others:
                seen = other.step(action)
                assert np.array_equal(other.action_masks(), env.action_masks())
                assert np.array_equal(seen[0], observation) and seen[1:3] == (reward, ended)
                assert seen[4].get("duel") == info.get("duel")
        # A copy of a finished episode still needs a reset.
        others[0] = pickle.loads(pickle.dumps(env))
        with pytest.raises(ResetNeeded):
            others[0].step(0)
        starts = [one.reset()[0] for one in (env, *others)]
        assert all(np.array_equal(start, starts[0]) for start in starts)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("opponent", [None, "hognose:1"])
def test_vector_duels_continue_from_snapshots(mode, opponent):
    envs = hognose.DuelVectorEnv(3, opponent=opponent, autoreset_mode=mode, threads=2, **SMALL)
    unstarted = pickle.loads(pickle.dumps(envs))
    with pytest.raises(ResetNeeded, match="duel 0 has not begun"):
        unstarted.observe()
    _, infos = envs.reset(seed=1)
    draws = np.random.default_rng(0)
    for step in range(150):
        if step % 10 == 4:
            other = pickle.loads(pickle.dumps(envs))
            assert all(other.snapshot(duel) == envs.snapshot(duel) for duel in range(3))
            assert all(np.array_equal(a, b) for a, b in zip(envs.observe(), other.observe(), strict=True))
        actions = allowed(infos["action_mask"], draws)
        *results, infos = envs.step(actions)
        if step % 10 >= 4:
            *theirs, their_infos = other.step(actions)
            assert all(np.array_equal(a, b) for a, b in zip(results, theirs, strict=True))
            assert np.array_equal(infos["action_mask"], their_infos["action_mask"])
        ended = results[2]
        if mode is AutoresetMode.DISABLED and ended.any():
            _, infos = envs.reset(options={"reset_mask": ended})
            if step % 10 >= 4:
                other.reset(options={"reset_mask": ended})
    envs.restore(1, envs.snapshot(0))
    assert envs.snapshot(1) == envs.snapshot(0)


def test_mismatched_snapshots_are_refused():
    env = hognose.DuelEnv(opponent="greedy", **SMALL)
    env.reset(seed=3)
    kept = env.snapshot()
    with pytest.raises(ValueError, match="expected a snapshot of a duel under ai-snakes-2021, got one of a duel .*7x7"):
        hognose.DuelEnv(opponent="greedy").restore(kept)
    with pytest.raises(ValueError, match="expected a snapshot of a duel between learners"):
        hognose.DuelVectorEnv(1, **SMALL).restore(0, kept)
    with pytest.raises(ValueError, match="not a snapshot"):
        env.restore(b"nonsense")
    with pytest.raises(ValueError, match="not a snapshot: unknown field `game`"):
        env.restore(hognose.SnakeEnv().snapshot())
    for opponent in (lambda observations, masks: masks.argmax(axis=1), "nega:1ms"):
        env = hognose.DuelEnv(opponent=opponent, **SMALL)
        with pytest.raises(ValueError, match="asked again, it may make other moves"):
            env.snapshot()
        with pytest.raises(ValueError, match="asked again, it may make other moves"):
            copy.deepcopy(env)


def test_pictures_have_a_legend_below_the_board():
    env = hognose.DuelEnv(opponent="greedy", seat="second", render_mode="rgb_array")
    env.reset(seed=0)
    picture = env.render()
    assert picture.shape == (14 * 24 + 12 + 36, 14 * 24 + 12, 3)
    # Names differ.
    other = hognose.DuelEnv(opponent="random", seat="second", render_mode="rgb_array")
    other.reset(seed=0)
    differs = (picture != other.render()).any(axis=(1, 2))
    assert differs[14 * 24 + 12 :].any() and not differs[: 14 * 24 + 12].any()
    while not env.step(1)[2]:
        pass
    assert env.render().shape == picture.shape


def test_positions_are_made_from_their_parts():
    position = hognose.duel.Position(([(3, 3), (2, 3), (1, 3)], [(5, 5), (5, 6), (5, 7)]), [(7, 7)], board="8x8", values=[2], steps=9)
    assert position.board == "8x8" and position.steps == 9 and position.outcome == "ongoing"
    assert position.bodies == ([(3, 3), (2, 3), (1, 3)], [(5, 5), (5, 6), (5, 7)]) and position.headings == ("right", "up")
    assert (position.foods, position.values) == ([(7, 7)], [2])
    assert position._repr_svg_().startswith("<svg")
    first = next(iter(hognose.duel.replay(hognose.duel.record("greedy", "random"))))
    again = hognose.duel.Position(first.bodies, first.foods, values=first.values)
    assert (again.bodies, again.foods, str(again)) == (first.bodies, first.foods, str(first))
    for arguments, words in (
        (([(3, 3)], [(5, 5), (5, 6), (5, 7)]), "at least 3 cells, got 1"),
        (([(3, 3), (2, 3), (1, 3)], [(99, 5), (5, 6), (5, 7)]), r"\(99, 5\) is not on the board 14x14"),
    ):
        with pytest.raises(ValueError, match=words):
            hognose.duel.Position(arguments)
    with pytest.raises(ValueError, match="values must have 1 entries, one for each food, got 2"):
        hognose.duel.Position(first.bodies, [(0, 0)], values=[1, 2])
