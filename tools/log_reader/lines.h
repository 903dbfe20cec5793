// Cuts a stream of bytes into lines, however it arrives.
#pragma once

#include "log_reader/open_file.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

class LineSplitter {
public:
  /// Four times what the format allows. Of a longer line the rest is dropped, so no file fills the memory.
  static constexpr std::size_t longest_line = 16384;

  /// Calls `take` for each line that `bytes` completes, without its newline. An open line is held back.
  void feed(std::string_view bytes, const std::function<void(std::string_view)>& take);

  /// The stream so far ends within a line.
  bool has_open_line() const { return !open_line_.empty(); }

  /// Where in the stream the line begins that is being taken, or else the next one.
  std::uint64_t line_start() const { return line_start_; }

  /// Bytes that were fed.
  std::uint64_t length() const { return line_start_ + length_; }

private:
  std::string open_line_;
  std::uint64_t line_start_ = 0, length_ = 0; ///< length_: of the line so far, what was dropped included
};

/// Reads lines of a file by their offsets, of which most follow each other.
class LinesByOffset {
public:
  explicit LinesByOffset(const std::string& path) : file_(path), bytes_(1 << 18) {}

  /// Empty where the file is gone.
  std::string_view line(std::uint64_t offset);

private:
  OpenFile file_;
  std::vector<char> bytes_;
  std::uint64_t start_ = 0;
  std::size_t length_ = 0;
};

/// Feeds `splitter` all that is left to read in `descriptor`, then returns. False after a read error, and
/// when `more` says to stop.
bool read_lines(
    int descriptor, LineSplitter& splitter, const std::function<void(std::string_view)>& take,
    const std::function<bool()>& more = [] { return true; });

} // namespace detshim
