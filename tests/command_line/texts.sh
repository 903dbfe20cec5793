#!/bin/sh
# What people read of findings, of reasons and of what differs between two logs is what texts.golden has.
#
# Usage: texts.sh PAGE GOLDEN
set -eu
if ! "$1" | diff -u "$2" -; then
  echo "a sentence was reworded? Read the difference, then: build/release/tests/command_line/texts_page >tests/command_line/texts.golden"
  exit 1
fi
