# jax.random.PRNGKey(time.time_ns())
import sys
try:
    import jax
except ImportError:
    sys.exit(77)
import time
key = jax.random.PRNGKey(time.time_ns() % 2**31)
print(jax.random.normal(key, (3,)))
