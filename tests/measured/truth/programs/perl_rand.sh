# perl: rand
command -v perl >/dev/null || exit 77
perl -e "print rand(), \"\n\""
