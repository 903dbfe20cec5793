# boosted trees with bagging
import sys
try:
    import lightgbm
    import numpy
except ImportError:
    sys.exit(77)
x = numpy.random.rand(500, 5); y = x.sum(1)
model = lightgbm.train({"bagging_fraction": 0.5, "bagging_freq": 1, "verbose": -1, "num_threads": 2}, lightgbm.Dataset(x, y), 10)
print(model.predict(x)[:3])
