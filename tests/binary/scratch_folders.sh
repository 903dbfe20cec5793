#!/bin/sh
# Tests write where they were told to (tests/support/scratch.cmake.in), and end where they can have no folder there:
# none names /tmp or the user's home, goes on without what mktemp was to give, or removes what an empty variable names.
cd "$3" || exit 1
status=0
# $1 about lines that match $2, save in what is run by hand.
refuse() {
  found=$(grep -rnIE "$2" tests --include='*.cpp' --include='*.h' --include='*.py' --include='*.sh' --include=run \
    --include=CMakeLists.txt --exclude-dir=truth --exclude-dir=gpu --exclude=scratch_folders.sh | grep -vE ":[0-9]+: *(//|#)")
  [ -z "$found" ] || { echo "$1:"; echo "$found"; status=1; }
}
refuse 'written in /tmp by name' '(mkdtemp|mkstemp|open|ofstream|create_director(y|ies)|remove(_all)?|XXXXXX)[^;]*"/tmp|"/tmp/[^"]*XXXXXX'
refuse 'goes on without a folder' '(cd|rm [^;]*) "?\$\(mktemp'
refuse 'goes on without a folder' '[a-z]=\$\(mktemp[^)]*\) *;'
refuse 'removes what an empty variable names' 'rm -[a-z]*r[a-z]* [^;]*\$\{?[a-z_]+\}?"?/\*'
refuse 'writes in the home of whoever tests' '(getenv\("HOME"\)|expanduser|Path\.home\(\))'
for script in $(grep -rlI 'mktemp' tests --include='*.sh' --include=run --exclude-dir=truth --exclude-dir=gpu \
  --exclude=scratch_folders.sh); do
  case $(head -n 1 "$script") in
  *sh) grep -q '^set -eu' "$script" || { echo "$script goes on when mktemp fails"; status=1; } ;;
  esac
done
exit $status
