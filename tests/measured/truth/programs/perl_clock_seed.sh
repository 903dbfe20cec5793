# perl: srand(time ^ $$)
command -v perl >/dev/null || exit 77
perl -e 'srand(time ^ $$ * 1000); print rand(), "\n"'
