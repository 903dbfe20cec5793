#!/bin/sh
# A record's reason is a code (common/reasons.h). Nothing compares a reason with a text, nothing searches one, and the
# sentences stand in one file, so that one can be reworded without a verdict changing.
#
# Usage: no_text_decides.sh LIBRARY COMMAND SOURCE
set -eu
cd "$3"
status=0
texts=tools/support/reason_texts

# Prints the comparisons and searches of a reason in the sources that come in.
compared() {
  grep -nE '\b(why|reason_text\([^)]*\))[a-z_]*(\(\))?(\.(find|rfind|contains|starts_with|ends_with)\(| *[!=]= *)"|"[^"]*" *[!=]= *[a-z_.>-]*\bwhy\b|(same_text|contains|starts_with)\([a-z_.>-]*\bwhy, *"' "$@"
}

# Prints the searches for a phrase, in a remark or in another text for people. tools/verbs/env.cpp reads the facts of a
# kept environment back, which are data.
searched() {
  grep -nE '\b(find|rfind|starts_with|ends_with)\("[A-Za-z]+,? [a-z]|\b(why|text|remark|what|problem)[a-z_]* *[!=]= *"[a-z]+ [a-z]' "$@" |
    grep -v '^tools/verbs/env.cpp:'
}

# Prints the sentences of reasons that stand in the sources that come in.
sentences() {
  sed -nE 's/^[a-z0-9_]+ \| ([^|]{20,}) \|.*/"\1"/p' "$texts" >"$scratch/sentences"
  [ "$(wc -l <"$scratch/sentences")" -gt 100 ] || { echo "$texts is not read any more" >&2; exit 1; }
  grep -nFf "$scratch/sentences" "$@"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sources=$(find shim tools common -name '*.cpp' -o -name '*.h')
# shellcheck disable=SC2086
if compared $sources; then
  echo "a decision by a reason's text: compare codes"
  status=1
fi
# shellcheck disable=SC2086
if searched $sources; then
  echo "a decision by a text for people: keep apart what is decided upon"
  status=1
fi
# shellcheck disable=SC2086
if sentences $sources; then
  echo "a reason's sentence outside $texts"
  status=1
fi

# The searches above find what they are for.
printf '%s\n' 'if (call.why.find("clock") != npos)' 'if (record.why == "from a clock")' \
  'if (reason_text(call.why).contains("clock"))' 'if (same_text(call.why, "clock"))' >"$scratch/decides.cpp"
[ "$(compared "$scratch/decides.cpp" | wc -l)" = 4 ] || { echo "a decision by text is not found" >&2; status=1; }
printf '%s\n' 'if (what.find("that could not be read") != npos)' 'one.second.starts_with("not captured yet")' \
  'if (remark == "it was not read")' >"$scratch/searches.cpp"
[ "$(searched "$scratch/searches.cpp" | wc -l)" = 3 ] || { echo "a search for a phrase is not found" >&2; status=1; }
sed -nE 's/^unexplained_seed \| ([^|]*) \|.*/"\1"/p' "$texts" >"$scratch/says.cpp"
sentences "$scratch/says.cpp" >/dev/null || { echo "a sentence is not found" >&2; status=1; }
exit $status
