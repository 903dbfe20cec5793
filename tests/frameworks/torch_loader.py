"""A DataLoader with two workers, shuffling, two epochs: what each worker draws from every source."""
import multiprocessing, os, random, sys
import numpy, torch


class Draws(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        worker = torch.utils.data.get_worker_info().id
        drawn = [torch.rand(1).item(), numpy.random.rand(), random.random(), numpy.random.default_rng().random(),
                 int.from_bytes(os.urandom(4), "little")]
        return worker, index, torch.tensor(drawn, dtype=torch.float64)


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(Draws(), batch_size=2, shuffle=True, num_workers=2,
                                         multiprocessing_context=sys.argv[1])
    for epoch in range(2):
        for worker, index, drawn in loader:
            for i in range(len(worker)):
                print("epoch", epoch, "worker", worker[i].item(), "index", index[i].item(),
                      *(f"{value:.12f}" for value in drawn[i].tolist()))
