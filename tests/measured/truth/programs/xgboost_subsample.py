# boosted trees on random samples of rows
import sys
try:
    import xgboost
    import numpy
except ImportError:
    sys.exit(77)
x = numpy.random.rand(300, 5); y = x.sum(1)
model = xgboost.train({"subsample": 0.5, "nthread": 2}, xgboost.DMatrix(x, y), 10)
print(model.predict(xgboost.DMatrix(x))[:3])
