// Decides whether two lines that stand at the same place hold the same result.
//
// Two lines do if they are the same text; or but for metrics, which are then compared as numbers;
// or but for what names the moment or the process of its run. A text counts as such only if it fits
// what is known of the run: a time between its begin and its end, the id of one of its processes, a
// duration that is no longer than the run.
//
// It cannot know what a program means by a number: a result that is by chance a moment of its run,
// in both runs, is passed over. Lines are paired by their number, so one line more in one run makes
// all behind it differ.
#include "verify/lines.h"

#include "support/exit_status.h"
#include "support/wording.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <optional>
#include <utility>

namespace detshim {
namespace {

// ------------------------------------------------------------------ what is volatile

/// What stands in the place of a part of a line.
struct Mask {
  Span span;
  std::string name;
};

std::string replaced(std::string_view line, std::vector<Mask> parts,
                     std::vector<std::size_t>* origins = nullptr) {
  std::ranges::stable_sort(parts, {}, [](const Mask& part) {
    return part.span.begin;
  });
  std::string result;
  std::size_t at = 0;
  const auto copy_up_to = [&](std::size_t end) {
    result.append(line.substr(at, end - at));
    for (; origins != nullptr && at < end; ++at)
      origins->push_back(at);
  };
  for (const Mask& part : parts) {
    if (part.span.begin < at || part.span.end == part.span.begin)
      continue;
    copy_up_to(part.span.begin);
    result.append(1, '\0').append(part.name); // a NUL: text has none
    if (origins != nullptr)
      origins->resize(result.size(), part.span.begin);
    at = part.span.end;
  }
  copy_up_to(line.size());
  return result;
}

bool is_within(double moment, const RunFacts& run) {
  constexpr double slack = 1; // texts have whole seconds
  return moment >= run.began - slack && moment <= run.ended + slack;
}

/// The moment in seconds since 1970, as local time or as UTC.
bool is_within(std::tm parts, double precision, const RunFacts& run) {
  parts.tm_isdst = -1;
  std::tm local = parts;
  for (const std::time_t moment : {::timegm(&parts), std::mktime(&local)}) {
    const auto first = static_cast<double>(moment);
    if (is_within(first, run) || is_within(first + precision, run) ||
        (first < run.began && first + precision > run.ended))
      return true;
  }
  return false;
}

/// "2026-11-22 14:12:47", "20261122-141247", "2026-11-22_14-12": by the digits, in the order of
/// ISO 8601, with seconds or without.
bool is_date_within(std::string_view text, const RunFacts& run) {
  constexpr std::size_t with_minutes = 12, with_seconds = 14;
  std::string digits;
  for (const char c : text)
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 && digits.size() < with_seconds)
      digits += c;
  std::tm parts = {};
  const int read = std::sscanf(digits.c_str(), "%4d%2d%2d%2d%2d%2d", &parts.tm_year, &parts.tm_mon,
                               &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec);
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  if (digits.size() == with_seconds && read == 6)
    return is_within(parts, 0, run);
  constexpr double rest_of_minute = 59;
  return digits.size() == with_minutes && read == 5 && is_within(parts, rest_of_minute, run);
}

/// "14:12:47", of the day on which the run began or ended.
bool is_clock_within(std::string_view text, const RunFacts& run) {
  for (const double day : {run.began, run.ended})
    for (auto* const parts_of : {&::gmtime_r, &::localtime_r}) {
      const auto moment = static_cast<std::time_t>(day);
      std::tm parts = {};
      char date[32];
      std::strftime(date, sizeof date, "%Y-%m-%d ", parts_of(&moment, &parts));
      const bool has_one_digit = text.size() > 1 && text[1] == ':';
      if (is_date_within(date + std::string(has_one_digit ? "0" : "") + std::string(text), run))
        return true;
    }
  return false;
}

/// Seconds since 1970 with or without a fraction, or milliseconds, microseconds, nanoseconds.
bool is_epoch_within(std::string_view text, const RunFacts& run) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  const std::size_t digits = std::min(text.find('.'), text.size());
  for (std::size_t i = 10; i < digits; ++i)
    number /= 10;
  return is_within(number, run);
}

