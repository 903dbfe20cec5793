// A log folder, read whole: one Process for each process of the chosen run.
#pragma once

#include "log_reader/record.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

/// What one process wrote, over all the programs that it became by exec.
struct Process {
  std::string file; ///< name of its .jsonl file
  std::string run;  ///< empty if no start record could be read
  std::int64_t rank = 0, pid = 0;
  std::string path;
  std::vector<Start> starts; ///< the first program, then one for each exec
  std::vector<Library> libraries;
  std::size_t libraries_before_exec = 0; ///< so many of them were answered to programs that executed another
  std::vector<Call> calls;
  std::vector<Coverage> coverage;   ///< of the CUDA libraries that were loaded at the end
  std::vector<std::string> modules; ///< files that were loaded at the end; empty if it was killed
  std::vector<Lost> lost;           ///< processes that it, or one behind it, says have no log
  std::string gave_up_rights;       ///< the call by which it did; empty: none
  std::optional<End> end;           ///< nothing: killed, still running, or it left without its exit handlers
  bool has_counts = false;          ///< its counts file could be read
  ActionCounts unrecorded{};        ///< calls that were counted, but whose record is lost
  std::size_t damaged_lines = 0;
  bool has_torn_line = false; ///< its last line was cut
};

/// A file of a format that this reader does not know.
struct NewerFile {
  std::string file;
  std::uint64_t format = 0;
};

struct Log {
  std::string folder;
  std::string run;                     ///< the run that was chosen, the newest unless asked otherwise
  std::vector<std::string> other_runs; ///< runs in the same folder that were left out, newest first
  std::vector<Process> processes;      ///< by rank, then process path
  std::size_t files = 0;               ///< record files in the folder
  std::size_t damaged_lines = 0;       ///< lines in the middle of a file that could not be read
  std::size_t torn_lines = 0;          ///< last lines without a newline
  std::vector<NewerFile> newer_files;  ///< refused
  std::vector<std::string> unreadable_files;
  std::vector<std::string> overlong_files; ///< read up to a limit only

  /// Some of what was written could not be read: what is missing is not known.
  bool is_incomplete() const {
    return damaged_lines > 0 || !newer_files.empty() || !unreadable_files.empty() || !overlong_files.empty();
  }
};

/// True for the process that a run began with, and the programs and wrapped programs that carried on its name
/// ("0", "0e", "0w"): the root of the tree of processes of rank 0.
bool is_first_process(std::int64_t rank, const std::string& path);

/// Reads all processes of one run: `run`, or the newest. A folder that does not exist is an empty log.
Log read_log(const std::filesystem::path& folder, const std::optional<std::string>& run = std::nullopt);

/// The names of the record files in `folder`, sorted.
std::vector<std::string> record_files(const std::filesystem::path& folder);

} // namespace detshim
