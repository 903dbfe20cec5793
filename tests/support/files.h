// Files of the tests.
#pragma once

#include <filesystem>
#include <string>

/// The bytes of a file; empty if it cannot be read.
std::string contents(const std::filesystem::path& file);

/// A folder of its own for each object, removed with everything in it in the destructor.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Where under_shim() puts the log: not made beforehand.
  std::filesystem::path log() const { return path_ / "log"; }

private:
  std::filesystem::path path_;
};
