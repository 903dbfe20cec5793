# two processes by torch.multiprocessing that draw
import sys
try:
    import torch
except ImportError:
    sys.exit(77)

import torch.multiprocessing as mp
def work(rank, results): results[rank] = torch.rand(1).item()
if __name__ == "__main__":
    results = mp.get_context("fork").Array("d", 2)
    workers = [mp.get_context("fork").Process(target=work, args=(i, results)) for i in range(2)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    print(list(results))
