#include "verify/line_watch.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace detshim {

LineWatch::LineWatch(const Pattern& pattern, std::vector<std::filesystem::path> files) : pattern_(pattern) {
  for (std::filesystem::path& file : files) watched_.push_back({std::move(file), 0, {}});
}

bool LineWatch::look(Watched& watched) {
  std::ifstream input(watched.file, std::ios::binary);
  input.seekg(static_cast<std::streamoff>(watched.at));
  const std::string added{std::istreambuf_iterator<char>(input), {}};
  watched.at += added.size();
  watched.begun += added;
  bool is_seen = false;
  for (std::size_t end; !is_seen && (end = watched.begun.find_first_of("\n\r")) != std::string::npos;) {
    const std::string line = watched.begun.substr(0, end);
    pattern_.each_match(line, [&](Span, Span) { is_seen = true; });
    watched.begun.erase(0, end + 1);
  }
  return is_seen;
}

bool LineWatch::has_seen_it() {
  return std::ranges::any_of(watched_, [this](Watched& watched) { return look(watched); });
}

} // namespace detshim
