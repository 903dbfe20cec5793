# join of two frames, order left as it comes
import hashlib
import sys
try:
    import numpy as np
    import polars as pl
except ImportError as missing:
    print(missing)
    sys.exit(77)
n = 60000
orders = pl.DataFrame({"customer": np.random.randint(0, 5000, n), "amount": np.random.rand(n)})
customers = pl.DataFrame({"customer": np.arange(5000), "region": ["r%d" % (i % 17) for i in range(5000)]})
joined = orders.join(customers, on="customer", how="inner")
print(joined.shape, hashlib.sha256(joined.write_csv().encode()).hexdigest())
