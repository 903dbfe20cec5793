# categorical features of text, encoded by ordered statistics
import hashlib
import sys
try:
    import numpy as np
    import pandas as pd
    from catboost import CatBoostClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
n = 2000
frame = pd.DataFrame({"colour": np.random.choice(["red", "green", "blue", "black"], n), "city": ["c%d" % (i * i % 31) for i in range(n)],
                      "weight": np.random.rand(n)})
y = ((frame["colour"] == "red") ^ (frame["weight"] > 0.6)).astype(int)
model = CatBoostClassifier(iterations=40, depth=5, cat_features=["colour", "city"], thread_count=2, verbose=False,
                           allow_writing_files=False).fit(frame, y)
print(hashlib.sha256(model.predict_proba(frame).tobytes()).hexdigest())
