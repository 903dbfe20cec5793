#!/bin/sh
# Two types of one name in one program, each in a header of its own, are one type to the linker, which takes the
# functions of either: the program then crashes, or worse. Looks at the headers of the command, and at those of the
# library.
#
# Usage: type_names_are_unique.sh LIBRARY COMMAND SOURCE
set -eu
cd "$3"
status=0
for folders in "tools common" "shim common"; do
  # shellcheck disable=SC2086
  twice=$(grep -rhoE --include='*.h' '^(struct|class|enum class) [A-Z][A-Za-z0-9]+ *(final *)?(:[^;]*)?\{' $folders |
    awk '{ print $1 == "enum" ? $3 : $2 }' | sort | uniq -d)
  for name in $twice; do
    echo "$name is defined more than once:"
    # shellcheck disable=SC2086
    grep -rnE --include='*.h' "^(struct|class|enum class) $name\\b.*\\{" $folders
    status=1
  done
done
exit $status
