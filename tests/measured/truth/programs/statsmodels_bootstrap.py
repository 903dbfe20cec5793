# bootstrap of a median regression's slope
import sys
try:
    import numpy as np
    import pandas as pd
    import statsmodels.formula.api as smf
except ImportError as missing:
    print(missing)
    sys.exit(77)
x = np.linspace(0, 10, 120)
frame = pd.DataFrame({"x": x, "y": 2 * x + np.sin(5 * x) * 3})
slopes = []
for _ in range(60):
    sample = frame.sample(frac=1.0, replace=True)
    slopes.append(float(smf.quantreg("y ~ x", sample).fit(q=0.5).params["x"]))
print(float(np.mean(slopes)).hex(), [x.hex() for x in np.percentile(slopes, [2.5, 97.5]).tolist()])
