#!/bin/sh
# A preload that needs more than libc drags it into every program.
needed=$("$READELF" -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | grep -v -x -E 'libc\.so\.6|ld-linux[-a-z0-9_]*\.so\.[0-9]')
[ -z "$needed" ] || { echo "$(basename "$1") needs more than libc: $needed"; exit 1; }
