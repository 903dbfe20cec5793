// What a process's log says beside its calls, as texts by subject.
#pragma once

#include "log_diff/digest.h"
#include "log_reader/record.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// By subject: "mode" -> "enforce", "file libm.so.6" -> its build id. An empty value is one that the log does
/// not say.
using Facts = std::map<std::string, std::string>;

/// The path of the program: of one and the same build it says little.
inline constexpr const char* program_path_fact = "path of the program";
/// What stands for the files of a process that did not say which it had loaded.
inline constexpr const char* unknown_files_fact = "the files that were loaded";
/// A process that ends others, as a pool does with its workers, may come too late: they end by themselves.
inline constexpr const char* killed_fact = "processes that it ended";
/// How the subjects begin that are numbers of calls.
inline constexpr std::string_view calls_fact = "calls in all";

/// Of a start record. The environment is that of an executed program; a forked child has its parent's.
Facts settings_of(const Start& start, bool with_environment);

void add_environment(Facts& settings, const std::vector<EnvironmentChange>& changes,
                     const std::vector<NotedVariable>& noted, const std::vector<SettingReader>& readers);

/// Which libraries a process had, and what was said of them, of its end and of processes without a log.
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
  std::map<std::string, std::multiset<std::string>> files_; ///< build ids, by the name without a folder
  std::map<std::string, std::set<std::string>> others_;
  std::uint64_t killed_ = 0, unknown_records_ = 0, unknown_key_ = 0;
};

} // namespace detshim
