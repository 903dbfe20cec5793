#!/bin/sh
# What is exported, what the hook table says, and what docs/HOOKS.md shows are one list; by detshim_mode
# (shim/interface.cpp) a program may ask whether the library is there.
exported=$("$READELF" --dyn-syms -W "$1" | awk '$7 != "UND" && $6 != "HIDDEN" && ($5 == "GLOBAL" || $5 == "WEAK") {sub(/@.*/, "", $8); print $8}' | grep -v -x detshim_mode | sort)
table=$("$2" hooks | awk "{print \$2}" | sort)
[ -n "$table" ] || { echo "the hook table is empty"; exit 1; }
if [ "$exported" != "$table" ]; then
  echo "exported symbols and hook table differ:"
  printf '%s\n%s\n' "$exported" "$table" | sort | uniq -u
  exit 1
fi
for name in $table; do
  grep -q -F "\`$name\`" "$3/docs/HOOKS.md" || { echo "docs/HOOKS.md lacks $name"; exit 1; }
done
