// The places of one run's records, as they are called in both: a file by its build wherever it lies, and,
// where the other run had another build of it, without the offsets, which mean nothing there; Python's frames
// by portable_frame().
#pragma once

#include "log_diff/run.h"
#include "log_reader/record.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace detshim {

class PlaceKeys {
public:
  PlaceKeys(const LoggedRun& mine, const LoggedRun& other);

  /// Of the function and place of a record of a program whose script lies in `script_folder`.
  std::uint64_t key_of(const Call& call, const std::string& script_folder);

private:
  struct FileKey {
    std::string name;
    bool has_offsets = false;
  };
  const FileKey& file_key(std::string_view path);
  void add_place(Digest& digest, std::string_view place);

  const LoggedRun& mine_;
  std::set<std::string> other_builds_, other_names_;
  std::map<std::string, FileKey, std::less<>> files_;
};

} // namespace detshim
