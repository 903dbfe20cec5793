#!/bin/sh
# simple_functions.py, with the tools that tools/check puts into build/lint; others in PATH do as well.
set -eu
source=$3
find_tool() {
  if [ -x "$source/build/lint/bin/$1" ]; then echo "$source/build/lint/bin/$1"; else command -v "$1"; fi
}
if ! lizard=$(find_tool lizard) || ! ruff=$(find_tool ruff); then
  echo "lizard or ruff is not here: skipped"
  exit 77
fi
shift 3
exec python3 "$source/tests/binary/simple_functions.py" "$source" "$lizard" "$ruff" "$@"
