# Poisson regression on data of a fixed formula
import sys
try:
    import numpy as np
    import pandas as pd
    import statsmodels.api as sm
    import statsmodels.formula.api as smf
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(3000)
frame = pd.DataFrame({"age": 20 + i % 50, "group": ["abc"[j % 3] for j in i], "count": (i * i % 7) + (i % 50) // 10})
result = smf.glm("count ~ age + C(group)", frame, family=sm.families.Poisson()).fit()
print([x.hex() for x in result.params.tolist()], float(result.deviance).hex())
