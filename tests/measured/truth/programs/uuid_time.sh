# a UUID that holds the time
command -v uuidgen >/dev/null || exit 77
uuidgen -t
