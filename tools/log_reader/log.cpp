#include "log_reader/log.h"

#include "log_reader/counts.h"
#include "log_reader/lines.h"
#include "log_reader/open_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <set>
#include <system_error>

namespace detshim {
namespace {

// More than any program has distinct places to call from; a file that goes on for ever must not.
constexpr std::size_t most_lines = 1'000'000;

constexpr std::string_view records_suffix = ".jsonl";

/// What the file's name says of its process: <rank>-<path>-<pid>.
Process named_process(const std::string& file) {
  Process process;
  process.file = file;
  const std::string_view name = std::string_view(file).substr(0, file.size() - records_suffix.size());
  const std::size_t first = name.find('-');
  const std::size_t last = name.rfind('-');
  if (first == std::string_view::npos || first == last) return process;
  std::from_chars(name.data(), name.data() + first, process.rank);
  std::from_chars(name.data() + last + 1, name.data() + name.size(), process.pid);
  process.path = name.substr(first + 1, last - first - 1);
  return process;
}

/// The processes of one file: more than one only if a later run came to the same rank, path and pid.
class FileReader {
public:
  FileReader(Log& log, const std::filesystem::path& folder, const std::string& file)
      : log_(log), file_(file), records_(folder / file),
        counts_((folder / file).replace_extension(".counts")), processes_{named_process(file)} {}

  void read() {
    const OpenFile input(records_);
    LineSplitter splitter;
    const auto take = [this](std::string_view line) { take_line(line); };
    if (!input ||
        (!read_lines(input.descriptor(), splitter, take, [this] { return goes_on(); }) && goes_on())) {
      log_.unreadable_files.push_back(file_);
      return;
    }
    if (newer_format_ != 0) {
      log_.newer_files.push_back({file_, newer_format_});
      return;
    }
    if (lines_ >= most_lines)
      log_.overlong_files.push_back(file_);
    else
      processes_.back().has_torn_line = splitter.has_open_line();
    add_counts();
    std::move(processes_.begin(), processes_.end(), std::back_inserter(log_.processes));
  }

private:
  bool goes_on() const { return newer_format_ == 0 && lines_ < most_lines; }

  void take_line(std::string_view line) {
    if (line.empty() || !goes_on()) return;
    ++lines_;
    Process& process = processes_.back();
    std::optional<Record> record = parse_record(line);
    if (!record) ++process.damaged_lines;
    if (!record) return;
    if (Start* start = std::get_if<Start>(&*record))
      take_start(std::move(*start));
    else if (const MoreEnvironment* more = std::get_if<MoreEnvironment>(&*record))
      add_environment(process, *more);
    else if (Library* library = std::get_if<Library>(&*record))
      process.libraries.push_back(std::move(*library));
    else if (Call* call = std::get_if<Call>(&*record))
      process.calls.push_back(std::move(*call));
    else if (Coverage* coverage = std::get_if<Coverage>(&*record))
      process.coverage.push_back(std::move(*coverage));
    else if (const Modules* modules = std::get_if<Modules>(&*record))
      process.modules.insert(process.modules.end(), modules->files.begin(), modules->files.end());
    else if (const Rights* rights = std::get_if<Rights>(&*record))
      process.gave_up_rights = rights->function;
    else if (Lost* lost = std::get_if<Lost>(&*record))
      process.lost.push_back(std::move(*lost));
    else if (const End* end = std::get_if<End>(&*record))
      process.end = *end;
  }

  static void add_environment(Process& process, const MoreEnvironment& more) {
    if (process.starts.empty()) return;
    Start& start = process.starts.back();
    start.environment.insert(start.environment.end(), more.changes.begin(), more.changes.end());
    start.noted.insert(start.noted.end(), more.noted.begin(), more.noted.end());
  }

  void take_start(Start start) {
    if (start.format > known_log_format) {
      newer_format_ = start.format;
      return;
    }
    if (!processes_.back().starts.empty() && processes_.back().run != start.run)
      processes_.push_back(named_process(file_));
    Process& process = processes_.back();
    process.run = start.run;
    process.rank = start.rank;
    process.pid = start.pid;
    process.path = start.path;
    if (!process.starts.empty()) process.libraries_before_exec = process.libraries.size();
    process.end.reset();
    process.starts.push_back(std::move(start));
  }

  void add_counts() {
    std::optional<std::vector<CountEntry>> entries = read_counts(counts_);
    if (!entries) return;
    for (Process& process : processes_) {
      process.has_counts = true;
      for (Call& call : process.calls) {
        if (!call.counter || *call.counter >= entries->size()) continue;
        CountEntry& entry = (*entries)[static_cast<std::size_t>(*call.counter)];
        if (entry.action != call.action) continue;
        // An entry that still counts 0 is of a call that never returned: it was made all the same.
        call.count_is_exact = entry.calls > 0 && entry.is_exact;
        call.count = std::max<std::uint64_t>(entry.calls, 1);
        entry = {}; // it belongs to this record alone
      }
    }
    ActionCounts& unrecorded = processes_.back().unrecorded;
    for (const CountEntry& entry : *entries) {
      std::uint64_t& calls = unrecorded[static_cast<std::size_t>(entry.action)];
      if (entry.action != Action::none) calls = saturated_sum(calls, entry.calls);
    }
  }

  Log& log_;
  const std::string& file_;
  std::filesystem::path records_, counts_;
  std::vector<Process> processes_;
  std::size_t lines_ = 0;
  std::uint64_t newer_format_ = 0;
};

/// Keeps the processes of the wanted run, and those that cannot say which run they belong to.
void keep_one_run(Log& log, const std::optional<std::string>& wanted) {
  std::set<std::string, std::greater<>> runs;
  for (const Process& process : log.processes)
    if (!process.run.empty()) runs.insert(process.run);
  if (wanted)
    log.run = *wanted;
  else if (!runs.empty())
    log.run = *runs.begin();
  std::erase_if(log.processes,
                [&log](const Process& process) { return !process.run.empty() && process.run != log.run; });
  runs.erase(log.run);
  log.other_runs.assign(runs.begin(), runs.end());
  for (const Process& process : log.processes) {
    log.damaged_lines += process.damaged_lines;
    log.torn_lines += process.has_torn_line ? 1 : 0;
  }
}

bool comes_before(const Process& a, const Process& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  if (const int order = ::strverscmp(a.path.c_str(), b.path.c_str()); order != 0) return order < 0;
  return a.pid < b.pid;
}

} // namespace

bool is_first_process(std::int64_t rank, const std::string& path) {
  return rank == 0 && path.starts_with('0') && path.find('.') == std::string::npos;
}

std::vector<std::string> record_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.size() > records_suffix.size() && name.ends_with(records_suffix))
      files.push_back(std::move(name));
  }
  std::sort(files.begin(), files.end());
  return files;
}

Log read_log(const std::filesystem::path& folder, const std::optional<std::string>& run) {
  Log log;
  log.folder = folder.string();
  const std::vector<std::string> files = record_files(folder);
  log.files = files.size();
  for (const std::string& file : files) FileReader(log, folder, file).read();
  keep_one_run(log, run);
  std::stable_sort(log.processes.begin(), log.processes.end(), comes_before);
  return log;
}

} // namespace detshim
