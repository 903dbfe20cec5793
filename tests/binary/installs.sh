#!/bin/sh
# What is installed works from where it lies: the library, the command that finds it, the man page, the documents.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
DESTDIR="$folder" cmake --install "$(dirname "$2")" --prefix /usr >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

library=$(find "$folder/usr/lib" -name libdetshim.so)
[ -n "$library" ] || { echo "no libdetshim.so was installed"; exit 1; }
for file in bin/detshim share/detshim/valgrind.supp share/man/man1/detshim.1 share/bash-completion/completions/detshim \
  share/zsh/site-functions/_detshim share/fish/vendor_completions.d/detshim.fish share/doc/detshim/README.md share/doc/detshim/docs/LOG_FORMAT.md; do
  [ -e "$folder/usr/$file" ] || { echo "$file was not installed"; exit 1; }
done
[ ! -e "$folder/usr/detshim" ] || { echo "what is the wheel's was installed too"; exit 1; }
draw() { "$folder/usr/bin/detshim" run --quiet --seed 42 --log "$folder/records" -- od -An -N8 -tx1 /dev/urandom; }
[ "$(draw)" = "$(draw)" ] || { echo "the installed command does not find its library"; exit 1; }
"$folder/usr/bin/detshim" log "$folder/records" | grep -q /dev/urandom || { echo "the installed command reads no log"; exit 1; }
"$folder/usr/bin/detshim" hooks | grep -q getrandom || { echo "the installed command lists no hooks"; exit 1; }
