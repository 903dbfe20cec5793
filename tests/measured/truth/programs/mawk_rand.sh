# mawk: rand(), which it seeds itself
command -v mawk >/dev/null || exit 77
mawk "BEGIN { print rand(), rand() }"
