// A log folder, read in a stream: one Process for each process of the chosen run, and their calls
// folded.
#pragma once

#include "log_reader/calls.h"
#include "log_reader/record.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace detshim {

/// Texts that many processes have alike: held once.
class SharedTexts {
public:
  SharedTexts() = default;
  explicit SharedTexts(std::shared_ptr<const std::vector<std::string>> texts)
      : texts_(std::move(texts)) {}

  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  bool empty() const { return all().empty(); }

private:
  const std::vector<std::string>& all() const {
    static const std::vector<std::string> none;
    return texts_ ? *texts_ : none;
  }
  std::shared_ptr<const std::vector<std::string>> texts_;
};

/// What one process wrote, over all the programs that it became by exec.
struct Process {
  std::string
      file; ///< name of the .jsonl file that it writes in, of its own or of a process's of its kin
  std::string run; ///< empty if no start record could be read
  std::int64_t rank = 0, pid = 0;
  std::string path;
  std::vector<Start> starts; ///< the first program, then one for each exec
  std::vector<Library> libraries;
  std::size_t libraries_before_exec =
      0;                    ///< so many were answered to programs that executed another unseen
  std::uint64_t calls = 0;  ///< records of calls: they themselves are in Log::calls
  std::size_t threads = 1;  ///< that made them, and the main thread
  std::vector<Bound> bound; ///< functions of CUDA's libraries that it uses and that have no hook
  std::vector<Framework> frameworks;  ///< their answers
  std::vector<Runtime> runtimes;      ///< that seed themselves where no hook sees it
  std::vector<UserPlace> user_places; ///< in the user's machine code
  std::vector<Coverage> coverage;     ///< of the CUDA libraries that were loaded at the end
  SharedTexts modules;                ///< files that were loaded at the end; empty if it was killed
  std::vector<Lost> lost;             ///< processes that it, or one behind it, says have no log
  std::set<std::int64_t> killed;      ///< processes that it ended
  std::string gave_up_rights;         ///< the call by which it did; empty: none
  std::optional<Exec> executed;       ///< the program that it turned into after its last record
  std::optional<End> end;  ///< nothing: killed, still running, or it left without its exit handlers
  bool has_counts = false; ///< its counts file could be read
  ActionCounts unrecorded{};         ///< calls that were counted, but whose record is lost
  std::uint64_t missing_records = 0; ///< gaps in the numbers of its threads' records
  std::size_t damaged_lines = 0;
  bool has_torn_line = false; ///< its last line was cut

  /// False for one that a damaged file names alone.
  bool holds_a_record() const { return !starts.empty() || calls > 0 || !libraries.empty() || end; }

  /// False if what came of it is not known: it was killed, or is still running.
  bool came_to_its_end() const { return end || (executed && executed->is_followed); }

  /// The job that it belongs to, where the run has several; empty for the first.
  std::string job() const { return starts.empty() ? std::string() : starts.back().job; }
};

/// A file of a format that this reader does not know.
struct OtherFormatFile {
  std::string file;
  std::uint64_t format = 0;

  std::string text() const {
    return "is of format " + std::to_string(format) + ", this detshim reads format " +
           std::to_string(log_format);
  }
};

struct Log {
  std::string folder;
  std::string run; ///< the run that was chosen, the newest unless asked otherwise
  std::vector<std::string> other_runs; ///< runs in the same folder that were left out, newest first
  std::int64_t missing_root =
      0; ///< the process that `detshim run` began, if it left no log; 0 if it did
  std::vector<Process> processes; ///< by rank, then process path
  FoldedCalls calls;              ///< of those processes
  std::vector<RankMark> marks;    ///< the run's ranks and launchers, as they said at their start
  std::map<std::string, std::set<std::string>> builds; ///< of the files that it names: what ran
  /// Of variables, the hashes of their values in all programs; "" among them: a secret, not
  /// compared.
  std::map<std::string, std::set<std::string>> variables;
  std::int64_t written = 0;       ///< when something was last written to its files (last_written())
  std::vector<std::string> files; ///< names of the record files in the folder
  std::size_t damaged_lines = 0;  ///< lines in the middle of a file that could not be read
  std::size_t torn_lines = 0;     ///< last lines without a newline
  std::vector<OtherFormatFile> other_format_files; ///< refused
  std::vector<std::string> unreadable_files;

  /// Some of what was written could not be read: what is missing is not known.
  bool is_incomplete() const {
    return damaged_lines > 0 || !other_format_files.empty() || !unreadable_files.empty();
  }

  /// When the first process began, in microseconds since 1970; 0 where none says.
  std::uint64_t begun() const;
};

/// True for a process without an end of its own that one before it in the tree of processes has
/// ended, as a pool ends its workers.
bool was_ended_by_parent(const Log& log, const Process& process);

/// True for the process that a run began with, and the programs and wrapped programs that carried
/// on its name ("0", "0e", "0w"): the root of the tree of processes of rank 0.
bool is_first_process(std::int64_t rank, const std::string& path);

/// Reads all processes of one run: `run`, or the newest. A folder that does not exist is an empty
/// log.
Log read_log(const std::string& folder, const std::optional<std::string>& run = std::nullopt);

/// Reads the files again, and calls visit(process, call, count) for each call of the log: file by
/// file, as they were written.
void each_record(const Log& log,
                 const std::function<void(const Process&, const Call&, const CallCount&)>& visit);

/// The names of the record files in `folder`, sorted.
std::vector<std::string> record_files(const std::string& folder);

/// The path of the counts file beside a record file of that name.
std::string counts_file(const std::string& folder, const std::string& records);

/// What the ranks and launchers of a run have said at their start, in a file of each node.
std::vector<RankMark> rank_marks(const std::string& folder, const std::string& run);

} // namespace detshim
