#include "core/policy/xla_flags.h"

#include "common/text.h"

namespace detshim {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// One flag, without the quotes around its value. Those that matter are short, but a list of passes: what is
/// cut is none of them.
using Flag = Text<1024>;

/// Reads the flag at `text`; returns where it ends, nullptr if its quotes do not close.
const char* read_flag(const char* text, Flag& flag) {
  for (; is_of_name(*text); ++text) flag.add(*text);
  if (*text != '=' || (text[1] != '"' && text[1] != '\'')) {
    for (; *text != 0 && !is_space(*text); ++text) flag.add(*text);
    return text;
  }
  flag.add(*text++);
  const char quote = *text++;
  for (; *text != quote; ++text) {
    if (*text == '\\' && quote == '"') ++text;
    if (*text == 0) return nullptr;
    flag.add(*text);
  }
  return text + 1;
}

/// What `flag` sets, if it is the one that `wanted` (--name=value) sets: nullptr if it is another, "true" for
/// a name alone.
const char* value_of(const char* flag, const char* wanted) {
  for (; *wanted != '='; ++flag, ++wanted)
    if (*flag != *wanted) return nullptr;
  return *flag == '=' ? flag + 1 : *flag == 0 ? "true" : nullptr;
}

/// If `flag` sets the one that `wanted` sets: whether to that value.
void look_at(const char* flag, const char* wanted, bool& good) {
  const char* const value = value_of(flag, wanted);
  if (value != nullptr) good = same_text(value, value_of(wanted, wanted));
}

/// True if the list, separated by commas, holds the pass that we take away.
bool has_pass(const char* list) {
  const char* const pass = value_of(xla_flag_scatter, xla_flag_scatter);
  const size_t length = sizeof xla_flag_scatter - static_cast<size_t>(pass - xla_flag_scatter) - 1;
  for (;; ++list) {
    size_t same = 0;
    while (same < length && list[same] == pass[same]) ++same;
    if (same == length && (list[same] == 0 || list[same] == ',')) return true;
    while (*list != 0 && *list != ',') ++list;
    if (*list == 0) return false;
  }
}

/// As XLA reads a boolean: 1, or true in any case of its letters.
bool is_true(const char* value) {
  Text<8> small;
  for (; *value != 0; ++value) small.add(static_cast<char>(*value | ('a' - 'A')));
  return same_text(small.c_str(), "true") || same_text(small.c_str(), "1");
}

} // namespace

XlaFlags read_xla_flags(const char* value, XlaFlagsLacking& lacking) {
  bool has_ops = false;
  bool has_level = false;
  bool is_pass_off = false;
  bool is_pass_asked_for = false;
  bool is_closed = false;
  while (!is_closed) {
    while (is_space(*value)) ++value;
    if (*value == 0) break;
    is_closed = *value != '-';
    if (is_closed) break;
    Flag flag;
    value = read_flag(value, flag);
    look_at(flag.c_str(), xla_flag_ops, has_ops);
    look_at(flag.c_str(), xla_flag_level, has_level);
    if (const char* passes = value_of(flag.c_str(), xla_flag_scatter)) is_pass_off |= has_pass(passes);
    if (const char* asked = value_of(flag.c_str(), "--xla_gpu_enable_scatter_determinism_expander="))
      is_pass_asked_for = is_true(asked);
    is_closed = value == nullptr || same_text(flag.c_str(), "--");
  }
  lacking = {!has_ops, !has_level, !has_ops && !is_pass_off && !is_pass_asked_for};
  if (has_ops && has_level) return XlaFlags::repeatable;
  return is_closed ? XlaFlags::closed : XlaFlags::extendable;
}

} // namespace detshim
