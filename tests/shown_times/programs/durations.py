"""Durations and dates that a training script prints."""

import argparse
import datetime
import json
import logging
import statistics
import sys
import time
import timeit
from datetime import datetime as dt
from time import perf_counter as now

import numpy as np
from tqdm import tqdm

logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)
args = argparse.ArgumentParser().parse_args()
data = list(range(1000))

start = time.time()  # shown
print("started", dt.now())  # shown
print(f"started at {datetime.datetime.now():%Y-%m-%d %H:%M}")  # shown
print("today", datetime.date.today().isoformat(), file=sys.stderr)  # shown
print(time.strftime("%H:%M:%S"), time.ctime())  # shown

times = []
total = 0.0
for epoch in range(args.epochs):
    begin = now()  # shown
    loss = 0.0
    for step, x in enumerate(data):
        loss += x / len(data)
    seconds = now() - begin  # shown
    times.append(seconds)
    total += seconds
    print("epoch %d loss %.6f in %.2f s" % (epoch, loss, seconds))
    print(f"{len(data) / seconds:.1f} samples/s, {1000 * seconds / len(data):.3f} ms each")
    print("eta {:.0f}".format(seconds * (args.epochs - epoch - 1)))
    log.info("epoch %d: %.1f s", epoch, seconds)
    print(json.dumps({"epoch": epoch, "loss": loss, "seconds": round(seconds, 2)}))
    message = f"epoch {epoch} "
    message += f"{seconds:.3f} s".rjust(12)
    print(message, end="\n", flush=True)

print("mean", sum(times) / len(times), np.mean(times), statistics.median(times), max(times))
print("each", ", ".join(f"{t:.2f}" for t in times), times[-1], times[1:])
for number, t in enumerate(times):
    print(number, round(t, 3))

elapsed = time.time() - start  # shown
hours, rest = divmod(elapsed, 3600)
minutes, left = divmod(rest, 60)
print("%02d:%02d:%05.2f" % (hours, minutes, left))
print("total", datetime.timedelta(seconds=int(elapsed)), int(elapsed // 60), int(elapsed % 60))
print(time.strftime("%H:%M:%S", time.gmtime(elapsed)), total)

nanos = time.perf_counter_ns()  # shown
print((time.perf_counter_ns() - nanos) / 1e6, "ms")  # shown
millis = int(round(time.time() * 1000))  # shown
print(int(round(time.time() * 1000)) - millis, "ms")  # shown
timer = timeit.default_timer()  # shown
print("took", timeit.default_timer() - timer if epoch else 0.0)  # shown

bar = tqdm(data)
began = dt.now()  # shown
for x in bar:
    bar.set_postfix(loss=loss, seconds=(dt.now() - began).total_seconds())  # shown
    tqdm.write(f"{dt.now() - began}")  # shown
