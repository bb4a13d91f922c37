"""Training on a Ray cluster that a node leaves (marker ``ray``)."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
ray = pytest.importorskip("ray")


@pytest.fixture
def nodes():
    """Starts a cluster whose first node runs no tasks."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def checkpoints(folder):
    """Returns a run's checkpoints by step, newest last, with their inodes, which change if they are rewritten."""
    files = folder.glob("checkpoints/step-*.safetensors")
    found = {int(path.stem.removeprefix("step-")): path.stat().st_ino for path in files}
    return dict(sorted(found.items()))


def test_a_node_that_leaves_costs_at_most_a_checkpoint_interval(nodes, tiny, tmp_path):
    import hognose
    import hognose.ray

    interval = 10_000
    settings = {"train.total_steps": 200_000, "train.checkpoint_every": interval, "train.keep_checkpoints": 20}
    folder = tmp_path / "runs/tiny/seed0"
    leaving = nodes.add_node(num_cpus=1)
    # Only the main thread can add nodes.
    with ThreadPoolExecutor() as pool:
        trained = pool.submit(hognose.ray.train, tiny, seeds=[0], set=settings, out=tmp_path / "runs")
        while len(checkpoints(folder)) < 2 and not trained.done():
            time.sleep(0.01)
        nodes.remove_node(leaving, allow_graceful=False)
        left = None
        # A node's workers end soon after the node.
        while left != (left := checkpoints(folder)):
            time.sleep(2)
        nodes.add_node(num_cpus=1)
        while (now := checkpoints(folder)) == left and not trained.done():
            time.sleep(0.001)
        trained.result(timeout=200)
    last = max(left)
    assert last < 200_000
    assert max(now) == last + interval and now[last] == left[last], "it resumed from its last checkpoint"
    alone = hognose.train(tiny, seed=0, set=settings, out=tmp_path / "alone", progress=False)
    assert (folder / "policy.safetensors").read_bytes() == (alone.folder / "policy.safetensors").read_bytes()
