// What a program prints, by a pipe into a file: a file as its standard output could be emptied, or
// written over, by whoever opens /dev/stdout. The pipe is made with a name, which is removed at
// once: /proc still tells by it for which file any process holds the pipe.
#pragma once

#include "support/descriptor.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>

namespace detshim {

/// True if `link`, read from /proc/PID/fd/N, is the pipe of a file below `folder`.
bool is_kept_below(const std::string& link, const std::filesystem::path& folder);

class KeptStream {
public:
  /// Makes the pipe and the file, which must not be there yet. Throws std::system_error.
  explicit KeptStream(const std::filesystem::path& file);
  ~KeptStream();
  KeptStream& operator=(KeptStream&&) = delete; // neither copied nor moved

  /// In the child.
  bool become(int descriptor) const;

  /// After the fork: from now on what is printed goes into the file.
  void begin();

  /// Once all writers have ended, or are given up: what they had written until now is in the file
  /// then. Returns 0, or the error for which it is not.
  int end();

private:
  bool make_pipe(const std::filesystem::path& file);
  void keep_what_comes();
  std::size_t move_some();

  OwnedDescriptor file_, from_, to_, stop_; ///< the ends of the pipe, and what ends the thread
  int error_ = 0;
  std::thread thread_;
};

} // namespace detshim
