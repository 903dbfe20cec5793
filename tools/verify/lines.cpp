#include "verify/lines.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace detshim {
namespace {

class Lines {
public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// Of a line that was overwritten, its last state.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return {};
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    const bool has_return = line.ends_with('\r');
    end_ = end == rest_.size() ? (has_return ? "a carriage return" : "no line end")
                               : (has_return ? "a carriage return and a line end" : "a line end");
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (has_return) line.remove_suffix(1);
    overwritten_ += static_cast<std::uint64_t>(std::ranges::count(line, '\r'));
    return line.substr(line.rfind('\r') + 1); // 0 where there is none
  }

  /// What ends the line that was taken last, in words.
  std::string_view end() const { return end_; }
  std::uint64_t overwritten() const { return overwritten_; }

private:
  std::string_view rest_, end_;
  std::uint64_t overwritten_ = 0; ///< states, so far
};

/// True if there is anything in it but names in angle brackets and blanks.
bool has_content(const std::string& masked) {
  bool is_in_name = false;
  for (const char c : masked) {
    if (c == '<') is_in_name = true;
    if (!is_in_name && std::isalnum(static_cast<unsigned char>(c)) != 0) return true;
    if (c == '>') is_in_name = false;
  }
  return false;
}

} // namespace

void each_line(std::string_view text, const std::function<void(std::string_view, std::uint64_t)>& visit) {
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\n\r"), text.size());
    visit(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

LineComparison compare_lines(std::string_view one, const RunFacts& run, std::string_view other,
                             const RunFacts& other_run, const LineRules& rules) {
  LineComparison result;
  Lines lines(one), other_lines(other);
  for (;;) {
    const std::optional<std::string_view> a = lines.next(), b = other_lines.next();
    if (!a && !b) break;
    ++result.lines;
    const auto differ = [&result, &rules](std::string_view value, std::string_view other_value) {
      if (rules.different != nullptr) rules.different->insert(result.lines);
      if (result.different++ == 0)
        result.first_different = {result.lines, std::string(value), std::string(other_value)};
    };
    const bool have_same_end = lines.end() == other_lines.end();
    if (a && b && *a == *b) {
      if (!have_same_end)
        differ(lines.end(), other_lines.end());
      else if (!a->empty())
        ++result.with_content;
      continue;
    }
    if (a && b) {
      const std::string x = with_groups_replaced(*a, rules.tolerated_metrics, "<metric>");
      const std::string y = with_groups_replaced(*b, rules.tolerated_metrics, "<metric>");
      if (x == y) {
        if (!have_same_end) {
          differ(lines.end(), other_lines.end());
          continue;
        }
        ++result.tolerated;
        if (has_content(x)) ++result.with_content;
        continue;
      }
      const std::string masked = rules.volatile_text.masked(x, run);
      if (masked == rules.volatile_text.masked(y, other_run)) {
        if (result.volatile_lines++ == 0)
          result.first_volatile = {result.lines, std::string(*a), std::string(*b)};
        if (has_content(masked)) ++result.with_content;
        continue;
      }
    }
    differ(a.value_or("not there"), b.value_or("not there"));
  }
  result.overwritten = std::max(lines.overwritten(), other_lines.overwritten());
  // A volatile last line with and without its end is not the same output.
  const auto has_end = [](std::string_view text) { return text.ends_with('\n'); };
  if (result.different == 0 && has_end(one) != has_end(other) && !one.empty() && !other.empty()) {
    result.different = 1;
    if (rules.different != nullptr) rules.different->insert(result.lines);
    result.first_different = {result.lines, has_end(one) ? "a line end" : "no line end",
                              has_end(other) ? "a line end" : "no line end"};
  }
  return result;
}

} // namespace detshim
