# SingleThreadedAugmenter with random crops, gamma and noise
import hashlib
import sys
try:
    import numpy as np
    from batchgenerators.dataloading.data_loader import SlimDataLoaderBase
    from batchgenerators.dataloading.single_threaded_augmenter import SingleThreadedAugmenter
    from batchgenerators.transforms.abstract_transforms import Compose
    from batchgenerators.transforms.color_transforms import GammaTransform
    from batchgenerators.transforms.crop_and_pad_transforms import RandomCropTransform
    from batchgenerators.transforms.noise_transforms import GaussianNoiseTransform
except ImportError as missing:
    print(missing)
    sys.exit(77)

class Slices(SlimDataLoaderBase):
    def generate_train_batch(self):
        return {"data": self._data[np.random.choice(len(self._data), self.batch_size)]}
slices = np.cos(np.arange(20 * 40 * 40) * 0.01).reshape(20, 1, 40, 40).astype(np.float32)
transforms = Compose([RandomCropTransform(32), GammaTransform((0.7, 1.5)), GaussianNoiseTransform()])
augmenter = SingleThreadedAugmenter(Slices(slices, 4), transforms)
digest = hashlib.sha256()
for _ in range(20):
    digest.update(np.ascontiguousarray(next(augmenter)["data"]).tobytes())
print(digest.hexdigest())
