# a jitted gradient from NumPy's random data
import sys
try:
    import jax
    import numpy
except ImportError:
    sys.exit(77)
import jax.numpy as jnp
x = jnp.asarray(numpy.random.rand(100, 10))
loss = jax.jit(jax.grad(lambda w: ((x @ w - 1) ** 2).mean()))
print(loss(jnp.ones(10)))
