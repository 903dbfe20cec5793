// One run of a log, read once: of each program of each process what its settings, files and threads
// are, and of each thread how many records it has and a digest of them. What is kept grows with
// processes and threads, not with records.
#pragma once

#include "log_diff/digest.h"
#include "log_diff/facts.h"
#include "log_reader/log.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace detshim {

/// Which run of which log folder is meant.
struct RunPlace {
  std::string folder;
  std::optional<std::string> run; ///< nothing: the newest in the folder
};

/// `name` is a log folder or, where a folder holds several runs, FOLDER/RUN.
RunPlace find_run(const std::string& name);

/// What tells a process from the others of its run, in each run alike.
struct ProcessName {
  std::string job; ///< the job; empty for the first of a run
  std::int64_t rank = 0;
  std::string path;

  auto operator<=>(const ProcessName&) const = default;
};

/// The records of one thread, digested by chunks: where all are the same in both runs, none is read
/// again, and equal ones at the beginning are passed over.
struct ThreadRecords {
  std::string name;
  std::uint64_t records = 0;
  bool counts_are_exact = true;

  static constexpr std::uint64_t records_of_a_chunk = 65536; ///< the last one has fewer
  std::vector<Digest> chunks;
};

/// One program of a process: what follows an exec is another.
struct Program {
  ProcessName name;
  std::size_t file = 0;             ///< in LoggedRun::files
  std::uint64_t number = 0;         ///< Line::process
  std::uint64_t begin = 0, end = 0; ///< its lines are between these offsets of the file
  std::string script_folder;        ///< script_folder(): of Python's
  std::shared_ptr<const Facts> settings, libraries;
  std::vector<ThreadRecords> threads;
  bool has_end = false, was_replaced = false; ///< replaced: by the program that it executed
};

struct LoggedRun {
  std::string folder, name;
  std::set<std::string> other_runs;
  std::vector<std::string> files;
  std::vector<Program> programs;                       ///< by name
  std::map<std::string, std::set<std::string>> builds; ///< by file: what ran
  std::vector<RankMark> marks;
  std::uint64_t records = 0;
  std::vector<std::string>
      unknown; ///< what the log does not say: the first few, in words that are safe to print
  std::uint64_t further_unknown = 0; ///< and so many more
  std::uint64_t unread_digests = 0;  ///< of which the contents are not known
};

/// "process 0.2 of rank 3", safe to print.
std::string describe(const ProcessName& process);

/// Throws UsageError for a log that cannot be compared: nothing there, torn, damaged, of a later
/// format.
LoggedRun read_run(const RunPlace& place);

} // namespace detshim
