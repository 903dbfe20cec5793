# How many KiB of arguments the kernel takes.
import subprocess


def fits(kib):
    try:
        return subprocess.run(["/bin/true"] + ["x" * 1023] * kib).returncode == 0
    except OSError:
        return False


low, high = 1, 1 << 14
while high - low > 1:
    middle = (low + high) // 2
    low, high = (middle, high) if fits(middle) else (low, middle)
print(low)
