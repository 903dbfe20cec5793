#include "log_diff/quick_call.h"

#include <charconv>
#include <cstddef>

namespace detshim {
namespace {

/// Takes `start` from the front of the text; false if it does not begin so.
bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// What stands before the next quote. Names of threads, libraries and functions hold no escapes.
std::optional<std::string_view> take_name(std::string_view& text) {
  const std::size_t end = text.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(0, end);
  if (name.find('\\') != std::string_view::npos) return std::nullopt;
  text.remove_prefix(end + 1);
  return name;
}

/// Takes `name` and the number behind it from the end of the text. Such a name cannot be part of a value:
/// quotes are escaped there.
std::optional<std::uint64_t> take_last(std::string_view& text, std::string_view name) {
  const std::size_t last = text.find_last_not_of("0123456789");
  if (last == std::string_view::npos) return std::nullopt;
  std::string_view digits = text.substr(last + 1);
  const std::string_view rest = text.substr(0, last + 1);
  if (digits.empty() || !rest.ends_with(name)) return std::nullopt;
  const std::optional<std::uint64_t> number = take_number(digits);
  if (!number || !digits.empty()) return std::nullopt;
  text = rest.substr(0, rest.size() - name.size());
  return number;
}

std::optional<Action> take_action(std::string_view text) {
  for (const std::string_view name : {",\"lib\":\"", ",\"fn\":\"", ",\"do\":\""}) {
    if (!take(text, name)) return std::nullopt;
    const std::optional<std::string_view> value = take_name(text);
    if (!value) return std::nullopt;
    if (name != ",\"do\":\"") continue;
    for (int i = 1; i < action_count; ++i)
      if (*value == action_names[i]) return static_cast<Action>(i);
  }
  return std::nullopt;
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
