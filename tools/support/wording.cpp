#include "support/wording.h"

#include "common/text.h"
#include "support/hash.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <sstream>

#include <sys/utsname.h>
#include <unistd.h>

namespace detshim {

std::string counted(std::uint64_t number, const std::string& singular, const std::string& plural) {
  return std::to_string(number) + " " + (number == 1 ? singular : plural);
}

std::string counted(std::uint64_t number, const std::string& singular) {
  return counted(number, singular, singular + "s");
}

std::string enumerated(const std::vector<std::string>& parts) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i)
    result += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return result;
}

std::vector<std::string> split(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, between);)
    parts.push_back(std::move(part));
  return parts;
}

std::size_t distance_between(const std::string& word, const std::string& other) {
  using Row = std::vector<std::size_t>; // by how many letters of `other` it reaches
  Row before_last(other.size() + 1);
  Row last(other.size() + 1);
  Row current(other.size() + 1);
  std::iota(current.begin(), current.end(), 0U);
  for (std::size_t i = 1; i <= word.size(); ++i) {
    before_last.swap(last);
    last.swap(current);
    current[0] = i;
    for (std::size_t k = 1; k <= other.size(); ++k) {
      const std::size_t exchange = word[i - 1] == other[k - 1] ? 0 : 1;
      current[k] = std::min({last[k] + 1, current[k - 1] + 1, last[k - 1] + exchange});
      if (i > 1 && k > 1 && word[i - 1] == other[k - 2] && word[i - 2] == other[k - 1])
        current[k] = std::min(current[k], before_last[k - 2] + 1);
    }
  }
  return current.back();
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t least = word.size() / 3 + 1; // a third of the letters at most
  for (const std::string& other : known) {
    const std::size_t distance = distance_between(word, other);
    const bool is_one_letter = best == nullptr && distance == 1; // of a short word
    if (distance < least || (is_one_letter && distance == least)) {
      best = &other;
      least = distance;
    }
  }
  return best != nullptr ? "; did you mean " + *best + '?' : "";
}

namespace {
constexpr std::size_t few = 3;
}

bool are_cut(const std::vector<std::string>& names) { return names.size() > few; }

std::string some_of(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), few); ++i)
    result += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= few ? result
                             : result + " and " + std::to_string(names.size() - few) + " more";
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
    return (c & 0xC0) != 0x80;
  }));
}

std::string broken(const std::string& text, std::size_t columns, const std::string& indent) {
  std::string lines;
  std::size_t at = 0;
  for (std::size_t from = 0, to; from < text.size(); from = to + 1) {
    to = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, to - from);
    const bool is_first = from == 0;
    const bool begins_line = !is_first && columns != 0 && at + 1 + width(word) > columns;
    if (begins_line) {
      lines += '\n' + indent;
      at = 0;
    } else if (!is_first) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += width(word);
  }
  return lines;
}

std::string padded(const std::string& text, std::size_t to) {
  return text + std::string(to - std::min(to, width(text)), ' ');
}

std::string cut(const std::string& text, std::size_t to) {
  if (width(text) <= to)
    return text;
  constexpr std::size_t dots = 3;
  std::size_t columns = 0, end = 0;
  while (end < text.size() && ((text[end] & 0xC0) == 0x80 || ++columns + dots <= to))
    ++end;
  return text.substr(0, end) + "...";
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest =
      4; // of a byte that is shown as \x1b; a character of three has six
  std::string result(longest * text.size() + 2, '\0');
  TextWriter to(result.data(), result.size());
  to.add_printable(text.data(), text.size());
  result.resize(to.length());
  return result;
}

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

std::string with_base_names(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins_word =
        at == 0 || std::string_view(" (,'").find(text[at - 1]) != std::string_view::npos;
    const std::size_t end = std::min(text.find_first_of(" ,;:)'", at), text.size());
    if (text[at] == '/' && begins_word && end > at + 1) {
      result += base_name(text.substr(at, end - at));
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool starts_with_any_of(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) {
    return text.starts_with(beginning);
  });
}

std::string moment_text(std::time_t moment, const char* format) {
  char text[64] = {};
  std::tm parts = {};
  std::strftime(text, sizeof text, format, ::gmtime_r(&moment, &parts));
  return text;
}

std::string new_run_name(std::time_t began) {
  return moment_text(began, "%Y%m%dT%H%M%S-") + std::to_string(::getpid()) + "-" +
         hexadecimal(std::random_device()() & 0xffff, 4);
}

std::string host_name() {
  utsname names;
  return ::uname(&names) == 0 ? names.nodename : "";
}

std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

} // namespace detshim
