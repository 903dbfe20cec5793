# an IterableDataset split over two workers, with a shuffle buffer
import random
import sys
try:
    import torch
except ImportError as missing:
    print(missing)
    sys.exit(77)

class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        buffer = []
        for i in range(info.id, 200, info.num_workers):
            buffer.append(torch.full((4,), float(i)) + torch.randn(4))
            if len(buffer) > 16:
                yield buffer.pop(random.randrange(len(buffer)))
        random.shuffle(buffer)
        yield from buffer
if __name__ == "__main__":
    running = 0.0
    for batch in torch.utils.data.DataLoader(Stream(), batch_size=10, num_workers=2):
        running = running * 0.9 + batch.double().sum().item()
    print(running.hex())
