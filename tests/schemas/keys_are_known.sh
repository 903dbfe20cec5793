#!/bin/sh
# A writer that names a key which its record does not have, or not with that type, does not compile.
#
# Usage: keys_are_known.sh COMPILER SOURCE
set -eu
compiler=$1
source=$2

compiles() {
  printf '%s\n' '#include "common/record_schema.h"' 'using namespace detshim;' \
    "void write(TextWriter& line) { RecordWriter<RecordType::exec> record(line); $1; }" |
    "$compiler" -std=c++20 -fsyntax-only -I "$source" -x c++ - 2>/dev/null
}

compiles 'record.text("program", "true").number("error", 2); add_key(line, "at")' || { echo "known keys do not compile"; exit 1; }
for bad in 'record.text("programm", "true")' 'record.text("error", "2")' 'record.number("program", 2)' \
  'record.text("path", "0")' 'add_key(line, "nowhere")' 'record.begin("t")'; do
  if compiles "$bad"; then
    echo "compiles: $bad"
    exit 1
  fi
done
