// Cuts a stream of bytes into lines, however it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace detshim {

class LineSplitter {
public:
  /// Four times what the format allows. Of a longer line the rest is dropped, so no file fills the
  /// memory.
  static constexpr std::size_t longest_line = 16384;

  /// Calls `take` for each line that `bytes` completes, without its newline. An open line is held
  /// back.
  void feed(std::string_view bytes, const std::function<void(std::string_view)>& take);

  /// The stream so far ends within a line.
  bool has_open_line() const { return !open_line_.empty(); }

  /// Where in the stream the line begins that is being taken, or else the next one.
  std::uint64_t line_start() const { return line_start_; }

  /// Bytes that were fed.
  std::uint64_t length() const { return line_start_ + length_; }

private:
  std::string open_line_;
  std::uint64_t line_start_ = 0,
                length_ = 0; ///< length_: of the line so far, what was dropped included
};

/// The line of a file that begins at that offset; empty where the file is gone.
std::string line_at(const std::string& path, std::uint64_t offset);

/// Feeds `splitter` all that is left to read in `descriptor`, then returns. False after a read
/// error, and when `more` says to stop.
bool read_lines(
    int descriptor, LineSplitter& splitter, const std::function<void(std::string_view)>& take,
    const std::function<bool()>& more = [] {
      return true;
    });

} // namespace detshim
