# running averages by a window function, two threads
import hashlib
import sys
try:
    import duckdb
except ImportError as missing:
    print(missing)
    sys.exit(77)
connection = duckdb.connect()
connection.execute("SET threads = 2")
connection.execute("CREATE TABLE t AS SELECT i, i % 50 AS k, cos(i * 0.01) AS v FROM range(150000) r(i)")
rows = connection.execute("""SELECT k, i, avg(v) OVER (PARTITION BY k ORDER BY i ROWS 20 PRECEDING) AS running,
                             rank() OVER (PARTITION BY k ORDER BY v DESC, i) FROM t ORDER BY k, i""").fetchall()
print(rows[5000][2].hex(), hashlib.sha256(repr(rows).encode()).hexdigest())
