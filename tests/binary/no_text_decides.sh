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
  grep -nE '\b(why|(reason_text|text_of_code)\([^)]*\))[a-z_]*(\(\))?(\.(find|rfind|contains|starts_with|ends_with)\(| *[!=]= *)"|"[^"]*" *[!=]= *[a-z_.>-]*\bwhy\b|(same_text|contains|starts_with)\([a-z_.>-]*\bwhy, *"' "$@"
}

# Prints the searches for a phrase, in a remark or in another text for people. tools/verbs/env.cpp reads the facts of a
# kept environment back, which are data.
searched() {
  grep -nE '\b(find|rfind|starts_with|ends_with)\("[A-Za-z]+,? [a-z]|\b(why|text|remark|what|problem)[a-z_]* *[!=]= *"[a-z]+ [a-z]' "$@" |
    grep -v '^tools/verbs/env.cpp:'
}

# Prints the searches for what is between the parts of a text: ", " or ": ".
separated() {
  grep -nE '\.(find|rfind|starts_with|ends_with|contains)\("[^"a-zA-Z0-9]* [^"a-zA-Z0-9]*"' "$@"
}

# Prints the comparisons with, and searches for, a constant that is a text of several words or the beginning of one. One
# of a header may be meant in every file, one of another file in that file alone.
compared_constants() {
  awk '
    pass == 1 {
      if (match($0, /(std::string_view|const char\*)( const)? [a-z_]+ = "[^"]*[a-z] [^"]*"/)) {
        name = substr($0, RSTART, RLENGTH)
        sub(/ = ".*/, "", name)
        sub(/.* /, "", name)
        if (FILENAME ~ /\.h$/) everywhere[name] = 1
        else within[FILENAME, name] = 1
      }
      next
    }
    {
      rest = $0
      while (match(rest, /([!=]= |\.(find|rfind|starts_with|ends_with|contains)\()[a-z_]+/)) {
        name = substr(rest, RSTART, RLENGTH)
        sub(/.*[ (]/, "", name)
        if (name in everywhere || (FILENAME, name) in within) print FILENAME ":" FNR ":" $0
        rest = substr(rest, RSTART + RLENGTH)
      }
    }' pass=1 "$@" pass=2 "$@"
}

# Prints the comparisons of what has a fixed number of values, and a type in other places, with the words for them.
worded() {
  grep -nE '\b(kind|amount|perturbation|subject|level|verdict)(\(\))? *[!=]= *"|\b(kind|amount|perturbation|subject|level|verdict)(\(\))?\.(find|starts_with|ends_with|contains)\("|\.at\("[a-z_]+"\) *[!=]= *"' "$@"
}

# Takes the files out in which a text is data.
but_known() {
  grep -vE "^($(printf '%s' "$known" | sed -E '/^ *(#|$)/d; s/ *#.*//' | tr '\n' '|' | sed 's/|$//')):" || true
}
known='
tools/scanner/scan.cpp                        # what the loader prints
tools/run/frozen_places.cpp                   # what the loader prints
tools/run/early_settings.cpp                  # the value of a variable
tools/verbs/verify_plan.cpp                   # what a user writes: "kill after REGEX"
tools/gpu_code/ptx.cpp                        # words of PTX
tools/log_reader/pool.cpp                     # what records have
tools/verdict/kernel_findings.cpp             # what records have
tools/report/wording.cpp                      # shortens a text
tools/report/verdict_texts.cpp                # shortens a text
'

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
if { separated $sources; worded $sources; compared_constants $sources; } | but_known | grep .; then
  echo "a decision by parts of a text: keep apart what is decided upon, or say in this test why it is data"
  status=1
fi
# shellcheck disable=SC2086
if sentences $sources; then
  echo "a reason's sentence outside $texts"
  status=1
fi

# The searches above find what they are for.
printf '%s\n' 'if (call.why.find("clock") != npos)' 'if (record.why == "from a clock")' \
  'if (text_of_code(call.why).contains("clock"))' 'if (same_text(call.why, "clock"))' >"$scratch/decides.cpp"
[ "$(compared "$scratch/decides.cpp" | wc -l)" = 4 ] || { echo "a decision by text is not found" >&2; status=1; }
printf '%s\n' 'if (what.find("that could not be read") != npos)' 'one.second.starts_with("not captured yet")' \
  'if (remark == "it was not read")' >"$scratch/searches.cpp"
[ "$(searched "$scratch/searches.cpp" | wc -l)" = 3 ] || { echo "a search for a phrase is not found" >&2; status=1; }
printf '%s\n' 'const std::size_t comma = pool.find(", ");' 'if (part.starts_with(": "))' >"$scratch/parts.cpp"
[ "$(separated "$scratch/parts.cpp" | wc -l)" = 2 ] || { echo "a search for a separator is not found" >&2; status=1; }
printf '%s\n' 'if (place.kind == "clock")' 'item.at("amount") == "link"' 'perturbation.starts_with("fill")' >"$scratch/words.cpp"
[ "$(worded "$scratch/words.cpp" | wc -l)" = 3 ] || { echo "a comparison with a word is not found" >&2; status=1; }
printf '%s\n' 'constexpr const char* of_none = "this is of none";' 'constexpr std::string_view limit = "limit of ";' \
  >"$scratch/named.h"
printf '%s\n' 'if (why != of_none)' 'return subject.starts_with(limit);' 'if (why != other)' >"$scratch/names.cpp"
[ "$(compared_constants "$scratch/named.h" "$scratch/names.cpp" | wc -l)" = 2 ] ||
  { echo "a comparison with a text of several words is not found" >&2; status=1; }
sed -nE 's/^unexplained_seed \| ([^|]*) \|.*/"\1"/p' "$texts" >"$scratch/says.cpp"
sentences "$scratch/says.cpp" >/dev/null || { echo "a sentence is not found" >&2; status=1; }
exit $status
