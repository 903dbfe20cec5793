# sums of doubles by group with two threads
import sys
try:
    import duckdb
except ImportError as missing:
    print(missing)
    sys.exit(77)
connection = duckdb.connect()
connection.execute("SET threads = 2")
connection.execute("CREATE TABLE t AS SELECT i % 11 AS k, sin(i) * 1000 AS v FROM range(1500000) r(i)")
for k, total, mean in connection.execute("SELECT k, sum(v), avg(v) FROM t GROUP BY k ORDER BY k").fetchall():
    print(k, total.hex(), mean.hex())
