#include "log_diff/quick_call.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace detshim {
namespace {

// All of this is done once for each record of both logs: hence the lengths that the compiler knows, and loops
// over the few characters of a name.

/// Takes `start` from the front of the text; false if it does not begin so.
template <std::size_t size>
bool take(std::string_view& text, const char (&start)[size]) {
  constexpr std::size_t length = size - 1;
  if (text.size() < length || std::memcmp(text.data(), start, length) != 0) return false;
  text.remove_prefix(length);
  return true;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  constexpr std::size_t longest = 18; // digits that fit; no log has as many records
  std::uint64_t number = 0;
  std::size_t length = 0;
  for (; length < text.size() && text[length] >= '0' && text[length] <= '9'; ++length)
    number = 10 * number + static_cast<std::uint64_t>(text[length] - '0');
  if (length == 0 || length > longest) return std::nullopt;
  text.remove_prefix(length);
  return number;
}

/// What stands before the next quote. Names of threads, libraries and functions hold no escapes.
std::optional<std::string_view> take_name(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != '"' && text[end] != '\\') ++end;
  if (end == text.size() || text[end] != '"') return std::nullopt;
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end + 1);
  return name;
}

/// Takes `name` and the number behind it from the end of the text. Such a name cannot be part of a value:
/// quotes are escaped there.
template <std::size_t size>
std::optional<std::uint64_t> take_last(std::string_view& text, const char (&name)[size]) {
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  constexpr std::size_t length = size - 1;
  if (digits < length || std::memcmp(text.data() + digits - length, name, length) != 0) return std::nullopt;
  std::string_view rest = text.substr(digits);
  const std::optional<std::uint64_t> number = take_number(rest);
  if (number) text = text.substr(0, digits - length);
  return number;
}

std::optional<Action> take_action(std::string_view text) {
  if (!take(text, ",\"lib\":\"") || !take_name(text) || !take(text, ",\"fn\":\"") || !take_name(text) ||
      !take(text, ",\"do\":\""))
    return std::nullopt;
  const std::optional<std::string_view> name = take_name(text);
  static constexpr std::string_view names[] = {action_names[1], action_names[2], action_names[3],
                                               action_names[4], action_names[5], action_names[6]};
  static_assert(std::size(names) == action_count - 1);
  const auto* const found = name ? std::ranges::find(names, *name) : std::end(names);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Action>(found - names + 1);
}

} // namespace

std::optional<QuickCall> quick_call(std::string_view line) {
  QuickCall call;
  if (!take(line, "{\"t\":\"call\",\"n\":")) return std::nullopt;
  const std::optional<std::uint64_t> number = take_number(line);
  if (!number || !take(line, ",\"thread\":\"")) return std::nullopt;
  const std::optional<std::string_view> thread = take_name(line);
  if (!thread || !line.ends_with('}')) return std::nullopt;
  line.remove_suffix(1);
  call.number = *number;
  call.thread = *thread;
  call.process = take_last(line, ",\"proc\":").value_or(0);
  call.counter = take_last(line, ",\"c\":");
  const std::optional<Action> action = take_action(line);
  if (!action) return std::nullopt;
  call.action = *action;
  call.body = line;
  return call;
}

} // namespace detshim
