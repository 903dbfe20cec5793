#include "core/policy/nccl_algorithms.h"

#include "common/run_variable.h"
#include "common/text.h"
#include "common/version_range.h"
#include "core/base/environment.h"

namespace detshim {
namespace {

constexpr const char* channel_limits[] = {"NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"};

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

using Word = Text<32>; // longer ones are no algorithm's name

/// Reads up to one of `ends` or the end of the text, in small letters.
const char* read_word(const char* text, const char* ends, Word& word) {
  for (; *text != 0; ++text) {
    for (const char* end = ends; *end != 0; ++end)
      if (*text == *end)
        return text;
    word.add(small(*text));
  }
  return text;
}

bool are_channels_pinned() {
  const char* const least = environment_value(channel_limits[0]);
  const char* const most = environment_value(channel_limits[1]);
  return least != nullptr && most != nullptr && *least >= '1' && *least <= '9' &&
         same_text(least, most);
}

} // namespace

bool is_one_order(const char* value) {
  if (*value == '^') {
    Word excluded;
    read_word(value, "", excluded);
    return same_text(excluded.c_str(), "^nvls") || same_text(excluded.c_str(), "^nvls,nvlstree");
  }
  if (*value == 0)
    return false;
  for (;; ++value) {
    Word name;
    value = read_word(value, ",;:", name);
    if (*value == ':')
      continue; // a function's name
    const bool is_tree = same_text(name.c_str(), "tree");
    if (is_tree ? !are_channels_pinned()
                : !same_text(name.c_str(), "ring") && !same_text(name.c_str(), "collnetdirect") &&
                      !same_text(name.c_str(), "collnetchain"))
      return false;
    if (*value == 0)
      return true;
  }
}

bool is_one_protocol(const char* value) {
  for (Word first;; ++value) {
    Word name;
    value = read_word(value, ",;:", name);
    if (*value == ':')
      continue; // a function's name
    if (!is_one_of(name.c_str(), "simple|ll|ll128", false))
      return false;
    if (first.length() != 0 && !same_text(first.c_str(), name.c_str()))
      return false;
    if (*value == 0)
      return true;
    first.clear();
    if (*value == ',')
      first.add(name.c_str());
  }
}

bool write_named_protocols(const char* algorithms, TextWriter& value) {
  constexpr const char* protocol = "Simple";
  while (*algorithms != 0) {
    Word function;
    algorithms = read_word(algorithms, ",;:", function);
    if (*algorithms != ':')
      return false; // for all of them
    value.add(value.length() == 0 ? "" : ";").add(function.c_str()).add(':').add(protocol);
    while (*algorithms != 0 && *algorithms != ';')
      ++algorithms;
    if (*algorithms == ';')
      ++algorithms;
  }
  value.add(',').add(protocol);
  return value.length() > text_length(protocol) + 1 && !value.cut();
}

bool is_channel_limit(const char* text) {
  for (const char* limit : channel_limits)
    if (same_name(text, limit))
      return true;
  return false;
}

} // namespace detshim
