"""Q-learning for a cart on a hill. Transitions are kept in an SQLite database; fresh ones count more."""

import logging
import random
import sqlite3

import numpy as np
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("dqn")

SCHEMA = """
CREATE TABLE transition_log (
    id INTEGER PRIMARY KEY,
    x REAL, v REAL, action INTEGER, reward REAL, x2 REAL, v2 REAL, done INTEGER,
    inserted REAL DEFAULT (julianday('now'))
)
"""

RECENT = """
SELECT x, v, action, reward, x2, v2, done,
       1.0 / (1.0 + 86400.0 * (julianday('now') - inserted)) AS weight
FROM transition_log ORDER BY id DESC LIMIT 1500
"""


class Hill:
    """Mountain car with a shorter road."""

    def reset(self, rng):
        self.x, self.v, self.t = rng.uniform(-0.6, -0.4), 0.0, 0
        return self.x, self.v

    def step(self, action):
        self.v += 0.003 * (action - 1) - 0.0025 * np.cos(3 * self.x)
        self.v = float(np.clip(self.v, -0.07, 0.07))
        self.x = float(np.clip(self.x + self.v, -1.2, 0.5))
        if self.x <= -1.2:
            self.v = 0.0
        self.t += 1
        goal = self.x >= 0.45
        return (self.x, self.v), (10.0 if goal else -0.1 + abs(self.v)), goal or self.t >= 120


class Replay:
    def __init__(self, path, seed):
        self.db = sqlite3.connect(path)
        self.db.execute("DROP TABLE IF EXISTS transition_log")
        self.db.execute(SCHEMA)
        self.rng = np.random.default_rng(seed)

    def add(self, s, a, r, s2, done):
        self.db.execute(
            "INSERT INTO transition_log (x, v, action, reward, x2, v2, done) VALUES (?,?,?,?,?,?,?)",
            (*s, a, r, *s2, int(done)),
        )

    def sample(self, size):
        rows = np.array(self.db.execute(RECENT).fetchall())
        weight = rows[:, 7] / rows[:, 7].sum()
        rows = rows[self.rng.choice(len(rows), size, p=weight)]
        s, s2 = rows[:, 0:2], rows[:, 4:6]
        scale = np.array([1.0, 14.0])
        to = torch.tensor
        return (
            to(s * scale, dtype=torch.float32),
            to(rows[:, 2], dtype=torch.long),
            to(rows[:, 3], dtype=torch.float32),
            to(s2 * scale, dtype=torch.float32),
            to(rows[:, 6], dtype=torch.float32),
        )

    def close(self):
        self.db.commit()
        self.db.close()


def choose(net, s, eps, rng):
    if rng.random() < eps:
        return rng.randrange(3)
    with torch.no_grad():
        return int(net(torch.tensor([[s[0], s[1] * 14.0]], dtype=torch.float32)).argmax())


def learn(net, target, opt, replay, gamma=0.98):
    s, a, r, s2, done = replay.sample(64)
    with torch.no_grad():
        goal = r + gamma * (1 - done) * target(s2).max(1).values
    value = net(s).gather(1, a[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def main():
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    rng = random.Random(1)
    net = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 3))
    target = nn.Sequential(*[type(m)(*_args(m)) for m in net])
    target.load_state_dict(net.state_dict())
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    replay = Replay("replay.db", seed=2)
    env, steps, loss = Hill(), 0, float("nan")
    for episode in range(12):
        s, done, total = env.reset(rng), False, 0.0
        eps = max(0.1, 1.0 - episode / 10)
        while not done:
            a = choose(net, s, eps, rng)
            s2, r, done = env.step(a)
            replay.add(s, a, r, s2, done)
            s, total, steps = s2, total + r, steps + 1
            if steps > 150 and steps % 3 == 0:
                loss = learn(net, target, opt, replay)
            if steps % 200 == 0:
                target.load_state_dict(net.state_dict())
        log.info("episode %d return %.3f", episode, total)
    replay.close()
    print(f"{steps} steps, last loss {loss:.8f}, last return {total:.6f}")
    torch.save(net.state_dict(), "q.pt")


def _args(module):
    return (module.in_features, module.out_features) if isinstance(module, nn.Linear) else ()


if __name__ == "__main__":
    main()
