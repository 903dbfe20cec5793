"""Bag-of-embeddings sentiment classifier; vocabulary is cached in vocab.json"""
import json
import os
import random
import time
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

POS = "great lovely superb fun warm bright clever moving fine charming".split()
NEG = "dull awful weak boring cold slow stupid flat poor messy".split()
FILL = "the film plot actor scene was and a very quite with music story end".split()
VOCAB_FILE = "vocab.json"
MAX_LEN = 20


def make_corpus(n):
    texts, labels = [], []
    for _ in range(n):
        y = random.randint(0, 1)
        words = random.choices(FILL, k=random.randint(6, 14))
        for _ in range(random.randint(1, 3)):
            src = POS if (y == 1) == (random.random() < 0.85) else NEG
            words.insert(random.randrange(len(words)), random.choice(src))
        texts.append(" ".join(words))
        labels.append(y)
    return texts, labels


def build_vocab(texts, min_freq=2):
    counter = Counter(w for t in texts for w in t.split())
    vocab = {"<pad>": 0, "<unk>": 1}
    for w, c in counter.most_common():
        if c >= min_freq:
            vocab[w] = len(vocab)
    return vocab


def get_vocab(texts):
    if not os.path.exists(VOCAB_FILE):
        print("building vocabulary ...")
        vocab = build_vocab(texts)
        with open(VOCAB_FILE, "w") as f:
            json.dump(vocab, f)
    else:
        print("loading vocabulary from", VOCAB_FILE)
        with open(VOCAB_FILE) as f:
            vocab = json.load(f)
    return vocab


class TextDataset(Dataset):
    def __init__(self, texts, labels, vocab):
        self.x = [self.encode(t, vocab) for t in texts]
        self.y = labels

    @staticmethod
    def encode(text, vocab):
        ids = [vocab.get(w, 1) for w in text.split()][:MAX_LEN]
        return torch.tensor(ids + [0] * (MAX_LEN - len(ids)))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Classifier(nn.Module):
    def __init__(self, n, dim=24):
        super().__init__()
        self.emb = nn.Embedding(n, dim, padding_idx=0)
        self.out = nn.Sequential(nn.Dropout(0.3), nn.Linear(dim, 2))

    def forward(self, x):
        m = (x != 0).unsqueeze(-1)
        return self.out((self.emb(x) * m).sum(1) / m.sum(1))


def epoch_time(start, end):
    elapsed = end - start
    mins = int(elapsed / 60)
    return mins, int(elapsed - mins * 60)


def main():
    tr, va = make_corpus(1500), make_corpus(300)
    vocab = get_vocab(tr[0])
    print("vocab size", len(vocab))
    train_dl = DataLoader(TextDataset(*tr, vocab), batch_size=64, shuffle=True)
    val_dl = DataLoader(TextDataset(*va, vocab), batch_size=150)
    model = Classifier(len(vocab))
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    crit = nn.CrossEntropyLoss()
    best = float("inf")
    for epoch in range(6):
        start_time = time.time()
        model.train()
        tl = 0.0
        for x, y in train_dl:
            opt.zero_grad()
            loss = crit(model(x), y)
            loss.backward()
            opt.step()
            tl += loss.item() / len(train_dl)
        model.eval()
        with torch.no_grad():
            vl = sum(crit(model(x), y).item() for x, y in val_dl) / len(val_dl)
            acc = sum((model(x).argmax(1) == y).sum().item() for x, y in val_dl) / len(va[1])
        end_time = time.time()
        epoch_mins, epoch_secs = epoch_time(start_time, end_time)
        if vl < best:
            best = vl
            torch.save(model.state_dict(), "best-model.pt")
        print(f"Epoch: {epoch + 1:02} | Time: {epoch_mins}m {epoch_secs}s")
        print(f"\tTrain Loss: {tl:.6f} | Val. Loss: {vl:.6f} | Val. Acc: {acc * 100:.2f}%")


if __name__ == "__main__":
    main()
