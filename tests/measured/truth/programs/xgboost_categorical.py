# categorical columns of a pandas frame
import hashlib
import sys
try:
    import numpy as np
    import pandas as pd
    import xgboost as xgb
except ImportError as missing:
    print(missing)
    sys.exit(77)
n = 4000
frame = pd.DataFrame({"shop": pd.Categorical(np.random.choice(["north", "south", "east", "west", "mall"], n)),
                      "day": pd.Categorical([i % 7 for i in range(n)]), "temperature": np.random.normal(15, 8, n)})
sales = frame["shop"].cat.codes * 2.0 + (frame["day"].cat.codes > 4) * 5 + 0.1 * frame["temperature"] + np.random.randn(n)
model = xgb.XGBRegressor(n_estimators=40, enable_categorical=True, tree_method="hist", subsample=0.8, n_jobs=2)
model.fit(frame, sales)
print(hashlib.sha256(model.predict(frame).tobytes()).hexdigest())
