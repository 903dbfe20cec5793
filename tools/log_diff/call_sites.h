// The call sites of records: one key for a site in both runs, and a text for people.
#pragma once

#include "log_diff/difference.h"
#include "log_diff/run.h"
#include "log_reader/record.h"
#include "log_reader/source_lines.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace detshim {

/// The call sites of one run as they are called in both: a file by its build wherever it lies, and,
/// where the other run had another build of it, without the offsets, which mean nothing there;
/// Python's frames by portable_frame().
class CallSiteKeys {
public:
  CallSiteKeys(const LoggedRun& mine, const LoggedRun& other);

  /// Of the function and place of a record of a program whose script lies in `script_folder`.
  std::uint64_t key_of(const Call& call, const std::string& script_folder);

private:
  struct FileKey {
    std::string name;
    bool has_offsets = false;
  };
  const FileKey& file_key(std::string_view path);
  void add_site(Digest& digest, std::string_view place);

  const LoggedRun& mine_;
  std::set<std::string> other_builds_, other_names_;
  std::map<std::string, FileKey, std::less<>> files_;
};

/// Call sites for people: lines of source, where the files on disk are those that ran.
class CallSiteTexts {
public:
  CallSiteTexts(const LoggedRun& a, const LoggedRun& b) : a_(a), b_(b) {}

  /// By the side whose files are still there.
  std::string describe(const RecordDifference& record);

private:
  bool is_what_ran(const LoggedRun& run, const Call& call);
  bool is_what_ran(const LoggedRun& run, const std::string& place);

  const LoggedRun& a_;
  const LoggedRun& b_;
  std::map<std::pair<const LoggedRun*, std::string>, bool> known_;
  SourceLines source_lines_;
};

} // namespace detshim
