// Regular expressions (PCRE2: those of Perl and Python, with \d and \S).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace detshim {

/// Where a match stands in its text.
struct Span {
  std::size_t begin = 0, end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

class Pattern {
public:
  /// `option` is what it came from, for the message. Throws UsageError if it is no regular
  /// expression.
  Pattern(const std::string& text, const char* option);

  const std::string& text() const { return text_; }
  std::size_t groups() const;

  /// Calls visit(the match, its first group) for each match in `line`, one behind the other; a
  /// group that took no part is empty. Throws UsageError where matching takes too long.
  void each_match(std::string_view line, const std::function<void(Span, Span)>& visit) const;

private:
  struct Code;
  std::string text_;
  std::shared_ptr<const Code> code_;
};

} // namespace detshim
