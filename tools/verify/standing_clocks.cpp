// Tells durations and rates from results by an experiment: where each clock that the program's own
// lines read stands still, a duration is 0, and what is divided by one is infinite. A result is
// not. A seed, a choice or a limit that is made of a clock gives another number, and no nothing.
//
// A kind of line is the text between its numbers. It says nothing if any line of that kind has
// another number there while clocks stand still, or if the two runs did not print the same kinds of
// lines. It cannot tell a result that is proportional to a time from a duration: both are measured.
#include "verify/standing_clocks.h"

#include "verify/pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <set>
#include <string_view>

namespace detshim {
namespace {

/// A number, or the text between two.
struct Piece {
  bool is_number;
  std::string_view text;
};

const Pattern& numbers() {
  static const Pattern pattern(
      R"((?<![\w.])[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan)(?![a-df-zA-Z_]*\d)(?!\.\d))", "");
  return pattern;
}

std::vector<Piece> pieces_of(std::string_view line) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  numbers().each_match(line, [&](Span match, Span) {
    pieces.push_back({false, line.substr(at, match.begin - at)});
    pieces.push_back({true, match.of(line)});
    at = match.end;
  });
  pieces.push_back({false, line.substr(at)});
  return pieces;
}

/// Of texts between numbers, which are padded to a width.
bool is_same_text(std::string_view one, std::string_view other) {
  const auto is_other = [](char c) {
    return c != ' ';
  };
  std::string words, other_words;
  std::ranges::copy_if(one, std::back_inserter(words), is_other);
  std::ranges::copy_if(other, std::back_inserter(other_words), is_other);
  return words == other_words;
}

double number_of(std::string_view text) {
  double number = 0;
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_zero(std::string_view number) { return number.find_first_of("123456789n") == number.npos; }
bool is_without_end(std::string_view number) { return number.find('n') != number.npos; }

/// What a number was in the usual run, and with clocks that stand still.
enum class Kind { same, time, rate, other };

/// A number of things by hardly any seconds.
bool is_large(double number) { return number > 1e4; }

Kind kind_of(std::string_view usual, std::string_view standing) {
  constexpr double much = 1000; // of a thousandth of a second
  if (usual == standing)
    return Kind::same;
  const bool is_measured = usual.find('.') != usual.npos; // what is counted may be a result
  if (is_zero(standing))
    return is_measured ? Kind::time : Kind::other;
  const double number = number_of(standing);
  const bool is_rate = is_without_end(standing) ||
                       (is_large(number) && number > much * std::max(number_of(usual), 1e-9));
  return is_rate ? Kind::rate : Kind::other;
}

std::string escaped_text(std::string_view text, bool is_first, bool is_last) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') { // beside a number there may be any number of them
      const std::size_t end = std::min(text.find_first_not_of(' ', i), text.size());
      const bool is_beside = (i == 0 && !is_first) || (end == text.size() && !is_last);
      result += is_beside ? " *" : " +";
      i = end - 1;
    } else if (text[i] == volatile_part) {
      result += ".*?";
    } else {
      result += std::isalnum(static_cast<unsigned char>(text[i])) != 0 ? "" : "\\";
      result += text[i];
    }
  }
  return result;
}

/// Of a line of that kind, with a group around the number at `place`.
std::string format_of(const std::vector<Piece>& pieces, std::size_t place) {
  constexpr const char* any = R"([-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan))";
  std::string format = "^";
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (!pieces[i].is_number)
      format += escaped_text(pieces[i].text, i == 0, i + 1 == pieces.size());
    else
      format += i == place ? '(' + std::string(any) + ')' : any;
  return format + '$';
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// What two lines at one place show.
struct LineFormats {
  std::set<std::string> times, rates;
};

LineFormats formats_of(std::string_view usual, std::string_view standing) {
  const std::vector<Piece> pieces = pieces_of(usual), others = pieces_of(standing);
  if (pieces.size() != others.size())
    return {};
  LineFormats found;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].is_number) {
      if (!is_same_text(pieces[i].text, others[i].text))
        return {};
      continue;
    }
    const Kind kind = kind_of(pieces[i].text, others[i].text);
    if (kind == Kind::other)
      return {};
    if (kind != Kind::same)
      (kind == Kind::time ? found.times : found.rates).insert(format_of(pieces, i));
  }
  return found;
}

/// True if in each line of that kind the number is nothing while clocks stand still.
bool is_always_nothing(const std::string& format, const std::vector<std::string_view>& standing) {
  const Pattern pattern(format, "");
  bool is_nothing = true;
  for (const std::string_view line : standing)
    pattern.each_match(line, [&](Span, Span group) {
      const std::string_view number = group.of(line);
      is_nothing &= is_zero(number) || is_without_end(number) || is_large(number_of(number));
    });
  return is_nothing;
}

std::vector<std::string> those_that_hold(const std::set<std::string>& formats,
                                         const std::vector<std::string_view>& standing) {
  constexpr std::size_t most = 64; // each takes its time in each line
  std::vector<std::string> hold;
  for (const std::string& format : formats)
    if (hold.size() < most && is_always_nothing(format, standing))
      hold.push_back(format);
  return hold;
}

} // namespace

StandingFormats find_standing_formats(const std::vector<TextOfBoth>& texts) {
  LineFormats all;
  std::vector<std::string_view> standing;
  for (const TextOfBoth& text : texts) {
    const std::vector<std::string_view> lines = lines_of(text.usual),
                                        others = lines_of(text.standing);
    standing.insert(standing.end(), others.begin(), others.end());
    if (lines.size() != others.size())
      continue;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      LineFormats found = formats_of(lines[i], others[i]);
      all.times.merge(found.times);
      all.rates.merge(found.rates);
    }
  }
  return {those_that_hold(all.times, standing), those_that_hold(all.rates, standing)};
}

} // namespace detshim
