# gawk: srand(); rand()
command -v gawk >/dev/null || exit 77
gawk "BEGIN { srand(); print rand(), rand() }"
