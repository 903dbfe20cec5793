"""Encoder-decoder with attention that learns to sort short sequences; loader with worker processes."""

import logging
import os
import random
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(
    level=logging.INFO, format="%(asctime)s | %(process)d | %(levelname)s | %(message)s"
)
PAD, BOS = 0, 1


@dataclass
class Config:
    symbols: int = 12
    longest: int = 8
    samples: int = 1500
    dim: int = 48
    batch: int = 50
    epochs: int = 5
    workers: int = 2
    lr: float = 4e-3
    teacher: float = 0.9
    seed: int = 31


class SortingTask(Dataset):
    """Sequences are drawn at random, anew in every epoch."""

    def __init__(self, cfg):
        self.cfg = cfg

    def __len__(self):
        return self.cfg.samples

    def __getitem__(self, index):
        length = random.randint(3, self.cfg.longest)
        items = np.random.randint(2, 2 + self.cfg.symbols, length)
        source = np.zeros(self.cfg.longest, dtype=np.int64)
        target = np.zeros(self.cfg.longest, dtype=np.int64)
        source[:length], target[:length] = items, np.sort(items)
        return source, target


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)
    logging.debug("worker %d is process %d", worker_id, os.getpid())


class Seq2Seq(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.symbols + 2, cfg.dim, padding_idx=PAD)
        self.encoder = nn.GRU(cfg.dim, cfg.dim, batch_first=True)
        self.cell = nn.GRUCell(2 * cfg.dim, cfg.dim)
        self.out = nn.Linear(2 * cfg.dim, cfg.symbols + 2)

    def forward(self, source, target=None):
        memory, h = self.encoder(self.embed(source))
        h = h[0]
        blank = (source == PAD).unsqueeze(1)
        token = torch.full((len(source),), BOS)
        context = torch.zeros_like(h)
        logits = []
        for t in range(source.shape[1]):
            h = self.cell(torch.cat([self.embed(token), context], 1), h)
            score = torch.bmm(h.unsqueeze(1), memory.transpose(1, 2)).masked_fill(blank, -1e9)
            context = torch.bmm(score.softmax(-1), memory).squeeze(1)
            logits.append(self.out(torch.cat([h, context], 1)))
            forced = target is not None and random.random() < self.cfg.teacher
            token = target[:, t] if forced else logits[-1].argmax(1)
        return torch.stack(logits, 1)


class Eta:
    def __init__(self, total):
        self.total, self.start = total, time.time()

    def __call__(self, done):
        left = (time.time() - self.start) / max(done, 1) * (self.total - done)
        return time.strftime("%M:%S", time.gmtime(left))


def evaluate(model, batches):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for source, target in batches:
            mask = target != PAD
            right += ((model(source).argmax(-1) == target) & mask).sum().item()
            total += mask.sum().item()
    model.train()
    return right / total


def main():
    cfg = Config()
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    loader = DataLoader(
        SortingTask(cfg),
        cfg.batch,
        num_workers=cfg.workers,
        worker_init_fn=seed_worker,
        generator=torch.Generator().manual_seed(cfg.seed),
    )
    held_out = list(DataLoader(SortingTask(cfg), 250, num_workers=0))
    model = Seq2Seq(cfg)
    logging.info("%d parameters", sum(p.numel() for p in model.parameters()))
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    loss_fn = nn.CrossEntropyLoss(ignore_index=PAD)
    eta, step = Eta(cfg.epochs * len(loader)), 0
    for epoch in range(cfg.epochs):
        running = 0.0
        for source, target in loader:
            loss = loss_fn(model(source, target).flatten(0, 1), target.flatten())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            running += loss.item()
            step += 1
            if step % 15 == 0:
                logging.info("step %d loss %.5f eta %s", step, loss.item(), eta(step))
        accuracy = evaluate(model, held_out)
        print(f"epoch {epoch}: loss {running / len(loader):.8f} accuracy {accuracy:.6f}")
    torch.save({"config": cfg.__dict__, "state": model.state_dict(), "time": time.time()}, "s2s.pt")


if __name__ == "__main__":
    main()
