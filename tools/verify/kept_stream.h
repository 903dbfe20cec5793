// What a program prints, by a pipe into a file: a file as its standard output could be emptied, or written
// over, by whoever opens /dev/stdout.
#pragma once

#include <cstddef>
#include <filesystem>
#include <thread>

namespace detshim {

class KeptStream {
public:
  /// Makes the pipe and the file, which must not be there yet. Throws std::system_error.
  explicit KeptStream(const std::filesystem::path& file);
  ~KeptStream();
  KeptStream(const KeptStream&) = delete;
  KeptStream& operator=(const KeptStream&) = delete;

  /// In the child.
  bool become(int descriptor) const;

  /// After the fork: from now on what is printed goes into the file.
  void begin();

  /// Once all writers have ended, or are given up: what they had written until now is in the file then.
  /// Returns 0, or the error for which it is not.
  int end();

private:
  void keep_what_comes();
  std::size_t move_some();

  int pipe_[2] = {-1, -1}, stop_ = -1, file_ = -1;
  int error_ = 0;
  std::thread thread_;
};

} // namespace detshim
