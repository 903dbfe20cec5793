// Files of the tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The bytes of a file; empty if it cannot be read.
std::string contents(const std::filesystem::path& file);

/// A program of a file that holds several.
struct Section {
  std::string name, text;
};

/// Each program begins below a line "## name" and ends before the next such line, without the empty
/// lines there. What stands above the first is the beginning of each. Throws where there are none.
std::vector<Section> sections(const std::filesystem::path& file);
/// The text of the one with that name. Throws where there is none.
std::string section(const std::filesystem::path& file, const std::string& name);

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
