"""Character-level transformer LM with timing decorators and structured logs."""
import functools
import json
import logging
import math
import os
import time
import uuid

import torch
import torch.nn as nn
import torch.nn.functional as F

log = logging.getLogger("charlm")


class JsonFormatter(logging.Formatter):
    def format(self, record):
        payload = {"ts": self.formatTime(record), "level": record.levelname, "msg": record.getMessage()}
        return json.dumps(payload)


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        result = fn(*args, **kwargs)
        log.info("%s took %.3fs", fn.__name__, time.perf_counter() - start)
        return result
    return wrapper


class Stopwatch:
    def __enter__(self):
        self._t = time.perf_counter()
        return self

    def __exit__(self, *exc):
        self.elapsed = time.perf_counter() - self._t


TEXT = ("the quick brown fox jumps over the lazy dog . pack my box with five dozen liquor jugs . "
        "how vexingly quick daft zebras jump . sphinx of black quartz judge my vow . ") * 12


class CausalLM(nn.Module):
    def __init__(self, vocab, d=48, heads=4, layers=2, ctx=32):
        super().__init__()
        self.ctx = ctx
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Embedding(ctx, d)
        layer = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=0.1, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(d, vocab)
        self.register_buffer("mask", torch.triu(torch.full((ctx, ctx), float("-inf")), 1))

    def forward(self, x):
        n = x.size(1)
        h = self.tok(x) + self.pos(torch.arange(n))
        return self.head(self.enc(h, self.mask[:n, :n]))


@timed
def load():
    chars = sorted(set(TEXT))
    stoi = {c: i for i, c in enumerate(chars)}
    return torch.tensor([stoi[c] for c in TEXT]), chars


def batch(data, ctx, n):
    ix = torch.randint(len(data) - ctx - 1, (n,))
    return torch.stack([data[i:i + ctx] for i in ix]), torch.stack([data[i + 1:i + ctx + 1] for i in ix])


@timed
def train(model, data, steps=120, bs=16):
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 20) * 0.5 * (1 + math.cos(math.pi * s / steps)))
    tokens = 0
    with Stopwatch() as sw:
        t = time.perf_counter()
        for step in range(1, steps + 1):
            x, y = batch(data, model.ctx, bs)
            loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            tokens += x.numel()
            if step % 30 == 0:
                dt = time.perf_counter() - t
                log.info("step %d loss %.6f %.0f tok/s", step, loss.item(), tokens / dt)
                print(f"step {step} loss {loss.item():.6f}")
    log.info("train loop %.2fs", sw.elapsed)
    return loss.item()


@torch.no_grad()
def generate(model, chars, n=60):
    model.eval()
    x = torch.zeros(1, 1, dtype=torch.long)
    for _ in range(n):
        p = F.softmax(model(x[:, -model.ctx:])[:, -1], -1)
        x = torch.cat([x, torch.multinomial(p, 1)], 1)
    return "".join(chars[i] for i in x[0])


def main():
    h = logging.StreamHandler()
    h.setFormatter(JsonFormatter())
    log.addHandler(h)
    log.setLevel(logging.INFO)
    run_id = uuid.uuid4().hex[:8]
    log.info("run %s pid %d", run_id, os.getpid())
    data, chars = load()
    model = CausalLM(len(chars))
    loss = train(model, data)
    print("final loss %.6f" % loss)
    print("sample:", generate(model, chars))
    torch.save(model.state_dict(), "charlm.pt")


if __name__ == "__main__":
    main()
