# USING SAMPLE and random() without a seed
import sys
try:
    import duckdb
except ImportError as missing:
    print(missing)
    sys.exit(77)
connection = duckdb.connect()
connection.execute("SET threads = 2")
connection.execute("CREATE TABLE t AS SELECT i, i * i % 1009 AS v FROM range(100000) r(i)")
print(connection.execute("SELECT i, v FROM t USING SAMPLE reservoir(10 ROWS)").fetchall())
print(connection.execute("SELECT random() FROM range(3)").fetchall())
