#!/bin/sh
# The command without the supervisor: it has none of its code, says so in one line, and runs programs as ever.
set -eu
library=$1
command=$2
if nm -C "$command" | grep -q 'detshim::run_trapped'; then
  echo "the supervisor is in $command" >&2
  exit 1
fi
status=0
said=$("$command" run --library "$library" --trap-syscalls -- true 2>&1) || status=$?
[ "$status" = 2 ] && [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] || { echo "status $status: $said" >&2; exit 1; }
case $said in
*--trap-syscalls*DETSHIM_BUILD_SUPERVISOR=OFF*) ;;
*) echo "it does not say why: $said" >&2; exit 1 ;;
esac
[ "$(DETSHIM_MODE=off "$command" run --library "$library" -- echo it runs)" = "it runs" ]
