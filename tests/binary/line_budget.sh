#!/bin/sh
# The product stays small: what is added past these lines is paid for by a deletion.
failed=0
cd "$3" || exit 1
most() { # folder, lines
  lines=$(sources "$1" | xargs cat | wc -l)
  [ "$lines" -gt 0 ] && [ "$lines" -le "$2" ] || { echo "$1/ has $lines lines, $((lines - $2)) more than $2"; failed=1; }
}
sources() {
  if [ -e .git ] && git --version >/dev/null 2>&1; then
    git -c safe.directory="$PWD" ls-files -- "$1/*.cpp" "$1/*.h" "$1/*.S" "$1/*.in" "$1/*.py"
  else
    find "$1" -type f \( -name '*.cpp' -o -name '*.h' -o -name '*.S' -o -name '*.in' -o -name '*.py' \)
  fi | while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}
most shim 30000
most tools 27000
most common 2500
exit $failed
