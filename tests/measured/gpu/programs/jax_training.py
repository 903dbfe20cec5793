# A network of JAX, fixed keys: products, convolutions, scatter-adds by XLA.
try:
    import jax
    import jax.numpy as jnp
except ImportError:
    raise SystemExit(77)
if jax.default_backend() == "cpu":
    raise SystemExit(77)
key = jax.random.key(0)
x = jax.random.normal(key, (64, 32, 32, 8))
w = jax.random.normal(key, (3, 3, 8, 16)) * 0.1
segments = jax.random.randint(key, (1 << 18,), 0, 100)
values = jax.random.normal(key, (1 << 18,))
@jax.jit
def step(w):
    def loss(w):
        y = jax.lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return (jnp.tanh(y) ** 2).mean()
    return w - 0.1 * jax.grad(loss)(w)
for _ in range(10):
    w = step(w)
sums = jax.ops.segment_sum(values, segments, 100)
print(float(w.sum()).hex(), float((sums ** 2).sum()).hex())