/// "0.31", "12 ms": not longer than the run.
bool is_duration_within(std::string_view text, const RunFacts& run) {
  double number = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  for (double part = 0; stop + 1 < text.data() + text.size() && (*stop == ':' || *stop == 'm') &&
                        std::isdigit(static_cast<unsigned char>(stop[1])) != 0;
       number = number * 60 + part)
    stop = std::from_chars(stop + 1, text.data() + text.size(), part).ptr;
  const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
  if (unit.find("ms") != unit.npos)
    number /= 1000;
  constexpr double slack = 0.1; // the run's own end was seen a little later, or earlier
  return error == std::errc() && number <= run.ended - run.began + slack;
}

/// The same of a number in a line, whose unit stands behind it; what is a rate by its unit may be
/// any number.
bool is_time_in_line(std::string_view line, Span where, const RunFacts& run) {
  static const Pattern rate(R"(^ ?(?:[a-z]+/s|fps\b|[a-z]+ per sec))", "a unit");
  static constexpr std::pair<std::string_view, double> units[] = {
      {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"m", 60}, {"h", 3600}};
  std::string_view behind = line.substr(where.end);
  bool is_rate = false;
  rate.each_match(behind, [&](Span, Span) {
    is_rate = true;
  });
  if (is_rate)
    return true;
  behind.remove_prefix(behind.starts_with(' ') ? 1 : 0);
  double seconds = 1;
  for (const auto& [unit, factor] : units) {
    const bool is_it = behind.starts_with(unit) &&
                       (behind.size() == unit.size() ||
                        std::isalpha(static_cast<unsigned char>(behind[unit.size()])) == 0);
    seconds = is_it ? factor : seconds;
  }
  double number = 0;
  const std::string_view text = where.of(line);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr double slack = 0.1;
  return error == std::errc() && number * seconds <= run.ended - run.began + slack;
}

/// True if the word or the bracket around the number says that it is a process's.
bool is_called_process(std::string_view line, Span number) {
  std::string_view before = line.substr(0, number.begin);
  if (before.ends_with('['))
    return line.substr(number.end).starts_with(']'); // not the first of a list
  before = before.substr(0, before.find_last_not_of(" \t=:#(") + 1);
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string word(before.substr(before.find_last_not_of(letters) + 1));
  std::ranges::transform(word, word.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return word == "pid" || word == "ppid" || word == "process" || word == "worker";
}

/// The process of that id, or nullptr. In a namespace of its own the ids are small, as results are.
const std::string* find_process(std::string_view line, Span where, const RunFacts& run) {
  constexpr std::int64_t small = 1000;
  const std::optional<std::int64_t> number = number_in<std::int64_t>(where.of(line));
  const auto process = number ? run.processes.find(*number) : run.processes.end();
  if (process == run.processes.end())
    return nullptr;
  return *number >= small || is_called_process(line, where) ? &process->second : nullptr;
}

// ------------------------------------------------------------------ lines

class Lines {
public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// Of a line that was overwritten, its last state.
  std::optional<std::string_view> next() {
    if (rest_.empty())
      return {};
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    const bool has_return = line.ends_with('\r');
    end_ = end == rest_.size() ? (has_return ? "a carriage return" : "no line end")
                               : (has_return ? "a carriage return and a line end" : "a line end");
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (has_return)
      line.remove_suffix(1);
    overwritten_ += static_cast<std::uint64_t>(std::ranges::count(line, '\r'));
    return line.substr(line.rfind('\r') + 1); // 0 where no \r is left
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
    if (c == '<')
      is_in_name = true;
    if (!is_in_name && std::isalnum(static_cast<unsigned char>(c)) != 0)
      return true;
    if (c == '>')
      is_in_name = false;
  }
  return false;
}

/// As docs/VERIFY.md lists them. What is counted in another unit is a result: "13.3 m/s".
const std::string units_of_progress = "(?:(?:[kKMGT]i?)?B|[kKMGT]?(?:bytes?|its?|iters?|iterations?"
                                      "|items?|images?|imgs?|[Ss]amples?|steps?|"
                                      "toks?|tokens?|seqs?|sequences?|ex|examples?|batch(?:es)?|"
                                      "rows?|records?|files?|docs?|epochs?|clips?|"
                                      "(?:effective )?words?|sentences?|trials?|episodes?))";

} // namespace

