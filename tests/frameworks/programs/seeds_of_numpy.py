import numpy as np
np.random.default_rng()
np.random.SeedSequence()
