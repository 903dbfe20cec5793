# nnU-Net's own augmenter, whose two processes put batches into one queue
import hashlib
import sys
try:
    import numpy as np
    from batchgenerators.dataloading.data_loader import DataLoader
    from batchgenerators.dataloading.nondet_multi_threaded_augmenter import NonDetMultiThreadedAugmenter
    from batchgenerators.transforms.abstract_transforms import Compose
    from batchgenerators.transforms.noise_transforms import GaussianNoiseTransform
    from batchgenerators.transforms.spatial_transforms import MirrorTransform
except ImportError as missing:
    print(missing)
    sys.exit(77)

class Volumes(DataLoader):
    def __init__(self, volumes, batch_size, threads):
        super().__init__(volumes, batch_size, threads, shuffle=True, infinite=True)
        self.indices = list(range(len(volumes)))

    def generate_train_batch(self):
        chosen = self.get_indices()
        return {"data": np.stack([self._data[i] for i in chosen])[:, None]}
if __name__ == "__main__":
    volumes = [np.sin(np.arange(16 ** 3) * (i + 1.0)).reshape(16, 16, 16).astype(np.float32) for i in range(12)]
    transforms = Compose([MirrorTransform((0, 1, 2)), GaussianNoiseTransform((0, 0.1))])
    augmenter = NonDetMultiThreadedAugmenter(Volumes(volumes, 2, 2), transforms, 2, num_cached=2, seeds=None)
    digest = hashlib.sha256()
    for _ in range(16):
        batch = next(augmenter)
        digest.update(np.ascontiguousarray(batch["data"]).tobytes())
    augmenter._finish()
    print(digest.hexdigest())
