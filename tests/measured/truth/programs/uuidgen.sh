# uuidgen of libuuid
command -v uuidgen >/dev/null || exit 77
uuidgen -r; uuidgen -t | cut -c 20-
