# Boosted trees and the linear booster as `library` trains them; what is predicted, in full.
import sys

import numpy

library = sys.argv[1]
numbers = numpy.random.RandomState(1)
x = numbers.rand(6000, 40)
y = x @ numbers.rand(40)
if library == "lightgbm":
    import lightgbm

    model = lightgbm.train({"num_threads": 4, "verbose": -1}, lightgbm.Dataset(x, y), 5)
    print(model.predict(x).tobytes().hex()[:4000])
else:
    import xgboost

    model = xgboost.train({"booster": "gblinear", "nthread": 4}, xgboost.DMatrix(x, y), 5)
    print(model.predict(xgboost.DMatrix(x)).tobytes().hex()[:4000])
