# DQN on a small grid world
import collections
import random
import time
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

GAMMA = 0.97
BATCH = 32
BUFFER = 2000
EPISODES = 60
TARGET_EVERY = 100

Transition = collections.namedtuple("Transition", "s a r s2 done")


class GridWorld:
    """5x5 grid, goal in a random corner, one moving hazard"""
    moves = [(0, 1), (0, -1), (1, 0), (-1, 0)]

    def __init__(self, n=5, max_steps=40):
        self.n, self.max_steps = n, max_steps

    def reset(self):
        self.pos = [2, 2]
        self.goal = random.choice([(0, 0), (0, self.n - 1), (self.n - 1, 0), (self.n - 1, self.n - 1)])
        self.hazard = [random.randrange(self.n), random.randrange(self.n)]
        self.t = 0
        return self.obs()

    def obs(self):
        v = [*self.pos, *self.goal, *self.hazard]
        return np.array(v, dtype=np.float32) / (self.n - 1)

    def step(self, a):
        d = self.moves[a]
        for i in (0, 1):
            self.pos[i] = min(max(self.pos[i] + d[i], 0), self.n - 1)
        k = random.randrange(2)
        self.hazard[k] = min(max(self.hazard[k] + random.choice((-1, 1)), 0), self.n - 1)
        self.t += 1
        if tuple(self.pos) == self.goal:
            return self.obs(), 1.0, True
        if self.pos == self.hazard:
            return self.obs(), -1.0, True
        return self.obs(), -0.01, self.t >= self.max_steps


class ReplayBuffer:
    def __init__(self, cap):
        self.data = collections.deque(maxlen=cap)

    def push(self, *a):
        self.data.append(Transition(*a))

    def sample(self, k):
        b = Transition(*zip(*random.sample(self.data, k)))
        return (torch.tensor(np.stack(b.s)), torch.tensor(b.a), torch.tensor(b.r),
                torch.tensor(np.stack(b.s2)), torch.tensor(b.done, dtype=torch.float32))

    def __len__(self):
        return len(self.data)


def qnet():
    return nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))


def main():
    env, buf = GridWorld(), ReplayBuffer(BUFFER)
    q, target = qnet(), qnet()
    target.load_state_dict(q.state_dict())
    opt = optim.Adam(q.parameters(), lr=1e-3)
    steps, eps = 0, 1.0
    returns = collections.deque(maxlen=20)
    last_report, last_steps = time.time(), 0
    t0 = time.time()
    for ep in range(EPISODES):
        s, done, ret = env.reset(), False, 0.0
        while not done:
            if random.random() < eps:
                a = random.randrange(4)
            else:
                with torch.no_grad():
                    a = int(q(torch.from_numpy(s)).argmax())
            s2, r, done = env.step(a)
            buf.push(s, a, r, s2, done)
            s, ret = s2, ret + r
            steps += 1
            eps = max(0.05, eps * 0.998)
            if len(buf) >= BATCH:
                bs, ba, br, bs2, bd = buf.sample(BATCH)
                with torch.no_grad():
                    y = br + GAMMA * target(bs2).max(1).values * (1 - bd)
                loss = nn.functional.smooth_l1_loss(q(bs).gather(1, ba[:, None]).squeeze(1), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
            if steps % TARGET_EVERY == 0:
                target.load_state_dict(q.state_dict())
        returns.append(ret)
        if (ep + 1) % 10 == 0:
            now = time.time()
            fps = (steps - last_steps) / (now - last_report)
            print("ep %3d  steps %5d  return(20) %.4f  eps %.3f  loss %.6f  %.0f fps"
                  % (ep + 1, steps, np.mean(returns), eps, loss.item(), fps))
            last_report, last_steps = now, steps
    print(f"finished {steps} steps, mean return {np.mean(returns):.5f}, wall {time.time() - t0:.1f}s")
    torch.save(q.state_dict(), "dqn.pt")


if __name__ == "__main__":
    main()
