import time

## jax.random.key
import jax
print(jax.random.uniform(jax.random.key(SEED), (3,)))

## jax.random.PRNGKey
from jax.random import PRNGKey, uniform
print(uniform(PRNGKey(SEED), (3,)))

## jax, in a compiled function
import jax
seed = SEED
print(jax.jit(lambda: jax.random.uniform(jax.random.key(seed), (3,)))())

## tensorflow.random.set_seed
import tensorflow
tensorflow.random.set_seed(SEED)
print(tensorflow.random.uniform((3,)))
