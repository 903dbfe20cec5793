// What a process's log says beside its calls, by subject.
#pragma once

#include "log_diff/digest.h"
#include "log_reader/record.h"

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

enum class FactKind : std::uint8_t {
  other,
  identity,      ///< what the program is and was given: more follows from it
  command_line,  ///< so is this
  program_path,  ///< of one and the same build it says little
  readers,       ///< who asked for a variable
  file,          ///< a build id
  unknown_files, ///< represents the files of a process that did not say which it had loaded
  calls,         ///< a number of calls
  lost_log,      ///< of a process that left none
  killed,        ///< one that ends others, as a pool its workers, may come too late: they end by
                 ///< themselves
};

/// What a fact is of: the text is for people alone, "mode" or "file libm.so.6".
struct FactSubject {
  std::string text;
  FactKind kind = FactKind::other;
  auto operator<=>(const FactSubject&) const = default;
};

inline FactSubject file_subject(const std::string& name) {
  return {"file " + name, FactKind::file};
}
inline const FactSubject program_subject{"program", FactKind::identity};
inline const FactSubject command_line_subject{"command line", FactKind::command_line};

/// An empty value is one that the log does not say.
using Facts = std::map<FactSubject, std::string>;

/// Of a start record. The environment is that of an executed program; a forked child has its
/// parent's.
Facts settings_of(const Start& start, bool with_environment);

void add_environment(Facts& settings, const std::vector<EnvironmentChange>& changes,
                     const std::vector<NotedVariable>& noted,
                     const std::vector<SettingReader>& readers);

/// Which libraries a process had, and what was said of them, of its end and of processes without a
/// log.
class LibraryFacts {
public:
  void add(const Modules& modules);
  /// What the process turned into.
  void add(const Exec& exec);
  /// Of the other kinds; `line` is the record's, for one of a kind that is not known.
  void add(const Record& record, std::string_view line);
  void add_files_of(const LibraryFacts& other);
  void add_total(const char* action, std::uint64_t calls);
  /// The log does not say which files were loaded.
  void add_unknown_files();

  bool has_files() const { return !files_.empty(); }
  Facts take();

private:
  std::map<std::string, std::multiset<std::string>>
      files_; ///< build ids, by the name without a folder
  std::map<FactSubject, std::set<std::string>> others_;
  std::uint64_t killed_ = 0, unknown_records_ = 0, unknown_key_ = 0;
};

} // namespace detshim
