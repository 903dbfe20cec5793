# luajit: math.randomseed(os.time())
command -v luajit >/dev/null || exit 77
luajit -e "math.randomseed(os.time() * 1000 + os.clock() * 1e6) print(math.random())"
