# od on /dev/urandom
command -v od >/dev/null || exit 77
od -An -N8 -tx1 /dev/urandom
