// Tells durations and rates from results by an experiment: where the clocks that the program's own
// lines read go on by one step at each reading, and then by a step twice as long, a duration is
// twice as long, and what is divided by one is half as much. A result is not: a seed, a choice, a
// limit or a weight that is made of a clock gives the same number in both, or any other.
//
// A kind of line is the text between its numbers. It says nothing if any line of that kind has
// another number there in the two runs, or if these did not print the same kinds of lines as usual.
// It cannot tell a result that is proportional to a time from a duration: both are measured.
#include "verify/stepped_clocks.h"

#include "verify/pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
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

/// The least by which numbers that are printed so differ: 0.01 of "1.25".
double unit_of(std::string_view number) {
  const std::size_t point = number.find('.');
  const std::size_t end = std::min(number.find('e'), number.size());
  return point == number.npos ? 1 : std::pow(10, -static_cast<double>(end - point - 1));
}

/// True if one is twice the other, as far as they are printed.
bool is_double(std::string_view larger, std::string_view smaller) {
  constexpr double exact = 1e-5; // seconds since 1970 in a double
  constexpr double digits = 10;  // of less nothing can be told
  const double value = number_of(larger), half = number_of(smaller);
  const double unit = std::max(unit_of(larger), unit_of(smaller));
  return half >= digits * unit && std::abs(value - 2 * half) <= std::max(1.5 * unit, exact * value);
}

/// What a number was with steps, and with steps twice as long.
enum class Kind { same, time, rate, other };

Kind kind_of(std::string_view once, std::string_view twice) {
  if (once == twice)
    return Kind::same;
  return is_double(twice, once) ? Kind::time : is_double(once, twice) ? Kind::rate : Kind::other;
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

/// What the lines at one place show.
struct LineFormats {
  std::set<std::string> times, rates;
};

LineFormats formats_of(std::string_view usual, std::string_view once, std::string_view twice) {
  const std::vector<Piece> pieces = pieces_of(usual), first = pieces_of(once),
                           second = pieces_of(twice);
  if (pieces.size() != first.size() || pieces.size() != second.size())
    return {};
  LineFormats found;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].is_number) {
      if (!is_same_text(pieces[i].text, first[i].text) ||
          !is_same_text(pieces[i].text, second[i].text))
        return {};
      continue;
    }
    const Kind kind = kind_of(first[i].text, second[i].text);
    const bool is_result = kind == Kind::same && pieces[i].text != first[i].text;
    const bool is_counted =
        kind != Kind::same && pieces[i].text.find('.') == std::string_view::npos;
    if (kind == Kind::other || is_result || is_counted)
      return {};
    if (kind != Kind::same)
      (kind == Kind::time ? found.times : found.rates).insert(format_of(pieces, i));
  }
  return found;
}

/// Texts of the two runs with steps, line by line.
struct LinesOfBoth {
  std::vector<std::string_view> once, twice;
};

/// The numbers that the format finds in a line.
std::vector<std::string_view> found_in(const Pattern& format, std::string_view line) {
  std::vector<std::string_view> numbers;
  format.each_match(line, [&](Span, Span group) {
    numbers.push_back(group.of(line));
  });
  return numbers;
}

/// True if in each line of that kind the number is of that kind, or nothing in both.
bool holds(const std::string& text, Kind kind, const std::vector<LinesOfBoth>& texts) {
  const Pattern format(text, "");
  const auto is_one = [kind](std::string_view once, std::string_view twice) {
    return kind_of(once, twice) == kind ||
           (once == twice && once.find_first_of("123456789n") == once.npos);
  };
  for (const LinesOfBoth& lines : texts)
    for (std::size_t i = 0; i < std::max(lines.once.size(), lines.twice.size()); ++i) {
      const auto once = found_in(format, i < lines.once.size() ? lines.once[i] : "");
      const auto twice = found_in(format, i < lines.twice.size() ? lines.twice[i] : "");
      if (!std::ranges::equal(once, twice, is_one))
        return false;
    }
  return true;
}

std::vector<std::string> those_that_hold(const std::set<std::string>& formats, Kind kind,
                                         const std::vector<LinesOfBoth>& texts) {
  constexpr std::size_t most = 64; // each takes its time in each line
  std::vector<std::string> hold;
  for (const std::string& format : formats)
    if (hold.size() < most && holds(format, kind, texts))
      hold.push_back(format);
  return hold;
}

} // namespace

SteppedFormats find_stepped_formats(const std::vector<SteppedText>& texts) {
  LineFormats all;
  std::vector<LinesOfBoth> stepped;
  for (const SteppedText& text : texts) {
    const std::vector<std::string_view> usual = lines_of(text.usual);
    stepped.push_back({lines_of(text.once), lines_of(text.twice)});
    const auto& [once, twice] = stepped.back();
    if (usual.size() != once.size() || usual.size() != twice.size())
      continue;
    for (std::size_t i = 0; i < usual.size(); ++i) {
      LineFormats found = formats_of(usual[i], once[i], twice[i]);
      all.times.merge(found.times);
      all.rates.merge(found.rates);
    }
  }
  return {those_that_hold(all.times, Kind::time, stepped),
          those_that_hold(all.rates, Kind::rate, stepped)};
}

} // namespace detshim
