# make -j2 with recipes that draw
command -v make >/dev/null || exit 77
printf 'all: a b c d\na b c d:\n\t@od -An -N4 -tx4 /dev/urandom >$@\n' >Makefile
rm -f a b c d
make -s -j2 && cat a b c d