// Behind a comma stand milliseconds as Python's logging prints them, before its next field; all
// else there is the next value of a table.
VolatileText::VolatileText(std::vector<Pattern> declared, std::vector<Pattern> formats,
                           std::vector<Pattern> rates)
    : declared_(std::move(declared)), formats_(std::move(formats)), rates_(std::move(rates)),
      date_(R"((?<![\d.])\d{4}([-/_.]?)\d\d\1\d\d(?:[-/T _]?\d\d([-:._]?)\d\d\2\d\d)"
            R"((?:\.\d{1,9}|,\d{3}(?=[ \t\])\x22\x27-]))?)"
            R"(|[-/T _]\d\d[-:._]?\d\d)(?![\d:]))",
            ""),
      clock_(R"((?:(?<![\d:.])\d{1,2}:\d\d:\d\d(?:\.\d{1,9}|,\d{3}(?=[ \t\])\x22\x27-]))?)"
             R"(|(?<=[A-Z][a-z]{2}\d\d_)\d\d-\d\d-\d\d)(?![\d:]))",
             ""),
      epoch_(R"((?<![\d.])(?:\d{10}(?:\.\d{1,9})?|\d{13}|\d{16}|\d{19})(?![\d.]))", ""),
      number_(R"((?<![\w.-])\d+(?![\w.]))", ""),
      duration_(
          R"((?i)(?|\b(?:took|elapsed|duration|eta|runtime|in)\b["']?[ :=]+(\d+(?:\.\d+)? ?(?:secs?|seconds|ms|s)\b))"
          R"(|\b(?:took|elapsed|\w+_runtime)\b["']?[ :=]+(\d+\.\d+)(?![\w.%]| of\b))"
          R"(|\b(?:eta|elapsed|took)\b["']?[ :=]+(\d+(?::\d\d){1,2})(?![\d:])|^(?:real|user|sys)\s+(\d+m\d+\.\d+s)$)"
          R"(|^\s*(\d+\.\d+ ?(?:secs?|seconds|ms|s))\s*$))",
          ""),
      timed_(R"((?i)\btime\b["']?[ :=]+(\d+(?:\.\d+)? ?(?:secs?|seconds|ms|s)\b))", ""),
      meter_(
          R"((?|\b(?:batch|data|elapsed|epoch|fit|iter|train|wall)_(?:time|seconds|secs?|ms|s)\b)"
          R"(["']?[ :=]+(\d+\.\d+)(?![\w.%]| of\b))"
          R"(|\b[Tt]ime:? +(\d+\.\d+(?: ?\(\s*\d+\.\d+\))?\s+[Dd]ata:? +\d+\.\d+)"
          R"((?: ?\(\s*\d+\.\d+\))?)(?![\w.])))",
          ""),
      bracketed_(R"((?<=[(\[])\d+(?:\.\d+)? ?(?:secs?|seconds|ms|s)(?=[)\]]))", ""),
      rate_(
          R"((?|(?<![\w.])(\d+(?:\.\d+)? ?(?:)" + units_of_progress +
              R"(/s(?:ec(?:ond)?)?|[mu]?s/)" + units_of_progress +
              R"()\b)|(?<=\[)((?:\d+:)?\d\d:\d\d<(?:\d+:)?\d\d:\d\d)" +
              R"((?:, +\d+(?:\.\d+)?(?:\w+/s|s/\w+)\b)?)(?=[,\]])|(?:\bfps\b|(?:\b|_))" +
              units_of_progress +
              R"((?:/|_per_)s(?:ec|econd)?\b)["']?(?: *[:=])?( +\d+(?:\.\d+)?|(?<=[:=])\d+(?:\.\d+)?)(?![\w.])))",
          ""),
      own_(R"(\bDETSHIM_RUN(?:=|['"]: ?['"])([^\s'"]+))", "") {}

std::string VolatileText::masked(std::string_view line, const RunFacts& run,
                                 std::vector<std::size_t>* origins) const {
  std::vector<Mask> parts;
  for (const Pattern& pattern : declared_)
    pattern.each_match(line, [&](Span match, Span group) {
      parts.push_back({pattern.groups() > 0 ? group : match, "<volatile>"});
    });
  const auto look_for = [&](const Pattern& pattern, auto is_one, std::string_view name) {
    pattern.each_match(line, [&](Span match, Span) {
      if (is_one(match.of(line), run))
        parts.push_back({match, std::string(name)});
    });
  };
  // A date that is no moment of the run keeps its time of day too.
  date_.each_match(line, [&](Span match, Span) {
    parts.push_back(
        {match, std::string(is_date_within(match.of(line), run) ? "<moment>" : match.of(line))});
  });
  look_for(clock_, is_clock_within, "<moment>");
  look_for(epoch_, is_epoch_within, "<moment>");
  const auto look_for_durations = [&](const Pattern& pattern) {
    pattern.each_match(line, [&](Span, Span group) {
      if (is_duration_within(group.of(line), run))
        parts.push_back({group, "<duration>"});
    });
  };
  const bool may_show_times = run.reads_clocks || run.may_show_times;
  if (may_show_times)
    look_for_durations(duration_);
  if (run.reads_clocks) {
    look_for_durations(timed_);
    look_for(bracketed_, is_duration_within, "<duration>");
    look_for_durations(meter_);
  }
  const auto look_for_formats = [&](const std::vector<Pattern>& formats, auto is_one,
                                    const char* name) {
    for (const Pattern& format : formats)
      try {
        format.each_match(line, [&](Span, Span group) {
          if (is_one(line, group, run))
            parts.push_back({group, name});
        });
      } catch (const UsageError&) { // takes too long in this line: nothing is passed over
      }
  };
  look_for_formats(formats_, is_time_in_line, "<time>");
  look_for_formats(
      rates_,
      [](std::string_view, Span, const RunFacts&) {
        return true;
      },
      "<rate>");
  own_.each_match(line, [&](Span, Span group) {
    parts.push_back({group, "<run>"});
  });
  if (may_show_times)
    rate_.each_match(line, [&](Span, Span group) {
      parts.push_back({group, "<rate>"});
    });
  number_.each_match(line, [&](Span match, Span) {
    if (const std::string* const name = find_process(line, match, run))
      parts.push_back({match, "<process " + *name + ">"});
  });
  return replaced(line, std::move(parts), origins);
}

std::string with_groups_replaced(std::string_view line, const std::vector<Pattern>& patterns,
                                 std::string_view name) {
  std::vector<Mask> parts;
  for (const Pattern& pattern : patterns)
    pattern.each_match(line, [&](Span, Span group) {
      parts.push_back({group, std::string(name)});
    });
  return replaced(line, std::move(parts));
}

std::string_view whole_lines(std::string_view text) {
  return text.substr(0, text.rfind('\n') + 1); // 0 where there is none
}

std::string_view first_lines(std::string_view text, std::size_t lines) {
  std::size_t end = 0;
  while (lines-- > 0 && end < text.size())
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

void each_line(std::string_view text,
               const std::function<void(std::string_view, std::uint64_t)>& visit) {
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\n\r"), text.size());
    visit(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

namespace {

/// Why two lines hold the same result, from the strictest rule to the widest.
enum class Sameness {
  as_printed,
  but_for_metrics,
  but_for_volatile_text,
  none,
};

struct LineMatch {
  Sameness sameness = Sameness::none;
  bool has_content = false; ///< what is the same holds a result
};

/// What two lines have in common, but for what ends them.
LineMatch match_lines(std::string_view line, const RunFacts& run, std::string_view other_line,
                      const RunFacts& other_run, const LineRules& rules) {
  if (line == other_line)
    return {Sameness::as_printed, !line.empty()};
  const std::string rest = with_groups_replaced(line, rules.tolerated_metrics, "<metric>");
  const std::string other_rest =
      with_groups_replaced(other_line, rules.tolerated_metrics, "<metric>");
  if (rest == other_rest)
    return {Sameness::but_for_metrics, has_content(rest)};
  const std::string masked = rules.volatile_text.masked(rest, run);
  if (masked == rules.volatile_text.masked(other_rest, other_run))
    return {Sameness::but_for_volatile_text, has_content(masked)};
  return {};
}

/// Counts what becomes of each pair of lines.
class LineTally {
public:
  LineTally(const RunFacts& run, const RunFacts& other_run, const LineRules& rules)
      : run_(run), other_run_(other_run), rules_(rules) {}

  void begin_line() { ++result_.lines; }

  void add(const LineMatch& match, std::string_view line, std::string_view other_line) {
    if (match.has_content)
      ++result_.with_content;
    if (match.sameness == Sameness::but_for_metrics)
      ++result_.tolerated;
    if (match.sameness == Sameness::but_for_volatile_text && result_.volatile_lines++ == 0)
      result_.first_volatile = pair_of(line, other_line, true);
  }

  void add_difference(std::optional<std::string_view> line,
                      std::optional<std::string_view> other_line) {
    constexpr std::string_view missing = "not there";
    add_difference(
        pair_of(line.value_or(missing), other_line.value_or(missing), line && other_line));
  }

  /// Of two lines that are the same, or of the whole texts.
  void add_different_ends(std::string_view end, std::string_view other_end) {
    add_difference(pair_of(end, other_end, false));
  }

  LineComparison& result() { return result_; }

private:
  void add_difference(LinePair pair) {
    if (rules_.different != nullptr)
      rules_.different->insert(result_.lines);
    if (result_.different++ > 0)
      return;
    if (pair.are_lines)
      find_difference(pair);
    result_.first_different = std::move(pair);
  }

  /// A date or a duration before the result is not what differs.
  void find_difference(LinePair& pair) const {
    std::vector<std::size_t> origins, other_origins;
    const std::string masked = rules_.volatile_text.masked(pair.value, run_, &origins);
    const std::string other =
        rules_.volatile_text.masked(pair.other_value, other_run_, &other_origins);
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(masked, other).in1 - masked.begin());
    pair.at = same < origins.size() ? origins[same] : pair.value.size();
    pair.other_at = same < other_origins.size() ? other_origins[same] : pair.other_value.size();
  }

  LinePair pair_of(std::string_view value, std::string_view other_value, bool are_lines) const {
    return {result_.lines, std::string(value), std::string(other_value), are_lines};
  }

  LineComparison result_;
  const RunFacts &run_, &other_run_;
  const LineRules& rules_;
};

void visit_lines(std::string_view line, const RunFacts& run, std::string_view other_line,
                 const RunFacts& other_run, std::uint64_t number, const LineRules& rules) {
  if (line == other_line)
    return rules.visit({line, line}, {line, line}, number);
  const std::string without_times = rules.volatile_text.masked(line, run);
  const std::string other_without_times = rules.volatile_text.masked(other_line, other_run);
  rules.visit({line, without_times}, {other_line, other_without_times}, number);
}

/// What ends the whole text.
std::string_view ending_of_text(std::string_view text) {
  return text.ends_with('\n') ? "a line end" : "no line end";
}

} // namespace

LineComparison compare_lines(std::string_view one, const RunFacts& run, std::string_view other,
                             const RunFacts& other_run, const LineRules& rules) {
  LineTally tally(run, other_run, rules);
  Lines lines(one), other_lines(other);
  for (;;) {
    const std::optional<std::string_view> line = lines.next(), other_line = other_lines.next();
    if (!line && !other_line)
      break;
    tally.begin_line();
    const LineMatch match =
        line && other_line ? match_lines(*line, run, *other_line, other_run, rules) : LineMatch{};
    if (rules.visit)
      visit_lines(line.value_or(""), run, other_line.value_or(""), other_run, tally.result().lines,
                  rules);
    const bool may_end_otherwise = match.sameness == Sameness::but_for_volatile_text;
    if (match.sameness == Sameness::none)
      tally.add_difference(line, other_line);
    else if (lines.end() != other_lines.end() && !may_end_otherwise)
      tally.add_different_ends(lines.end(), other_lines.end());
    else
      tally.add(match, *line, *other_line);
  }
  LineComparison& result = tally.result();
  result.has_other_bytes = one != other;
  result.overwritten = std::max(lines.overwritten(), other_lines.overwritten());
  // A volatile last line with and without its end is not the same output.
  const bool have_both_text = !one.empty() && !other.empty();
  if (result.different == 0 && have_both_text && ending_of_text(one) != ending_of_text(other))
    tally.add_different_ends(ending_of_text(one), ending_of_text(other));
  return result;
}

} // namespace detshim
