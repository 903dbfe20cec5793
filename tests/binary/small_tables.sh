#!/bin/sh
# The library's own data is in every program, and counts there against RLIMIT_AS, RLIMIT_DATA, RLIMIT_MEMLOCK and,
# with vm.overcommit_memory=2, what the machine may commit. Large tables are mapped at their first use
# (core/base/mapped.h).
failed=0
most() { # section, bytes
  size=$((0x$("$READELF" -SW "$library" | sed 's/^ *\[ *[0-9]*\]//' | awk -v name="$1" '$1 == name { print $5 }')))
  [ "$size" -gt 0 ] && [ "$size" -lt "$2" ] || { echo "$1 has $size bytes, $2 are too many"; failed=1; }
}
library=$1
most .bss $((512 * 1024))
most .data $((64 * 1024))
exit $failed
