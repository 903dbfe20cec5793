#!/bin/sh
# docs/HOOKS.md and docs/OPTIONS.md are what the library itself says.
status=0
"$2" hooks --markdown | diff -u "$3/docs/HOOKS.md" - || status=1
"$2" options --markdown | diff -u "$3/docs/OPTIONS.md" - || status=1
[ $status = 0 ] || echo "run: detshim hooks --markdown >docs/HOOKS.md; detshim options --markdown >docs/OPTIONS.md"
exit $status
