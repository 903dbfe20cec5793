#!/bin/sh
# SUPPORT.md is what tools/scripts/make_support makes of the tables as they are.
#
# Usage: support_is_current.sh SOURCE
"$1/tools/scripts/make_support" | diff -u "$1/SUPPORT.md" - || { echo "run: tools/scripts/make_support >SUPPORT.md"; exit 1; }
