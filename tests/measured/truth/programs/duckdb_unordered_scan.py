# a parallel scan without ORDER BY, insertion order not kept
import sys
try:
    import duckdb
except ImportError as missing:
    print(missing)
    sys.exit(77)
connection = duckdb.connect()
connection.execute("SET threads = 2")
connection.execute("SET preserve_insertion_order = false")
connection.execute("CREATE TABLE t AS SELECT i, i * 7919 % 100003 AS v FROM range(2000000) r(i)")
rows = connection.execute("SELECT i FROM t WHERE v % 5000 = 3").fetchall()
print(len(rows), [i for (i,) in rows[:300]])
