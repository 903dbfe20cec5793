#!/bin/sh
# Thread state is reached by one offset: no call to __tls_get_addr, no TLS descriptor.
if "$READELF" --dyn-syms -W "$1" | grep -q __tls_get_addr; then
  echo "$(basename "$1") calls __tls_get_addr"; exit 1
fi
if "$READELF" -r -W "$1" | grep -q -E "TLSDESC|DTPMOD"; then
  echo "$(basename "$1") has dynamic TLS relocations"; exit 1
fi
"$READELF" -d "$1" | grep -q STATIC_TLS || { echo "$(basename "$1") is not marked STATIC_TLS"; exit 1; }
