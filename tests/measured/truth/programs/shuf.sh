# shuf of coreutils
command -v shuf >/dev/null || exit 77
shuf -i 1-1000 -n 5
