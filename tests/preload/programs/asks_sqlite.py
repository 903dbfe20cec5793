import sqlite3, sys
data = sqlite3.connect(':memory:')
data.execute(sys.argv[1]).fetchone()
