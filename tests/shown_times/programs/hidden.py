"""What is printed, and names, are reached unseen."""

import contextlib
import io
import time

start = time.time()  # reason
with contextlib.redirect_stdout(io.StringIO()) as text:
    print(time.time() - start)  # reason
assert hash(text.getvalue())
