"""Vanilla GAN on a ring of Gaussians. Every run gets its own folder under runs/."""
import json
import math
import os
import time
from datetime import datetime

import torch
import torch.nn as nn

cfg = {
    "latent": 8, "hidden": 48, "steps": 600, "batch": 64, "lr_g": 1e-3, "lr_d": 5e-4,
    "modes": 8, "log_every": 100, "n_eval": 1000,
}

run_name = datetime.now().strftime("%Y%m%d-%H%M%S")
run_dir = os.path.join("runs", run_name)
os.makedirs(run_dir, exist_ok=True)
with open(os.path.join(run_dir, "config.json"), "w") as f:
    json.dump(cfg, f, indent=2)


def log(record):
    record["time"] = time.time()
    with open(os.path.join(run_dir, "log.jsonl"), "a") as f:
        f.write(json.dumps(record) + "\n")


def real_batch(n):
    k = torch.randint(0, cfg["modes"], (n,))
    ang = 2 * math.pi * k / cfg["modes"]
    return torch.stack([torch.cos(ang), torch.sin(ang)], 1) + 0.05 * torch.randn(n, 2)


def mlp(i, o, act):
    h = cfg["hidden"]
    return nn.Sequential(nn.Linear(i, h), act, nn.Linear(h, h), act, nn.Linear(h, o))


G = mlp(cfg["latent"], 2, nn.ReLU())
D = mlp(2, 1, nn.LeakyReLU(0.2))
for net in (G, D):
    for m in net.modules():
        if isinstance(m, nn.Linear):
            nn.init.orthogonal_(m.weight)
            nn.init.zeros_(m.bias)

opt_g = torch.optim.Adam(G.parameters(), lr=cfg["lr_g"], betas=(0.5, 0.99))
opt_d = torch.optim.Adam(D.parameters(), lr=cfg["lr_d"], betas=(0.5, 0.99))
bce = nn.BCEWithLogitsLoss()
fixed_z = torch.randn(cfg["n_eval"], cfg["latent"])


def coverage():
    with torch.no_grad():
        x = G(fixed_z)
    ang = torch.atan2(x[:, 1], x[:, 0])
    mode = torch.round(ang / (2 * math.pi) * cfg["modes"]).long() % cfg["modes"]
    good = (x.norm(dim=1) - 1).abs() < 0.2
    return len(set(mode[good].tolist())), good.float().mean().item()


tic = time.time()
for step in range(1, cfg["steps"] + 1):
    b = cfg["batch"]
    real = real_batch(b)
    fake = G(torch.randn(b, cfg["latent"]))
    d_loss = bce(D(real), torch.full((b, 1), 0.9)) + bce(D(fake.detach()), torch.zeros(b, 1))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    g_loss = bce(D(fake), torch.ones(b, 1))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()

    if step % cfg["log_every"] == 0:
        modes, frac = coverage()
        dt = time.time() - tic
        tic = time.time()
        print(f"[{step:5d}] d {d_loss.item():.6f}  g {g_loss.item():.6f}  modes {modes}  good {frac:.3f}  ({dt:.2f}s)")
        log({"step": step, "d_loss": d_loss.item(), "g_loss": g_loss.item(), "modes": modes, "good": frac})

torch.save(G.state_dict(), os.path.join(run_dir, "generator.pt"))
print("saved to", run_dir)
latest = os.path.join("runs", "latest")
if os.path.islink(latest):
    os.remove(latest)
os.symlink(run_name, latest)
