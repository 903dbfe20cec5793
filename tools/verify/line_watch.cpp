#include "verify/line_watch.h"

#include "support/mapped_file.h"
#include "verify/lines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace detshim {
namespace {

constexpr const char* ends_of_lines = "\n\r"; // progress bars use the second

bool matches(const Pattern& pattern, std::string_view line) {
  bool is_match = false;
  pattern.each_match(line, [&](Span, Span) {
    is_match = true;
  });
  return is_match;
}

/// Behind the end of the first line that matches.
std::optional<std::size_t> end_of_match(const Pattern& pattern, std::string_view printed) {
  std::size_t begin = 0;
  for (std::size_t end; (end = printed.find_first_of(ends_of_lines, begin)) != printed.npos;) {
    if (matches(pattern, printed.substr(begin, end - begin)))
      return end + 1;
    begin = end + 1;
  }
  return std::nullopt;
}

} // namespace

bool LineWatch::has_seen_it(const Run& run) {
  return std::ranges::any_of(both_streams, [&](PrintedStream stream) {
    return look(run, stream);
  });
}

bool LineWatch::look(const Run& run, PrintedStream stream) {
  Watched& watched = watched_[stream];
  std::ifstream input(run.printed(stream), std::ios::binary);
  input.seekg(static_cast<std::streamoff>(watched.at));
  const std::string added{std::istreambuf_iterator<char>(input), {}};
  watched.at += added.size();
  watched.begun += added;
  const bool is_seen = end_of_match(pattern_, watched.begun).has_value();
  watched.begun.erase(0, watched.begun.find_last_of(ends_of_lines) + 1); // 0 where no line ended
  return is_seen;
}

std::optional<PrintedStream> end_printed_at(const Pattern& pattern, const Run& run) {
  for (const PrintedStream stream : both_streams) {
    std::optional<std::size_t> end;
    {
      const MappedFile printed(run.printed(stream));
      end = end_of_match(pattern, printed.bytes());
    }
    if (!end)
      continue;
    std::filesystem::resize_file(run.printed(stream), *end);
    return stream;
  }
  return std::nullopt;
}

} // namespace detshim
