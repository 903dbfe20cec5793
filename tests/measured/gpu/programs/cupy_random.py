# CuPy's generators, unseeded, and products.
try:
    import cupy
except ImportError:
    raise SystemExit(77)
x = cupy.random.standard_normal((500, 500))
y = cupy.random.default_rng().standard_normal((500, 500))
print(float((x @ y).sum()).hex(), float(cupy.random.rand(10).sum()).hex())
