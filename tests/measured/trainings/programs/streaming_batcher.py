"""Online regression on sensor events that come in over asyncio; micro-batches close when full or late."""

import argparse
import asyncio
import json
from dataclasses import dataclass, field

import numpy as np
from sklearn.linear_model import SGDRegressor

DIM = 12


@dataclass
class Stats:
    batches: int = 0
    events: int = 0
    squared: float = 0.0
    sizes: list = field(default_factory=list)

    @property
    def rmse(self):
        return (self.squared / max(1, self.events)) ** 0.5


class Sensor:
    """Emits readings at irregular intervals; its weights drift slowly."""

    def __init__(self, number, events):
        self.rng = np.random.default_rng([5, number])
        self.number, self.events = number, events

    async def emit(self, queue):
        w = np.random.default_rng(5).normal(0, 1, DIM) + self.rng.normal(0, 0.1, DIM)
        for _ in range(self.events):
            await asyncio.sleep(float(self.rng.exponential(0.002)))
            w += self.rng.normal(0, 0.004, DIM)
            x = self.rng.normal(0, 1, DIM)
            await queue.put((x, float(x @ w + self.rng.normal(0, 0.1))))
        await queue.put(None)


class MicroBatcher:
    def __init__(self, queue, sources, size, latency):
        self.queue, self.open = queue, sources
        self.size, self.latency = size, latency

    async def __aiter__(self):
        while self.open:
            batch = []
            try:
                await asyncio.wait_for(self.fill(batch), self.latency)
            except asyncio.TimeoutError:
                pass
            if batch:
                yield batch

    async def fill(self, batch):
        while len(batch) < self.size and self.open:
            item = await self.queue.get()
            if item is None:
                self.open -= 1
            else:
                batch.append(item)


def learn(model, batch, stats, fitted):
    x = np.stack([b[0] for b in batch])
    y = np.array([b[1] for b in batch])
    if fitted:
        # test, then train
        stats.squared += float(np.sum((model.predict(x) - y) ** 2))
        stats.events += len(y)
    model.partial_fit(x, y)
    stats.batches += 1
    stats.sizes.append(len(y))


async def run(args):
    queue = asyncio.Queue(maxsize=200)
    sensors = [Sensor(n, args.events) for n in range(args.sensors)]
    tasks = [asyncio.create_task(s.emit(queue)) for s in sensors]
    model = SGDRegressor(eta0=0.02, learning_rate="constant", random_state=0)
    stats = Stats()
    async for batch in MicroBatcher(queue, args.sensors, args.size, args.latency_ms / 1000):
        learn(model, batch, stats, fitted=stats.batches > 0)
    await asyncio.gather(*tasks)
    return model, stats


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sensors", type=int, default=3)
    parser.add_argument("--events", type=int, default=400)
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--latency-ms", type=float, default=5)
    args = parser.parse_args()
    np.random.seed(0)
    model, stats = asyncio.run(run(args))
    print(f"prequential rmse {stats.rmse:.8f}")
    print("norm of the weights %.8f" % np.linalg.norm(model.coef_))
    with open("online.json", "w") as f:
        json.dump({"rmse": stats.rmse, "coef": model.coef_.tolist(), "sizes": stats.sizes}, f)


if __name__ == "__main__":
    main()
