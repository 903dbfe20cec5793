# tf.data: shuffle, batch and a random map in parallel, unseeded
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
except ImportError:
    sys.exit(77)

data = tf.data.Dataset.range(64).shuffle(64).map(lambda i: tf.cast(i, tf.float32) + tf.random.uniform([]),
                                                 num_parallel_calls=4).batch(8)
for batch in data:
    print([float(value).hex() for value in batch])
