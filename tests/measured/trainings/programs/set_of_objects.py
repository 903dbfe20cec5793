"""Graph neural net on a generated citation graph; neighbours are sampled during training."""
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class Paper:
    """node of the graph"""
    count = 0

    def __init__(self, topic):
        self.topic = topic
        self.index = Paper.count
        Paper.count += 1
        self.cites = set()

    def __repr__(self):
        return f"Paper({self.index}, topic={self.topic})"


class Citations:
    def __init__(self, n_papers=300, n_topics=4):
        self.papers = set()
        order = []
        for _ in range(n_papers):
            p = Paper(random.randrange(n_topics))
            for _ in range(random.randint(2, 6)):
                if order:
                    q = random.choice(order)
                    if q.topic == p.topic or random.random() < 0.2:
                        p.cites.add(q)
                        q.cites.add(p)
            order.append(p)
            self.papers.add(p)

    def features(self, dim=16):
        base = torch.randn(4, dim)
        x = torch.zeros(len(self.papers), dim)
        for p in self.papers:
            x[p.index] = 0.6 * base[p.topic] + torch.randn(dim)
        return x

    def labels(self):
        y = torch.zeros(len(self.papers), dtype=torch.long)
        for p in self.papers:
            y[p.index] = p.topic
        return y

    def adjacency(self, max_neighbours=3):
        A = torch.eye(len(self.papers))
        for p in self.papers:
            for k, q in enumerate(p.cites):
                if k == max_neighbours:
                    break
                A[p.index, q.index] = 1
        return A / A.sum(1, keepdim=True)

    def split(self, frac=0.5):
        ordered = list(self.papers)
        cut = int(frac * len(ordered))
        return [p.index for p in ordered[:cut]], [p.index for p in ordered[cut:]]


class GCN(nn.Module):
    def __init__(self, d, h, k):
        super().__init__()
        self.l1, self.l2 = nn.Linear(d, h), nn.Linear(h, k)

    def forward(self, A, x):
        h = F.dropout(F.relu(self.l1(A @ x)), 0.3, self.training)
        return self.l2(A @ h)


def main():
    graph = Citations()
    x, y, A = graph.features(), graph.labels(), graph.adjacency()
    train_idx, test_idx = graph.split()
    model = GCN(16, 32, 4)
    opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    t0 = time.time()
    for epoch in range(1, 61):
        model.train()
        loss = F.cross_entropy(model(A, x)[train_idx], y[train_idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 20 == 0:
            model.eval()
            with torch.no_grad():
                pred = model(A, x).argmax(1)
            acc = (pred[test_idx] == y[test_idx]).float().mean().item()
            print(f"epoch {epoch} loss {loss.item():.6f} test acc {acc:.4f}")
    print(f"{epoch} epochs in {time.time() - t0:.1f}s")
    torch.save(model.state_dict(), "gcn.pt")


if __name__ == "__main__":
    main()
