#!/bin/sh
# Every hook of a CUDA library is among the functions that `detshim log` knows: else its library would count as new.
status=0
for list in "$3"/tools/known_functions/*.txt; do
  library=$(basename "$list" .txt)
  hooks=$("$2" hooks | awk -v library="$library" '$1 == library {print $2}')
  [ -n "$hooks" ] || { echo "$list: detshim has no hook of $library"; status=1; }
  for hook in $hooks; do
    grep -q -x -F "$hook" "$list" || { echo "$list lacks $hook: run tools/known_functions/update"; status=1; }
  done
done
exit $status
