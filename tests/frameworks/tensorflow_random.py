"""TensorFlow on a CPU, unseeded."""
import tensorflow as tf

print("normal", tf.random.normal((3,)).numpy())
print("shuffle", list(tf.data.Dataset.range(12).shuffle(12).as_numpy_iterator()))
