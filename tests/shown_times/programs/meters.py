import random
import time


class AverageMeter:
    """Computes and stores the average and current value."""

    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        self.val = 0
        self.avg = 0
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        return f"{self.name} {self.val:.3f} ({self.avg:.3f})"


class Limit:
    def __init__(self, most):
        self.most = most
        self.last = 0.0

    def is_past(self, seconds):
        self.last = seconds
        return seconds > self.most


class Leaky:
    def update(self, seconds):
        random.seed(seconds)


class Patched:
    def update(self, seconds):
        self.last = seconds


Patched.update = random.seed


def model(step):
    return random.random()


def train():
    losses = AverageMeter("loss")
    batch_time = AverageMeter("time")
    data_time = AverageMeter("data")
    decides = AverageMeter("decides")
    handed = AverageMeter("handed")
    mixed = AverageMeter("mixed")
    limit = Limit(3)
    leaky = Leaky()
    patched = Patched()
    end = time.time()  # shown
    for step in range(3):
        data_time.update(time.time() - end)  # shown
        losses.update(model(step), 4)
        batch_time.update(time.time() - end)  # shown
        end = time.time()  # shown
        print(f"{batch_time.val:.3f} ({batch_time.avg:.3f}) loss {losses.avg:.4f}", data_time)
    begun = time.time()  # reason
    decides.update(time.time() - begun)  # reason
    handed.update(time.time() - begun)  # reason
    mixed.update(time.time())  # reason
    if limit.is_past(time.time() - begun):  # reason
        return 0
    leaky.update(time.time() - begun)  # reason
    patched.update(time.time() - begun)  # reason
    if decides.avg > 3:
        return 1
    random.seed(str(handed))
    return losses.avg, mixed.avg


train()
