#!/bin/sh
# hooks -> loader -> core: nothing below includes what stands above it.
set -eu
shim=$(dirname "$0")/../../shim
if grep -rnE '#include "(loader|hooks)/' "$shim/core" "$shim/abi" || grep -rn '#include "hooks/' "$shim/loader"; then
  echo "an arrow runs the other way" >&2
  exit 1
fi
