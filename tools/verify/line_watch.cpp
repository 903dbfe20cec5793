#include "verify/line_watch.h"

#include "support/mapped_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace detshim {

bool LineWatch::has_seen_it(const Run& run) {
  return std::ranges::any_of(both_streams, [&](PrintedStream stream) {
    return look(run, stream);
  });
}

bool LineWatch::look(const Run& run, PrintedStream stream) {
  Watched& watched = watched_.try_emplace(stream, end_).first->second;
  std::ifstream input(run.printed(stream), std::ios::binary);
  input.seekg(static_cast<std::streamoff>(watched.at));
  const std::string added{std::istreambuf_iterator<char>(input), {}};
  watched.at += added.size();
  watched.begun += added;
  const std::size_t whole = watched.begun.find_last_of(ends_of_lines) + 1; // 0 where no line ended
  const bool is_seen = watched.search.find(watched.begun).has_value();
  watched.begun.erase(0, whole);
  return is_seen;
}

std::optional<PrintedStream> end_printed_at(const RunEnd& end, const Run& run) {
  for (const PrintedStream stream : both_streams) {
    std::optional<std::size_t> size;
    {
      const MappedFile printed(run.printed(stream));
      size = RunEndSearch(end).find(printed.bytes());
    }
    if (!size)
      continue;
    std::filesystem::resize_file(run.printed(stream), *size);
    return stream;
  }
  return std::nullopt;
}

} // namespace detshim
