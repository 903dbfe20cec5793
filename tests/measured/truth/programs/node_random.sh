# node: Math.random
command -v node >/dev/null || exit 77
node -e "console.log(Math.random())"
