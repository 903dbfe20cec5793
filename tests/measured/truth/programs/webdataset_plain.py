# a tar shard written and read back in one process, shuffled
import io
import os
import sys
import tempfile
try:
    import numpy as np
    import webdataset as wds
except ImportError as missing:
    print(missing)
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "data.tar")
    with wds.TarWriter(path) as sink:
        for i in range(60):
            buffer = io.BytesIO()
            np.save(buffer, np.random.rand(8))
            sink.write({"__key__": "sample%03d" % i, "npy": buffer.getvalue(), "cls": str(i % 5)})
    running = 0.0
    for x, label in wds.WebDataset(path, shardshuffle=False).shuffle(30).decode().to_tuple("npy", "cls"):
        running = running * 0.8 + float(x.sum()) * (1 + int(label))
print(running.hex())
