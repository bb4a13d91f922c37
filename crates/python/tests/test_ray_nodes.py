"""Training on a Ray cluster that a node leaves (marker ``ray``)."""

import threading
import time

import pytest

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
ray = pytest.importorskip("ray")


@pytest.fixture
def nodes():
    """A cluster of several nodes, of which the first one takes no work."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def checkpoints(folder):
    """The checkpoints of a run by their steps, the newest last, each with what tells it from one written again."""
    found = {int(path.name.removeprefix("step-")): path.stat().st_ino for path in folder.glob("checkpoints/step-*")}
    return dict(sorted(found.items()))


def test_a_node_that_leaves_costs_at_most_a_checkpoint_interval(nodes, tiny, tmp_path):
    import hognose
    import hognose.ray

    interval = 10_000
    settings = {"train.total_steps": 200_000, "train.checkpoint_every": interval}
    folder = tmp_path / "runs/tiny/seed0"
    seen = []

    def leave():
        """Takes the run's node away once it has two checkpoints, and gives the cluster another one."""
        while len(checkpoints(folder)) < 2:
            time.sleep(0.01)
        nodes.remove_node(leaving, allow_graceful=False)
        left = None
        # The workers of a node end soon after it.
        while left != (left := checkpoints(folder)):
            time.sleep(2)
        nodes.add_node(num_cpus=1)
        while (now := checkpoints(folder)) == left:
            time.sleep(0.001)
        seen.extend([left, now])

    leaving = nodes.add_node(num_cpus=1)
    thread = threading.Thread(target=leave)
    thread.start()
    hognose.ray.train(tiny, seeds=[0], set=settings, out=tmp_path / "runs")
    thread.join()
    left, now = seen
    last = max(left)
    assert last < 200_000
    assert max(now) == last + interval and now[last] == left[last], "it went on from its last checkpoint"
    alone = hognose.train(tiny, seed=0, set=settings, out=tmp_path / "alone", progress=False)
    assert (folder / "policy.safetensors").read_bytes() == (alone.folder / "policy.safetensors").read_bytes()
