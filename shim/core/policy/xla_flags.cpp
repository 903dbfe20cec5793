#include "core/policy/xla_flags.h"

#include "common/text.h"

namespace detshim {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

/// One flag, without the quotes around its value. Those that matter are short: what is cut does
/// not matter.
using Flag = Text<64>;

/// Reads the flag at `text`; returns where it ends, nullptr if its quotes do not close.
const char* read_flag(const char* text, Flag& flag) {
  for (; is_of_name(*text); ++text)
    flag.add(*text);
  if (*text != '=' || (text[1] != '"' && text[1] != '\'')) {
    for (; *text != 0 && !is_space(*text); ++text)
      flag.add(*text);
    return text;
  }
  flag.add(*text++);
  const char quote = *text++;
  for (; *text != quote; ++text) {
    if (*text == '\\' && quote == '"')
      ++text;
    if (*text == 0)
      return nullptr;
    flag.add(*text);
  }
  return text + 1;
}

/// If `flag` sets the one that `wanted` (--name=value) sets: whether to that value, which a name
/// alone says of "true".
void look_at(const char* flag, const char* wanted, bool& good) {
  const char* value = wanted;
  for (; *value != '='; ++flag, ++value)
    if (*flag != *value)
      return;
  if (*flag == '=' || *flag == 0)
    good = same_text(*flag == '=' ? flag + 1 : "true", value + 1);
}

} // namespace

XlaFlags read_xla_flags(const char* value) {
  bool has_ops = false, has_level = false, is_closed = false;
  while (!is_closed) {
    while (is_space(*value))
      ++value;
    if (*value == 0)
      break;
    if (*value != '-') {
      is_closed = true;
      break;
    }
    Flag flag;
    value = read_flag(value, flag);
    look_at(flag.c_str(), xla_flag_ops, has_ops);
    look_at(flag.c_str(), xla_flag_level, has_level);
    is_closed = value == nullptr || same_text(flag.c_str(), "--");
  }
  if (has_ops && has_level)
    return XlaFlags::repeatable;
  return is_closed ? XlaFlags::closed : XlaFlags::extendable;
}

} // namespace detshim
