# categorical features of a pandas frame
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
    import pandas as pd
except ImportError as missing:
    print(missing)
    sys.exit(77)
n = 5000
frame = pd.DataFrame({
    "town": pd.Categorical(["town%d" % (i * i % 43) for i in range(n)]),
    "kind": pd.Categorical(["abcde"[i % 5] for i in range(n)]),
    "size": np.random.gamma(2.0, size=n),
})
price = frame["town"].cat.codes * 0.3 + frame["kind"].cat.codes ** 2 + frame["size"] + np.random.randn(n)
model = lgb.LGBMRegressor(n_estimators=40, n_jobs=2, verbose=-1, min_data_per_group=20).fit(frame, price)
print(hashlib.sha256(model.predict(frame).tobytes()).hexdigest())
