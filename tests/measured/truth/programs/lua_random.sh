# lua 5.4: math.random
command -v lua5.4 >/dev/null || exit 77
lua5.4 -e "print(math.random())"
