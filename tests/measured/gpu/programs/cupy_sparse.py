# CuPy's product of a sparse matrix in rows and a dense one, with a long row; all seeds fixed.
try:
    import cupy
    import cupyx.scipy.sparse
    import numpy as np
except ImportError:
    raise SystemExit(77)
random = np.random.default_rng(0)
row = np.concatenate([np.zeros(30000, np.int32), random.integers(0, 2000, 60000, dtype=np.int32)])
column = random.integers(0, 30000, 90000, dtype=np.int32)
values = random.standard_normal(90000).astype(np.float32)
matrix = cupyx.scipy.sparse.coo_matrix((cupy.asarray(values), (cupy.asarray(row), cupy.asarray(column))), (2000, 30000)).tocsr()
dense = cupy.asarray(random.standard_normal((30000, 48)).astype(np.float32))
y = matrix @ dense
print(float(y.astype(cupy.float64).sum()).hex(), float((y.astype(cupy.float64) ** 2).sum()).hex())
