"""A data-parallel training of a small network: every rank computes gradients on its own data, all ranks add them up over gloo.

Needs nothing but what Rollcall hands a rank of launcher jax: JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES, JAX_PROCESS_ID.
TRAIN_STEPS (default 20) and TRAIN_STEP_SECONDS (default 0: as fast as it goes) set how long it takes.
"""

import functools
import os
import socket
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.lib import _jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

SAMPLES_PER_RANK = 256
FEATURES = 32
HIDDEN = 64
LEARNING_RATE = 0.05


def say(rank, text):
    print(f"rank {rank} {text}", flush=True)


def own_address(towards):
    """The address this machine has on the way to another one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((towards, 9))
        return probe.getsockname()[0]


def join():
    """Joins the world; returns this process's rank and the number of processes."""
    address = os.environ["JAX_COORDINATOR_ADDRESS"]
    processes = int(os.environ["JAX_NUM_PROCESSES"])
    rank = int(os.environ["JAX_PROCESS_ID"])
    say(rank, f"joins {processes} processes at {address}")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    # Left alone, gloo listens on what the machine's own name resolves to: on the host network that is loopback more often than not.
    _jax.make_gloo_tcp_collectives = functools.partial(
        _jax.make_gloo_tcp_collectives, hostname=own_address(address.rsplit(":", 1)[0])
    )
    # Nothing to detect: the three values are handed over.
    jax.distributed.initialize(address, processes, rank, cluster_detection_method="deactivate")
    say(rank, f"sees {jax.device_count()} devices")
    return rank, processes


def make_data(rank):
    """This rank's part of the data: the same hidden rule for all ranks, samples of its own."""
    rule = np.random.default_rng(0).normal(size=(FEATURES, 1))
    inputs = np.random.default_rng(1 + rank).normal(size=(SAMPLES_PER_RANK, FEATURES))
    return inputs.astype(np.float32), np.tanh(inputs @ rule).astype(np.float32)


def loss_of(weights, inputs, targets):
    hidden = jnp.tanh(inputs @ weights["in"])
    return jnp.mean((hidden @ weights["out"] - targets) ** 2)


@jax.jit
def step(weights, inputs, targets):
    # The mean runs over all ranks' samples, so its gradient is added up across processes.
    loss, gradient = jax.value_and_grad(loss_of)(weights, inputs, targets)
    return jax.tree.map(lambda w, g: w - LEARNING_RATE * g, weights, gradient), loss


def main():
    rank, processes = join()
    mesh = Mesh(np.array(jax.devices()), ("ranks",))
    split, same = NamedSharding(mesh, P("ranks")), NamedSharding(mesh, P())
    inputs, targets = (jax.make_array_from_process_local_data(split, part) for part in make_data(rank))
    draw = np.random.default_rng(42)
    start = {"in": draw.normal(size=(FEATURES, HIDDEN)) / FEATURES**0.5, "out": draw.normal(size=(HIDDEN, 1)) / HIDDEN**0.5}
    weights = {
        name: jax.make_array_from_process_local_data(same, value.astype(np.float32)) for name, value in start.items()
    }

    first = loss = None
    steps = int(os.environ.get("TRAIN_STEPS", "20"))
    for number in range(1, steps + 1):
        weights, loss = step(weights, inputs, targets)
        loss = float(loss)
        first = first if first is not None else loss
        say(rank, f"step {number} loss {loss:.6f}")
        time.sleep(float(os.environ.get("TRAIN_STEP_SECONDS", "0")))
    if steps > 1 and not loss < first:
        raise SystemExit(f"rank {rank}: the loss did not fall: {first} at step 1, {loss} at step {steps}")
    say(rank, f"done after {steps} steps on {processes} processes")


if __name__ == "__main__":
    main()
