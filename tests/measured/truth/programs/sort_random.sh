# sort -R
command -v sort >/dev/null || exit 77
seq 30 | sort -R
