#!/bin/sh
# Every hook of a CUDA library is among the functions that `detshim log` knows, else its library would count as new; and
# every function that has no hook says by its class why it needs none, or that a program which uses it is unverified.
status=0
for list in "$3"/tools/known_functions/*.txt; do
  library=$(basename "$list" .txt)
  hooks=$("$2" hooks | awk -v library="$library" '$1 == library {print $2}')
  [ -n "$hooks" ] || { echo "$list: detshim has no hook of $library"; status=1; }
  echo "$hooks" | awk -v list="$list" '
    FNR == NR { hooked[$1] = 1; next }
    FNR == 1 { next }                     # the version
    /^class / {
      if ($0 !~ /^class [a-z_]+ (harmless|told|unverified): .{10}/) { print list ": no class: " $0; bad = 1 }
      reason[$2] = 1
      next
    }
    {
      listed[$1] = 1
      if (NF != 2) { print list ": a function and its class expected: " $0; bad = 1 }
      else if ($2 == "hooked" && !($1 in hooked)) { print list ": " $1 " has no hook"; bad = 1 }
      else if ($2 != "hooked" && $1 in hooked) { print list ": " $1 " is hooked, not " $2; bad = 1 }
      else if ($2 != "hooked" && !($2 in reason)) { print list ": " $1 " is of a class without a reason: " $2; bad = 1 }
      else used[$2] = 1
    }
    END {
      for (hook in hooked) if (!(hook in listed)) { print list " lacks " hook ": run tools/known_functions/update"; bad = 1 }
      for (name in reason) if (!(name in used)) { print list ": no function is of the class " name; bad = 1 }
      exit bad
    }' - "$list" || status=1
done
exit $status
