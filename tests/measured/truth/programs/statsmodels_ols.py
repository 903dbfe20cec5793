# ordinary least squares with robust errors on drawn data
import sys
try:
    import numpy as np
    import statsmodels.api as sm
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(2000, 5)
y = X @ np.array([1.0, -2.0, 0.5, 0.0, 3.0]) + np.random.standard_t(4, size=2000)
result = sm.OLS(y, sm.add_constant(X)).fit(cov_type="HC3")
print([x.hex() for x in result.params.tolist()])
print([x.hex() for x in result.bse.tolist()], float(result.rsquared).hex())
