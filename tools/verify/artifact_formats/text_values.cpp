#include "verify/artifact_formats/text_values.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace detshim {

bool TextValues::next() {
  constexpr std::string_view between = " \t\r\n,;:[]{}";
  const std::size_t begin = std::min(rest_.find_first_not_of(between), rest_.size());
  const auto ends = std::ranges::count(rest_.substr(0, begin), '\n');
  before_ = ends == 0 ? value_ : std::string_view();
  number_ = ends == 0 ? number_ + 1 : 1;
  line_ += static_cast<std::size_t>(ends);
  rest_.remove_prefix(begin);
  if (rest_.empty()) return false;
  std::size_t end = std::min(rest_.find_first_of(between), rest_.size());
  if (rest_.front() == '"') { // a quote in it stands behind a backslash, or twice
    for (end = 1; end < rest_.size() && rest_[end] != '"';) end += rest_[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, rest_.size());
  }
  value_ = rest_.substr(0, end);
  rest_.remove_prefix(end);
  const auto inner = std::ranges::count(value_, '\n');
  line_ += static_cast<std::size_t>(inner);
  if (line_ == 1) first_line_.push_back(value_);
  return true;
}

std::string TextValues::place() const {
  constexpr std::size_t longest = 40;
  const bool has_heading = line_ > 1 && number_ <= first_line_.size();
  const std::string_view name = before_.starts_with('"') ? before_
                                : has_heading            ? first_line_[number_ - 1]
                                                         : std::string_view();
  return "line " + std::to_string(line_) + ", value " + std::to_string(number_) +
         (name.empty() ? "" : ", " + std::string(name.substr(0, longest)));
}

std::optional<double> number_of(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return {};
  return number;
}

} // namespace detshim
