# MultiThreadedAugmenter with a seed for each of two processes
import hashlib
import sys
try:
    import numpy as np
    from batchgenerators.dataloading.data_loader import SlimDataLoaderBase
    from batchgenerators.dataloading.multi_threaded_augmenter import MultiThreadedAugmenter
    from batchgenerators.transforms.color_transforms import BrightnessMultiplicativeTransform
except ImportError as missing:
    print(missing)
    sys.exit(77)

class Slices(SlimDataLoaderBase):
    def generate_train_batch(self):
        chosen = np.random.choice(len(self._data), self.batch_size)
        return {"data": self._data[chosen]}
if __name__ == "__main__":
    slices = np.cos(np.arange(20 * 32 * 32) * 0.01).reshape(20, 1, 32, 32).astype(np.float32)
    augmenter = MultiThreadedAugmenter(Slices(slices, 4), BrightnessMultiplicativeTransform((0.7, 1.5)), 2, seeds=[11, 12])
    means = [float(next(augmenter)["data"].astype(float).sum()) for _ in range(20)]
    augmenter._finish()
    print([x.hex() for x in means])
