# JAX's key from the clock.
import time
try:
    import jax
except ImportError:
    raise SystemExit(77)
if jax.default_backend() == "cpu":
    raise SystemExit(77)
print(float(jax.random.normal(jax.random.key(time.time_ns() % 1000003), (1000,)).sum()).hex())
