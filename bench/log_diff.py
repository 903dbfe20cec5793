#!/usr/bin/env python3
"""What `detshim log diff` takes, to `diff` on the same files, by turns in one run: bench/README.md.

    bench/log_diff.py [--records N] [--processes N] [--threads N] [--detshim build/release/detshim]

Two logs after real records, which differ in one value. With several threads their records come in another order in
the second.
"""

import argparse
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time

START = (
    '{"t":"start","v":1,"detshim":"0.1.0","run":"%s","pid":%d,"rank":0,"path":"0.%d","program":"/bin/train",'
    '"args":["./train"],"mode":"enforce","policy":"fixed","seed":"42","seed_from":"DETSHIM_SEED","layout":"random",'
    '"env":[]}\n{"t":"build","file":"/bin/train","id":"1013a6748c4a685a161f164eb46f2cbbb05168f7"}\n'
)
CALL = (
    '{"t":"call","n":%d,"thread":"0.%d","lib":"libc","fn":"srand","do":"pin","requested":"%d","effective":"1130509160",'
    '"why":"own_value","at":"/bin/train+0x%x",'
    '"frames":["/lib/x86_64-linux-gnu/libstdc++.so.6+0xd44a3","/bin/train+0x1268"],"c":%d}\n'
)
END = (
    '{"t":"modules","files":["/bin/train"],"builds":["1013a6748c4a685a161f164eb46f2cbbb05168f7"]}\n'
    '{"t":"end","counts":{"pin":%d}}\n'
)


def write_process(folder, run, number, records, threads, order, differs):
    name = f"{folder}/0-0.{number}-{1000 + number}"
    each = records // threads
    left = [each] * threads
    with open(name + ".jsonl", "w", buffering=1 << 20) as lines, open(
        name + ".counts", "wb"
    ) as counts:
        counts.write(
            b"DETSHIMC" + struct.pack("<II", 1, 16) + run.encode().ljust(32, b"\0") + bytes(16)
        )
        lines.write(START % (run, 1000 + number, number))
        ready = list(range(threads))
        for entry in range(each * threads):
            thread = ready[0] if threads == 1 else order.choice(ready)
            n = each - left[thread] + 1
            left[thread] -= 1
            if left[thread] == 0:
                ready.remove(thread)
            asked = 999999999 if differs and thread == 0 and n == each * 3 // 4 else n
            lines.write(CALL % (n, thread, asked, n, entry))
        counts.write(struct.pack("<QII", 1, 2, 1) * (each * threads))
        lines.write(END % (each * threads))


def write_log(folder, run, arguments, differs):
    os.mkdir(folder)
    for number in range(arguments.processes):
        write_process(
            folder,
            run,
            number,
            arguments.records // arguments.processes,
            arguments.threads,
            random.Random(run),
            differs and number == arguments.processes // 2,
        )


def took(command):
    """Seconds by the clock, seconds of processor time, memory in MB."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 1:
        sys.exit(f"{command} did not find the difference")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--detshim", default="build/release/detshim")
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        a, b = scratch + "/a", scratch + "/b"
        # In a child: what a program is started from counts in its memory.
        writer = os.fork()
        if writer == 0:
            write_log(a, "20261122T141251-8697-0001", arguments, False)
            write_log(b, "20261122T141252-8697-0002", arguments, True)
            os._exit(0)
        os.waitpid(writer, 0)
        ours, theirs = [], []
        for _ in range(arguments.turns):
            ours.append(took([arguments.detshim, "log", "diff", a, b]))
            theirs.append(took(["diff", "-r", a, b]))
    for name, runs in (("detshim log diff", ours), ("diff -r", theirs)):
        seconds, processor, memory = (statistics.median(column) for column in zip(*runs))
        print(
            f"{name:16}  {seconds:6.2f} s  {processor:6.2f} s of processor time  {memory:7.0f} MB"
        )
    ratios = sorted(mine[0] / other[0] for mine, other in zip(ours, theirs))
    print(
        f"ratio of the times by turns: {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    )


main()
