#!/bin/sh
# Who may include whom. A folder knows the folders of its line and nobody else, so that one can be read, changed and
# tested without those above it; and no part (a header and its source) comes back to itself by way of others.
set -eu
export LC_ALL=C
root=${3:-$(dirname "$0")/../..}
cd "$root"

rules='
common:
shim/core:
shim/core/base: common
shim/core/python: common shim/core/base
shim/core/policy: common shim/core/base shim/core/python
shim/core/identity: common shim/core/base shim/core/python shim/core/policy
shim/core/log: common shim/core/base shim/core/python shim/core/policy shim/core/identity
shim/core/fingerprint: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log
shim/core/seeds: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log
shim/core/tuning: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log
shim/abi:
shim/loader: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log shim/core/fingerprint shim/core/seeds shim/core/tuning
shim/hooks/support: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log shim/core/fingerprint shim/core/seeds shim/core/tuning shim/abi shim/loader
shim/hooks/cuda: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log shim/core/fingerprint shim/core/seeds shim/core/tuning shim/abi shim/loader shim/hooks/support
shim/hooks/digests: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log shim/core/fingerprint shim/core/seeds shim/core/tuning shim/abi shim/loader shim/hooks/support shim/hooks/cuda
shim/hooks/runtimes: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log shim/core/fingerprint shim/core/seeds shim/core/tuning shim/loader shim/hooks/support
shim/hooks/libc: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log shim/core/fingerprint shim/core/seeds shim/core/tuning shim/loader shim/hooks/support shim/hooks/runtimes
shim/hooks: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log shim/core/fingerprint shim/core/seeds shim/core/tuning shim/abi shim/loader shim/hooks/support shim/hooks/cuda shim/hooks/digests
shim: common shim/core/base shim/core/python shim/core/policy shim/core/identity shim/core/log shim/core/fingerprint shim/core/seeds shim/core/tuning shim/abi shim/loader shim/hooks/support shim/hooks/runtimes shim/hooks/libc shim/hooks
tools/support: common
tools/log_reader: common tools/support
tools/scanner: common tools/support tools/log_reader
tools/gpu_code: tools/support
tools/verdict: common tools/support tools/log_reader tools/scanner tools/gpu_code tools/shown_times
tools/report: common tools/support tools/log_reader tools/scanner tools/gpu_code tools/verdict
tools/log_diff: common tools/support tools/log_reader tools/scanner tools/verdict tools/report
tools/artifact_formats: tools/support
tools/verify: common tools/support tools/log_reader tools/scanner tools/verdict tools/report tools/log_diff tools/environment tools/run tools/artifact_formats
tools/html_report: common tools/support tools/log_reader tools/scanner tools/verdict tools/report tools/log_diff tools/verify
tools/environment: common tools/support tools/log_reader tools/scanner tools/report
tools/evidence: common tools/support tools/log_reader tools/verdict tools/environment
tools/run: common tools/support tools/log_reader tools/scanner tools/environment
tools/patch:
tools/shown_times:
tools/verbs: common tools/support tools/log_reader tools/scanner tools/run tools/verdict tools/report tools/log_diff tools/verify tools/html_report tools/environment tools/evidence tools/gpu_code tools/artifact_formats tools/patch
tools: common tools/support tools/log_reader tools/scanner tools/run tools/verdict tools/report tools/log_diff tools/verify tools/html_report tools/environment tools/evidence tools/verbs
'

sources() { find "$@" -name '*.h' -o -name '*.h.in' -o -name '*.cpp' -o -name '*.S'; }

# "file included-file" for every include of our own file. The command's own includes begin at tools/, the library's at
# shim/; one that is generated is where the rest of its kind is.
includes() {
  {
    sources common shim tools tests/unit tests/fuzz | sed 's/^/file /'
    sources "$@" | xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null |
      sed -E 's/^([^:]*):[0-9]+:[^"]*"([^"]*)".*/include \1 \2/'
  } | awk '
    $1 == "file" { sub(/\.in$/, "", $2); there[$2] = 1; next }
    {
      file = $2; name = $3; folder = file; sub(/\/.*/, "", folder)
      if (name ~ /^(common|shim|tools)\//) to = name
      else if (folder == "shim") to = "shim/" name
      else if (("tools/" name) in there) to = "tools/" name
      else if (("shim/" name) in there) to = "shim/" name
      else to = folder "/" name
      print file, to
    }'
}

# Reads such lines: says which the rules forbid, and which parts include each other in a circle; false if any.
judge() {
  edges=$(sed -E 's/\.(h|cpp|S)( |$)/\2/g' | awk '$1 != $2' | sort -u)
  bad=$(printf '%s\n' "$edges" | awk -v rules="$rules" '
    function floor(path) {
      while (sub(/\/[^\/]*$/, "", path)) if (path in knows) return path
      return "nowhere"
    }
    BEGIN {
      count = split(rules, line, "\n")
      for (i = 1; i <= count; ++i)
        if (split(line[i], part, ": *") == 2) knows[part[1]] = " " part[2] " "
    }
    NF == 2 {
      from = floor($1); to = floor($2)
      if (from != to && index(knows[from], " " to " ") == 0) print "  " $1 " -> " $2
    }')
  # tsort names on stderr the parts of each loop that it finds.
  loops=$(printf '%s\n' "$edges" | tsort 2>&1 >/dev/null || true)
  [ -z "$bad" ] || printf 'an arrow runs the other way:\n%s\n' "$bad" >&2
  [ -z "$loops" ] || printf 'parts include each other in a circle:\n%s\n' "$loops" >&2
  [ -z "$bad$loops" ]
}

arrows=$(includes common shim tools)
printf '%s\n' "$arrows" | judge

# What tests the command knows the library as little as the command does.
includes tests/unit tests/fuzz | awk '
  { split($2, part, "/"); has[$1, part[1]] = 1; files[$1] = 1 }
  END {
    for (file in files)
      if (has[file, "tools"] && has[file, "shim"]) {
        print "a test of the command includes the library: " file > "/dev/stderr"
        bad = 1
      }
    exit bad
  }'
if grep -n '/shim' $(find tools tests/fuzz -name CMakeLists.txt); then
  echo "the command is built with files or folders of the library's" >&2
  exit 1
fi

# And the judge sees what it is for: each arrow that there is, turned round, and a circle within a folder.
seen=0
for pair in $(printf '%s\n' "$rules" | awk -F': *' 'NF == 2 { n = split($2, to, " "); for (i = 1; i <= n; ++i) print $1 ":" to[i] }'); do
  from=${pair%%:*}
  to=${pair#*:}
  if printf '%s/turned.cpp %s/round.h\n' "$to" "$from" | judge 2>/dev/null; then
    echo "an arrow from $to to $from would not be noticed" >&2
    exit 1
  fi
  seen=$((seen + 1))
done
if printf '%s\n' 'common/a.cpp common/b.h' 'common/b.cpp common/a.h' | judge 2>/dev/null; then
  echo "a circle would not be noticed" >&2
  exit 1
fi
[ "$seen" -ge 40 ] && [ "$(printf '%s\n' "$arrows" | wc -l)" -ge 300 ]
