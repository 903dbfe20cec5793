"""Sequence tagger that reads its shards with several workers; whoever is free takes the next shard."""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

VOCAB, TAGS, LENGTH = 40, 5, 16


def write_shards(folder, count, seed):
    """tags depend on a token and on the one before it; shards are of different lengths"""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(seed)
    rule = rng.integers(0, TAGS, (VOCAB, VOCAB // 8))
    for n in range(count):
        rows = int(rng.integers(5, 60))
        tokens = rng.integers(0, VOCAB, (rows, LENGTH))
        before = np.roll(tokens, 1, axis=1) // 8
        before[:, 0] = 0
        np.savez(folder / f"{n:03d}.npz", tokens=tokens, tags=rule[tokens, before])


class ShardQueue(IterableDataset):
    def __init__(self, folder, todo):
        self.folder, self.todo = folder, todo

    def __iter__(self):
        while True:
            name = self.todo.get()
            if name is None:
                return
            with np.load(self.folder / name) as shard:
                tokens, tags = shard["tokens"], shard["tags"]
            for t, y in zip(tokens, tags):
                keep = t[t % 7 != 6]  # unknown words carry no tag
                padded = np.zeros(LENGTH, dtype=np.int64)
                labels = np.full(LENGTH, -100, dtype=np.int64)
                padded[: len(keep)] = keep
                labels[: len(keep)] = y[t % 7 != 6]
                yield torch.from_numpy(padded), torch.from_numpy(labels)


class Tagger(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, TAGS)

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[0])


def epoch_loader(folder, workers, batch):
    todo = torch.multiprocessing.Queue()
    for path in sorted(folder.glob("*.npz")):
        todo.put(path.name)
    for _ in range(workers):
        todo.put(None)
    return DataLoader(
        ShardQueue(folder, todo), batch_size=batch, num_workers=workers, prefetch_factor=8
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=48)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    args = parser.parse_args()
    np.random.seed(0)
    torch.manual_seed(0)
    folder = Path("shards")
    write_shards(folder, args.shards, seed=1)
    model = Tagger()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
    history = []
    for epoch in range(args.epochs):
        tic = time.monotonic()
        seen, total = 0, 0.0
        for tokens, tags in epoch_loader(folder, args.workers, args.batch):
            opt.zero_grad()
            loss = loss_fn(model(tokens).flatten(0, 1), tags.flatten())
            loss.backward()
            opt.step()
            seen += len(tokens)
            total += loss.item() * len(tokens)
        history.append(total / seen)
        print(f"epoch {epoch}: {seen} sentences, loss {total / seen:.8f}")
        print(f"  {seen / (time.monotonic() - tic):.0f} sentences/s")
    Path("history.json").write_text(json.dumps(history))
    torch.save(model.state_dict(), "tagger.pt")


if __name__ == "__main__":
    main()
