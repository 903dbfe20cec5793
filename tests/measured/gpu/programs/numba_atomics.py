# A kernel of the program's own, in Numba, that adds by atomics; all seeds fixed.
try:
    import numpy as np
    from numba import cuda
except (ImportError, AttributeError): # of a NumPy that is too new for it
    raise SystemExit(77)
@cuda.jit
def total(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, i % 7, x[i])
x = cuda.to_device(np.random.default_rng(0).standard_normal(1 << 20).astype(np.float32))
out = cuda.to_device(np.zeros(7, np.float32))
total[(1 << 20) // 256, 256](x, out)
print(*(float(one).hex() for one in out.copy_to_host()))
