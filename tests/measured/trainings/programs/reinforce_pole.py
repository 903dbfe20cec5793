"""REINFORCE with a value baseline on an own cart-pole (no gym needed)"""

import argparse
import collections
import csv
import math
import time

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class CartPole:
    gravity, cart, pole, half, force, tau = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def reset(self):
        self.s = self.rng.uniform(-0.05, 0.05, 4)
        self.t = 0
        return self.s.copy()

    def step(self, action):
        x, v, th, om = self.s
        f = self.force if action == 1 else -self.force
        total, moment = self.cart + self.pole, self.pole * self.half
        tmp = (f + moment * om**2 * math.sin(th)) / total
        acc = (self.gravity * math.sin(th) - math.cos(th) * tmp) / (
            self.half * (4 / 3 - self.pole * math.cos(th) ** 2 / total)
        )
        xacc = tmp - moment * acc * math.cos(th) / total
        self.s = np.array(
            [x + self.tau * v, v + self.tau * xacc, th + self.tau * om, om + self.tau * acc]
        )
        self.t += 1
        done = abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21 or self.t >= 150
        return self.s.copy(), 1.0, done


class ActorCritic(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, 2)
        self.v = nn.Linear(hidden, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def rollout(env, net):
    states, actions, rewards = [], [], []
    s, done = env.reset(), False
    while not done:
        t = torch.as_tensor(s, dtype=torch.float32)
        with torch.no_grad():
            a = net(t)[0].sample().item()
        states.append(t)
        actions.append(a)
        s, r, done = env.step(a)
        rewards.append(r)
    return torch.stack(states), torch.tensor(actions), rewards


def returns(rewards, gamma):
    out, g = [], 0.0
    for r in reversed(rewards):
        g = r + gamma * g
        out.append(g)
    return torch.tensor(out[::-1])


def update(net, opt, episodes, args):
    s = torch.cat([e[0] for e in episodes])
    a = torch.cat([e[1] for e in episodes])
    g = torch.cat([returns(e[2], args.gamma) for e in episodes])
    dist, v = net(s)
    adv = g - v.detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    loss = -(dist.log_prob(a) * adv).mean() + 0.01 * (g - v).pow(2).mean()
    loss = loss - args.entropy * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--iterations", type=int, default=18)
    p.add_argument("--episodes", type=int, default=4)
    p.add_argument("--gamma", type=float, default=0.98)
    p.add_argument("--entropy", type=float, default=0.01)
    p.add_argument("--lr", type=float, default=1e-2)
    args = p.parse_args()
    torch.manual_seed(5)
    env, net = CartPole(5), ActorCritic()
    opt = torch.optim.Adam(net.parameters(), args.lr)
    recent = collections.deque(maxlen=20)
    frames, t0 = 0, time.time()
    with open("progress.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["iteration", "frames", "mean_return", "loss", "wall_time", "fps"])
        for it in range(args.iterations):
            episodes = [rollout(env, net) for _ in range(args.episodes)]
            recent.extend(len(e[2]) for e in episodes)
            frames += sum(len(e[2]) for e in episodes)
            loss = update(net, opt, episodes, args)
            fps = int(frames / (time.time() - t0))
            mean = np.mean(recent)
            w.writerow([it, frames, mean, loss, f"{time.time() - t0:.3f}", fps])
            print(f"| it {it:3d} | frames {frames:6d} | return {mean:8.3f} | loss {loss:+.6f} |")
            print(f"| fps {fps:5d} |")
    print("final mean return %.4f after %d frames" % (mean, frames))


if __name__ == "__main__":
    main()
