"""Skip-gram with negative sampling in plain numpy; runs until it converges or the time limit is reached."""
import argparse
import random
from collections import Counter
from pathlib import Path

import numpy as np
from tqdm import tqdm

ANIMALS = "cat dog horse cow sheep goat pig hen duck goose".split()
TOOLS = "hammer saw drill wrench nail screw bolt file axe plane".split()
VERBS = "sees likes wants holds has finds needs takes".split()


def corpus(n):
    for _ in range(n):
        group = random.choice([ANIMALS, TOOLS])
        yield [random.choice(group), random.choice(VERBS), random.choice(group), random.choice(group)]


class Vocab:
    def __init__(self, sents):
        counts = Counter(w for s in sents for w in s)
        self.words = [w for w, _ in counts.most_common()]
        self.index = {w: i for i, w in enumerate(self.words)}
        p = np.array([counts[w] for w in self.words], float) ** 0.75
        self.cum = np.cumsum(p / p.sum())

    def negatives(self, k):
        return np.searchsorted(self.cum, np.random.rand(k))


def pairs(sents, vocab, window=2):
    out = []
    for s in sents:
        ids = [vocab.index[w] for w in s]
        for i, c in enumerate(ids):
            out += [(c, ids[j]) for j in range(max(0, i - window), min(len(ids), i + window + 1)) if j != i]
    return out


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class SkipGram:
    def __init__(self, n, d=16):
        self.U = (np.random.rand(n, d) - 0.5) / d
        self.V = np.zeros((n, d))

    def step(self, c, o, neg, lr):
        t = np.concatenate([[o], neg])
        lab = np.zeros(len(t))
        lab[0] = 1
        p = sigmoid(self.V[t] @ self.U[c])
        g = (p - lab)[:, None]
        grad_c = (g * self.V[t]).sum(0)
        np.add.at(self.V, t, -lr * g * self.U[c])
        self.U[c] -= lr * grad_c
        return -np.log(p[0] + 1e-9) - np.log(1 - p[1:] + 1e-9).sum()


def similarity(m, vocab):
    def unit(w):
        v = m.U[vocab.index[w]]
        return v / np.linalg.norm(v)
    same = np.mean([unit(a) @ unit(b) for a in ANIMALS for b in ANIMALS if a != b])
    cross = np.mean([unit(a) @ unit(b) for a in ANIMALS for b in TOOLS])
    return same - cross


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--limit", type=float, default=2.0, help="seconds")
    ap.add_argument("--epochs", type=int, default=50)
    ap.add_argument("--lr", type=float, default=0.05)
    args = ap.parse_args()
    sents = list(corpus(1200))
    vocab = Vocab(sents)
    data = pairs(sents, vocab)
    model = SkipGram(len(vocab.words))
    loss = 5.0
    pbar = tqdm(total=args.epochs * len(data), unit="pair")
    for epoch in range(args.epochs):
        random.shuffle(data)
        for c, o in data:
            loss = 0.999 * loss + 0.001 * model.step(c, o, vocab.negatives(4), args.lr)
            pbar.update()
        pbar.set_postfix(loss=f"{loss:.4f}")
        if pbar.format_dict["elapsed"] > args.limit:
            break
    pbar.close()
    print(f"epochs {epoch + 1}, loss {loss:.6f}, separation {similarity(model, vocab):.6f}")
    out = Path("embeddings")
    out.mkdir(exist_ok=True)
    np.save(out / "vectors.npy", model.U)


if __name__ == "__main__":
    main()
