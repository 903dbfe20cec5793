#!/bin/sh
# A named version node silently unbinds every hook: programs ask for rand@GLIBC_2.2.5.
if "$READELF" -V "$1" | grep -q "Version definition section"; then
  echo "$(basename "$1") defines a symbol version"; exit 1
fi
