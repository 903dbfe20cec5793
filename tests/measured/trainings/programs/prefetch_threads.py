"""Small segmentation net with an own prefetcher (augmentation in threads)."""
import queue
import threading
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Sample:
    def __init__(self, index, size=24):
        rng = np.random.RandomState(index)
        self.mask = np.zeros((size, size), np.float32)
        x, y, r = rng.randint(6, size - 6, 2).tolist() + [rng.randint(3, 6)]
        yy, xx = np.mgrid[:size, :size]
        self.mask[(xx - x) ** 2 + (yy - y) ** 2 < r * r] = 1
        self.image = (self.mask * rng.uniform(0.5, 1) + rng.normal(0, 0.3, (size, size))).astype(np.float32)


def augment(image, mask, rng):
    for _ in range(rng.randint(1, 4)):
        k = rng.randint(4)
        image, mask = np.rot90(image, k), np.rot90(mask, k)
    blur = sum(np.roll(image, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9
    if rng.rand() < 0.5:
        image = 0.5 * image + 0.5 * blur
    return image.copy(), mask.copy()


class Prefetcher:
    """workers fill a bounded queue with ready batches"""

    def __init__(self, samples, batch_size, workers=3, depth=4):
        self.samples, self.batch_size = samples, batch_size
        self.workers = workers
        self.depth = depth

    def _work(self, wid, batches, out):
        rng = np.random.RandomState(wid)
        for b in batches:
            pairs = [augment(self.samples[i].image, self.samples[i].mask, rng) for i in b]
            out.put((torch.from_numpy(np.stack([p[0] for p in pairs]))[:, None],
                     torch.from_numpy(np.stack([p[1] for p in pairs]))[:, None]))

    def __iter__(self):
        order = torch.randperm(len(self.samples)).tolist()
        batches = [order[i:i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        out = queue.Queue(self.depth)
        threads = [threading.Thread(target=self._work, args=(w, batches[w::self.workers], out), daemon=True)
                   for w in range(self.workers)]
        for t in threads:
            t.start()
        for _ in batches:
            yield out.get()


class UNetish(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2 = nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, 2 * c, 3, padding=1)
        self.u1, self.out = nn.Conv2d(3 * c, c, 3, padding=1), nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = F.relu(self.d1(x))
        b = F.relu(self.d2(F.max_pool2d(a, 2)))
        u = F.interpolate(b, scale_factor=2)
        return self.out(F.relu(self.u1(torch.cat([a, u], 1))))


def iou(p, m):
    p = p > 0
    m = m > 0.5
    return ((p & m).sum() / (p | m).sum().clamp(min=1)).item()


def main():
    samples = [Sample(i) for i in range(240)]
    loader = Prefetcher(samples, 16)
    val = [Sample(10000 + i) for i in range(40)]
    vx = torch.from_numpy(np.stack([s.image for s in val]))[:, None]
    vm = torch.from_numpy(np.stack([s.mask for s in val]))[:, None]
    model = UNetish()
    opt = torch.optim.Adam(model.parameters(), 5e-3)
    for epoch in range(4):
        t0 = time.time()
        tot = 0.0
        for x, m in loader:
            loss = F.binary_cross_entropy_with_logits(model(x), m)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() / 15
        with torch.no_grad():
            score = iou(model(vx), vm)
        print(f"epoch {epoch} loss {tot:.8f} iou {score:.6f} {time.time() - t0:.2f}s")
    torch.save(model.state_dict(), "seg.pt")


if __name__ == "__main__":
    main()
