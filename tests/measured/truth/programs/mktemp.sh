# a name of mktemp
command -v mktemp >/dev/null || exit 77
mktemp -u x.XXXXXXXX
