"""Clocks that reach a result, a decision or a file."""

import csv
import json
import os
import pickle
import random
import time
from datetime import datetime

import numpy as np
import torch

print(time.time())  # reason
print(f"{time.time()}")  # reason
print(int(time.time()) % 7)  # reason
print(datetime.now().microsecond)  # reason
print(int(datetime.now().strftime("%S")) + 1)  # reason

start = time.time()  # reason
while time.time() - start < 60:  # reason
    pass
if time.time() - start > 3:  # reason
    print("slow")

a = time.perf_counter()  # reason
random.seed(time.perf_counter() - a)  # reason
b = time.perf_counter()  # reason
torch.manual_seed(int((time.perf_counter() - b) * 1e9))  # reason

folder = "runs/" + datetime.now().strftime("%Y%m%d")  # reason
os.makedirs(folder)
c = time.time()  # reason
with open(f"log-{time.time() - c:.0f}.txt", "w") as out:  # reason
    out.write("x")

d = time.time()  # reason
e = time.time() - d  # reason
with open("history.json", "w") as out:
    json.dump({"seconds": e}, out)
f = time.time()  # reason
with open("history.csv", "w") as out:
    csv.writer(out).writerow([1, time.time() - f])  # reason
g = time.time()  # reason
torch.save({"seconds": time.time() - g}, "model.pt")  # reason
with open("out.txt", "w") as out:
    h = time.time()  # reason
    print(time.time() - h, file=out)  # reason

weights = np.zeros(3)
i = time.perf_counter()  # reason
weights += time.perf_counter() - i  # reason
print(weights)
rate = 0.1
j = time.perf_counter()  # reason
rate = rate * (1 - (time.perf_counter() - j) * 1e-3)  # reason
print("rate", rate)
loss = float(np.sum(weights))
k = time.perf_counter()  # reason
print("loss", loss * (time.perf_counter() - k))  # reason
m = time.perf_counter()  # reason
print(loss + (time.perf_counter() - m))  # reason

n = time.perf_counter()  # reason
steps = int((time.perf_counter() - n) * 1e6)  # reason
for step in range(steps):
    print(step)
o = time.perf_counter()  # reason
items = {time.perf_counter() - o: "x"}  # reason
print(len(items))
p = time.perf_counter()  # reason
print(hash(f"{time.perf_counter() - p}"))  # reason
q = time.perf_counter()  # reason
print(len(str(time.perf_counter() - q)))  # reason
r = time.perf_counter()  # reason
print(sorted([3, 1], key=lambda x: x * (time.perf_counter() - r)))  # reason
s = time.perf_counter()  # reason
print(f"{loss:{int(time.perf_counter() - s)}.2f}")  # reason
t = time.perf_counter()  # reason
pickle.dumps(time.perf_counter() - t)  # reason
u = time.perf_counter()  # reason
seconds = (time.perf_counter() - u) or 1.0  # reason
print(1 / seconds)
v = time.perf_counter()  # reason
os.environ["SECONDS"] = str(time.perf_counter() - v)  # reason
w = time.perf_counter()  # reason
print(int((time.perf_counter() - w) * 1e9) % 10)  # reason


class Timer:
    def __enter__(self):
        self.start = time.time()  # reason
        return self

    def __exit__(self, *_):
        self.seconds = time.time() - self.start  # reason


def ends(limit):
    began = time.time()  # reason
    return time.time() - began > limit  # reason


def elapsed():
    return time.time() - start  # reason


if elapsed() > 3:
    print("late")
