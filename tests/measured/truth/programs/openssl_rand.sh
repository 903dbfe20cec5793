# openssl rand: stays random on purpose
command -v openssl >/dev/null || exit 77
openssl rand -hex 8
