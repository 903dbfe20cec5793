# dask bag on the processes scheduler whose tasks draw from NumPy
import sys
try:
    import dask
    import dask.bag
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)

def simulate(i):
    steps = np.random.choice([-1, 1], size=2000)
    return float(np.abs(steps.cumsum()).max() + np.random.rand())
if __name__ == "__main__":
    bag = dask.bag.from_sequence(range(12), npartitions=6)
    print([x.hex() for x in bag.map(simulate).compute(scheduler="processes", num_workers=2)])
