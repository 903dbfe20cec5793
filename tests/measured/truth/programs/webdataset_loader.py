# a WebLoader with two workers over shuffled tar shards
import os
import sys
import tempfile
try:
    import torch
    import webdataset as wds
except ImportError as missing:
    print(missing)
    sys.exit(77)

def scale(sample):
    return int(sample["__key__"]), sample["x.pyd"] * torch.rand(1)
if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for shard in range(4):
            with wds.TarWriter(os.path.join(folder, "shard-%d.tar" % shard)) as sink:
                for i in range(30):
                    sink.write({"__key__": "%04d" % (shard * 30 + i), "x.pyd": torch.arange(4.0) + i})
        data = wds.WebDataset(os.path.join(folder, "shard-{0..3}.tar"), shardshuffle=4).shuffle(20).decode().map(scale).batched(5)
        total, order = 0.0, []
        for keys, x in wds.WebLoader(data, batch_size=None, num_workers=2):
            order.extend(int(key) for key in keys)
            total = total * 0.9 + float(torch.as_tensor(x).double().sum())
        print(order, total.hex())
