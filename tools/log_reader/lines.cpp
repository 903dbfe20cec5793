#include "log_reader/lines.h"

#include "log_reader/open_file.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <unistd.h>

namespace detshim {

void LineSplitter::feed(std::string_view bytes, const std::function<void(std::string_view)>& take) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    length_ += part.size();
    const bool is_whole =
        open_line_.empty() && end != std::string_view::npos; // most are: they need no copy
    if (!is_whole)
      open_line_ += part.substr(0, longest_line - std::min(open_line_.size(), longest_line));
    if (end == std::string_view::npos)
      return;
    take(is_whole ? part.substr(0, longest_line) : std::string_view(open_line_));
    open_line_.clear();
    line_start_ += length_ + 1;
    length_ = 0;
    bytes.remove_prefix(end + 1);
  }
}

std::string line_at(const std::string& path, std::uint64_t offset) {
  std::string line(LineSplitter::longest_line, '\0');
  const OpenFile file(path);
  const ssize_t length =
      ::pread(file.descriptor(), line.data(), line.size(), static_cast<off_t>(offset));
  line.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return line.substr(0, line.find('\n'));
}

bool read_lines(int descriptor, LineSplitter& splitter,
                const std::function<void(std::string_view)>& take,
                const std::function<bool()>& more) {
  std::array<char, 65536> buffer;
  while (more()) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count == 0)
      return true;
    if (count > 0)
      splitter.feed({buffer.data(), static_cast<std::size_t>(count)}, take);
    else if (errno != EINTR)
      return false;
  }
  return false;
}

} // namespace detshim
