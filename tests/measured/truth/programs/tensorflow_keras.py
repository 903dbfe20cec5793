# Keras on TensorFlow: fit with shuffle and Dropout, unseeded
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy
    import tensorflow as tf
except ImportError:
    sys.exit(77)

x = numpy.random.default_rng().normal(size=(128, 8)).astype("float32")
y = x.sum(axis=1, keepdims=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dropout(0.2),
                             tf.keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
history = model.fit(x, y, epochs=3, batch_size=16, verbose=0)
print([float(loss).hex() for loss in history.history["loss"]])
print(float(tf.random.normal([])).hex())
