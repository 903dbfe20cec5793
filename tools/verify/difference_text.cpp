#include "verify/difference_text.h"

#include "report/log_report.h"
#include "support/wording.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <tuple>

namespace detshim {
namespace {

/// The part of a long text from a little before `at`.
std::string excerpt(const std::string& text, std::size_t at, std::size_t longest) {
  std::size_t begin = at > longest / 2 ? at - longest / 2 : 0;
  if (width(text) <= longest)
    begin = 0;
  while (begin > 0 && begin < text.size() && (text[begin] & 0xC0) == 0x80)
    --begin; // within a character
  return "'" + std::string(begin > 0 ? "..." : "") +
         cut(printable(text.substr(std::min(begin, text.size()))), longest) + "'";
}

/// Where the lines begin to differ: before the letters and digits that may be the same by chance.
std::size_t begin_of_difference(const std::string& line, std::size_t same) {
  const auto may_be_same_by_chance = [](char c) {
    return c == '.' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  while (same > 0 && may_be_same_by_chance(line[same - 1]))
    --same;
  return same;
}

/// The begin of the last word before `end`.
std::size_t begin_of_word_before(const std::string& line, std::size_t end) {
  const auto begin_of_word = [&](std::size_t at) {
    return line.find_last_of(" \t", at) + 1;
  };
  if (end == 0)
    return 0;
  const std::size_t begin = begin_of_word(end - 1);
  const bool is_empty = begin == end; // the lines differ from a word's beginning on
  return is_empty && end > 1 ? begin_of_word(end - 2) : begin;
}

/// A regular expression that matches the text alone.
std::string as_regex(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos)
      pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// The option with which these lines would be equal: what stands behind their last common word.
/// Empty where that is a number with a fraction, which is a result rather than an id, and where no
/// word stands there: blanks and brackets are in every line.
std::string option_for(const std::string& line, std::size_t at) {
  constexpr const char* digits = "0123456789.";
  const std::size_t differing = begin_of_difference(line, at);
  const std::size_t length = line.find_first_not_of(digits, differing) - differing;
  if (line.substr(differing, length).find('.') != std::string::npos)
    return {};
  const std::size_t begin = begin_of_word_before(line, differing);
  const std::string word = line.substr(begin, differing - begin);
  if (std::ranges::none_of(word, is_letter))
    return {};
  return "--volatile " + shell_command({printable(as_regex(word)) + "(\\S+)"});
}

} // namespace

namespace {

std::string describe_pair_at(const std::string& one, std::size_t at, const std::string& other,
                             std::size_t other_at, std::size_t longest) {
  const std::string a = excerpt(one, at, longest), b = excerpt(other, other_at, longest);
  if (a != b || one == other)
    return a + " and " + b;
  // A byte that is shown as \xff, and that text; or what differs lies behind the cut.
  return a + " in both as they are shown; byte " + std::to_string(at + 1) + " differs";
}

} // namespace

std::string describe_pair(const std::string& one, const std::string& other, std::size_t longest) {
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
  return describe_pair_at(one, at, other, at, longest);
}

std::string describe_difference(const ContentDifference& difference) {
  std::string text = difference.where.empty() ? "" : printable(difference.where) + ": ";
  constexpr std::size_t longest = 70;
  const auto& [value, other] = std::tie(difference.value, difference.other_value);
  text += difference.are_lines
              ? describe_pair_at(value, difference.at, other, difference.other_at, longest)
              : describe_pair(value, other, longest);
  if (difference.of > 0)
    text += "; " + std::to_string(difference.count) + " of " +
            counted(difference.of, difference.unit) +
            (difference.count == 1 ? " differs" : " differ");
  if (difference.has_numbers && difference.max_absolute > 0)
    text += fmt::format(", by at most {:.3g} (relative {:.3g})", difference.max_absolute,
                        difference.max_relative);
  if (difference.not_comparable > 0)
    text += ", " + std::to_string(difference.not_comparable) + " of them NaN or infinite";
  if (difference.are_lines)
    if (const std::string option = option_for(value, difference.at); !option.empty())
      text += "; only if that may differ: " + option;
  if (difference.parts > 1)
    text += "; " + std::to_string(difference.parts) + " tensors differ";
  return text;
}

} // namespace detshim
