#!/bin/sh
# How many concepts there are, as the table "Concepts" of docs/ARCHITECTURE.md says. Who adds one changes the number there,
# and says in the commit which one it replaces, or why none goes (CONTRIBUTING.md).
#
# Usage: concepts.sh LIBRARY COMMAND SOURCE
set -eu
library=$1
command=$2
cd "$3"

# "number concept", a line each, of what is there.
counted() {
  "$command" hooks --library "$library" | awk '!($1 in seen) { seen[$1]; ++n } END { print n, "hooked libraries" }'
  { verbs; for verb in $(verbs); do verbs "$verb"; done; } | awk -v groups="$(groups)" 'END { print NR - groups, "verbs" }'
  "$command" options --library "$library" | grep -c '^DETSHIM_' | sed 's/$/ options of the library/'
  grep -cE '^ *X\([a-z_]+, "[a-z_]+",' tools/verdict/finding.h | sed 's/$/ findings/'
  "$command" hooks --library "$library" --markdown | awk '/^## Reason codes/ { on = 1 } on { n += gsub(/`[a-z0-9_]+`(,|$)/, "") } END { print n, "reason codes" }'
}

# The verbs below one, or of the command.
verbs() {
  "$command" "$@" --help | awk '/^Subcommands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }'
}

# How many verbs do nothing by themselves (`env`).
groups() {
  for verb in $(verbs); do "$command" "$verb" --help; done | grep -c 'SUBCOMMAND$'
}

# The same of the table's rows, "| verbs | 16 |…", in a document that comes in.
stated() {
  awk -F ' *\\| *' '/^## / { on = $0 == "## Concepts" } on && $3 ~ /^[0-9]+$/ { print $3, $2 }'
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
counted | sort -k 2 >"$scratch/counted"
stated <docs/ARCHITECTURE.md | sort -k 2 >"$scratch/stated"
if ! diff "$scratch/stated" "$scratch/counted"; then
  echo "docs/ARCHITECTURE.md states another number of concepts (<) than there are (>)"
  exit 1
fi
[ "$(wc -l <"$scratch/counted")" = 5 ] || { echo "not all concepts are counted"; exit 1; }
# A number that is one too small is found.
sed -E '/^\| verbs /s/[0-9]+/1/' docs/ARCHITECTURE.md | stated | sort -k 2 >"$scratch/changed"
! diff -q "$scratch/changed" "$scratch/counted" >/dev/null || { echo "a wrong number is not found"; exit 1; }
