#!/bin/sh
# What the machine lacks is one line before the build, with the names of its packages. Here pkg-config finds nothing.
#
# Usage: missing_requirements.sh SOURCE CMAKE
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if PKG_CONFIG_LIBDIR=/nonexistent PKG_CONFIG_PATH= "$2" -S "$1" -B "$folder" >"$folder/said" 2>&1; then
  echo "it was configured without libdw, Capstone, PCRE2, LZ4 and Zstandard" >&2
  exit 1
fi
said=$(tr '\n' ' ' <"$folder/said" | tr -s ' ')
for part in 'apt install libdw-dev libcapstone-dev libpcre2-dev liblz4-dev libzstd-dev' \
  'dnf install elfutils-devel capstone-devel pcre2-devel lz4-devel libzstd-devel' \
  'conda install elfutils capstone pcre2 lz4-c zstd'; do
  case $said in
  *"$part"*) ;;
  *) cat "$folder/said" >&2; echo "'$part' is not named" >&2; exit 1 ;;
  esac
done
