# sqlite3: random()
command -v sqlite3 >/dev/null || exit 77
sqlite3 :memory: "select random();"
