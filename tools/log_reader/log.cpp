// Decides which run, process and program each line belongs to, and what is missing. Lines that
// cannot be read, gaps in the numbers of a thread and counts without a record are counted. Where no
// run is asked for, the latest name counts. A process that names no run is kept with whichever run
// is read. A program that should have left a log, and has no start record after that, is missing.
//
// It cannot know what a process did that left no file, nor whether one without an end still runs.
#include "log_reader/log.h"

#include "log_reader/counts.h"
#include "log_reader/executions.h"
#include "log_reader/lines.h"
#include "log_reader/open_file.h"
#include "support/progress.h"
#include "support/wording.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace detshim {
namespace {

constexpr std::string_view records_suffix = ".jsonl";

/// What the file's name says of its process: <rank>-<path>-<pid>.
Process named_process(const std::string& file) {
  Process process;
  process.file = file;
  const std::string_view name =
      std::string_view(file).substr(0, file.size() - records_suffix.size());
  const std::size_t first = name.find('-');
  const std::size_t last = name.rfind('-');
  if (first == std::string_view::npos || first == last)
    return process;
  std::from_chars(name.data(), name.data() + first, process.rank);
  std::from_chars(name.data() + last + 1, name.data() + name.size(), process.pid);
  process.path = name.substr(first + 1, last - first - 1);
  return process;
}

/// A process while its file is read.
struct OpenProcess {
  Process process;
  FoldedCalls calls;
  std::vector<std::string> modules;
  std::shared_ptr<const std::vector<std::string>>
      shared_modules; ///< those of another process in the file
  std::map<std::string, std::set<std::string>> builds, variables;
  std::set<std::string> threads{"0"};
  std::map<std::string, std::uint64_t> last_numbers; ///< of the records of each thread
  ActionCounts recorded{};                           ///< calls that the records count
  Executions executions;
};

/// The rank of the program that a call has executed, where it is not the caller's.
std::optional<std::int64_t> rank_of(const Call& call) {
  const std::string* const text = find_field(call.fields, "rank");
  return text == nullptr || call.library != "libc" ? std::nullopt : number_in<std::int64_t>(*text);
}

/// Called for each call, with its process's number in the file.
using VisitNumbered = std::function<void(std::size_t, const Call&, const CallCount&)>;

/// The processes of one file: the one that it is named after, those of its kin that write in it as
/// well, and the same again if a later run got the same rank, path and pid.
class FileReader {
public:
  FileReader(const std::string& folder, const std::string& file, RecordParser& parser,
             VisitNumbered visit = {})
      : file_(file), parser_(parser), visit_(std::move(visit)), input_(folder + "/" + file),
        counts_(counts_file(folder, file)) {
    begin_process();
  }

  /// False if the file cannot be read.
  bool read() {
    if (!input_)
      return false;
    const auto take = [this](std::string_view line) {
      take_line(line);
    };
    const auto more = [this] {
      return goes_on();
    };
    if (!read_lines(input_.descriptor(), splitter_, take, more) && goes_on())
      return false;
    processes_[main_].process.has_torn_line = splitter_.has_open_line();
    for (OpenProcess& open : processes_) {
      open.process.has_counts = counts_.can_be_read();
      open.process.threads = open.threads.size();
    }
    processes_[main_].process.unrecorded = counts_.rest();
    for (OpenProcess& open : processes_) {
      hold_against_end(open);
      if (const Exec* const exec = open.executions.last())
        open.process.executed = *exec;
    }
    end_what_handed_its_name_on();
    return true;
  }

  std::optional<std::uint64_t> other_format() const { return other_format_; }
  std::vector<OpenProcess>& processes() { return processes_; }

private:
  /// What is written while the file is read is left for the next time: a log that grows for ever
  /// has an end.
  bool goes_on() const { return !other_format_ && splitter_.length() < input_.size(); }

  void begin_process() {
    main_ = processes_.size();
    processes_.emplace_back();
    processes_.back().process = named_process(file_);
    further_.clear();
    known_modules_.clear();
  }

  /// A wrapper that had a log before it handed its name to a child goes on in its file under
  /// another: 0, then 0w. Its end is the first's too.
  void end_what_handed_its_name_on() {
    for (std::size_t i = 0; i < processes_.size(); ++i)
      for (std::size_t later = i + 1; later < processes_.size(); ++later) {
        OpenProcess& before = processes_[i];
        const OpenProcess& behind = processes_[later];
        const bool is_one = before.process.pid == behind.process.pid &&
                            behind.process.path.starts_with(before.process.path + "w");
        if (before.process.end || !is_one)
          continue;
        before.process.end = behind.process.end;
        before.modules = behind.modules;
        before.shared_modules = behind.shared_modules;
      }
  }

  /// The process of that number in the file, of which nothing but its file's run is known until its
  /// start is read.
  OpenProcess& numbered_process(std::uint64_t number) {
    if (number == 0)
      return processes_[main_];
    const auto [known, is_new] = further_.try_emplace(number, processes_.size());
    if (is_new) {
      Process process;
      process.file = file_;
      process.run = processes_[main_].process.run;
      process.rank = processes_[main_].process.rank;
      processes_.emplace_back().process = std::move(process);
    }
    return processes_[known->second];
  }

  void take_line(std::string_view line) {
    if (line.empty() || other_format_)
      return;
    std::optional<Line> read = parser_.parse(line);
    if (!read)
      ++processes_[main_].process.damaged_lines;
    if (!read)
      return;
    if (Start* start = std::get_if<Start>(&read->record); start != nullptr && read->process == 0)
      return take_start(std::move(*start));
    OpenProcess& open = numbered_process(read->process);
    Process& process = open.process;
    const RecordVisitor take = {
        [&](Call& call) {
          take_call(open, std::move(call));
        },
        [&](Start& start) {
          take_further_start(process, start);
        },
        [&](MoreEnvironment& more) {
          add_environment(process, more);
        },
        [&](Library& library) {
          process.libraries.push_back(std::move(library));
        },
        [&](Build& build) {
          add_build(open, build.file, build.id);
        },
        [&](Bound& bound) {
          process.bound.push_back(std::move(bound));
        },
        [&](Framework& framework) {
          process.frameworks.push_back(std::move(framework));
        },
        [&](UserPlace& place) {
          process.user_places.push_back(std::move(place));
        },
        [&](VariableHashes& variables) {
          for (const auto& [name, hash] : variables.hashes)
            open.variables[name].insert(hash);
        },
        [&](Runtime& runtime) {
          process.runtimes.push_back(std::move(runtime));
        },
        [&](Coverage& coverage) {
          process.coverage.push_back(std::move(coverage));
        },
        [&](Modules& modules) {
          add_modules(open, read->process, modules);
        },
        [&](Rights& rights) {
          process.gave_up_rights = rights.function;
        },
        [&](Lost& lost) {
          process.lost.push_back(std::move(lost));
        },
        [&](Killed& killed) {
          process.killed.insert(killed.pid);
        },
        [&](Exec& exec) {
          take_exec(open, exec);
        },
        [&](End& end) {
          take_end(open, end);
        },
        [](RankMark&) {},
        [](OtherRecord&) {},
    };
    std::visit(take, read->record);
  }

  /// Without a counts file the sums at the end of the process are what tells whether records or
  /// counts are gone. Calls that were only seen may have come before the first record, and have
  /// none.
  void hold_against_end(OpenProcess& open) const {
    Process& process = open.process;
    if (!process.end || counts_.can_be_read())
      return;
    for (const Action action : {Action::pin, Action::replace, Action::refuse,
                                Action::nondeterministic, Action::uncovered}) {
      const auto i = static_cast<std::size_t>(action);
      const std::uint64_t recorded = open.recorded[i], counted = process.end->counts[i];
      if (counted <= recorded)
        continue;
      if (recorded == 0 || action == Action::nondeterministic || action == Action::uncovered)
        process.unrecorded[i] = saturated_sum(process.unrecorded[i], counted - recorded);
    }
  }

  static void take_number(OpenProcess& open, const Call& call) {
    open.executions.take_record_of(call.thread);
    std::uint64_t& last = open.last_numbers[call.thread];
    if (call.number > last + 1)
      open.process.missing_records =
          saturated_sum(open.process.missing_records, call.number - last - 1);
    last = call.number;
  }

  void take_call(OpenProcess& open, Call call) {
    Process& process = open.process;
    take_number(open, call);
    if (call.is_digest)
      return;
    ++process.calls;
    if (!open.threads.contains(call.thread))
      open.threads.insert(call.thread);
    const std::optional<CountEntry> entry =
        call.counter ? counts_.take(*call.counter, call.action) : std::nullopt;
    if (entry)
      call.action = entry->action;
    std::uint64_t& recorded = open.recorded[static_cast<std::size_t>(call.action)];
    recorded = saturated_sum(recorded, count_of(entry).calls);
    FoldedCalls& folded = processes_[main_].calls; // of the same run
    SymbolCalls& calls = folded.of(call);
    calls.add(call, count_of(entry));
    if (visit_)
      visit_(static_cast<std::size_t>(&open - processes_.data()), call, count_of(entry));
    if (call.action == Action::nondeterministic || call.action == Action::uncovered ||
        call.action == Action::refuse)
      calls.ranks.emplace(process.job(), rank_of(call).value_or(process.rank));
  }

  static void add_build(OpenProcess& open, const std::string& file, const std::string& id) {
    if (!file.empty() && !id.empty())
      open.builds[file].insert(id);
  }

  void add_modules(OpenProcess& open, std::uint64_t number, const Modules& modules) {
    if (!modules.set.empty()) {
      KnownModules& known = known_modules_[modules.set];
      if (!known.files || known.said_by != number)
        known = {number, std::make_shared<std::vector<std::string>>()};
      known.files->insert(known.files->end(), modules.files.begin(), modules.files.end());
    }
    open.modules.insert(open.modules.end(), modules.files.begin(), modules.files.end());
    for (std::size_t i = 0; i < std::min(modules.files.size(), modules.builds.size()); ++i)
      add_build(open, modules.files[i], modules.builds[i]);
  }

  void take_end(OpenProcess& open, const End& end) {
    open.process.end = end;
    take_modules_of(open, end.module_set);
  }

  void take_modules_of(OpenProcess& open, const std::string& set) {
    if (const auto known = known_modules_.find(set); known != known_modules_.end())
      open.shared_modules = known->second.files;
  }

  void take_exec(OpenProcess& open, const Exec& exec) {
    open.executions.take(exec);
    take_modules_of(open, exec.module_set);
  }

  /// It is a fork of what the file's start record describes.
  void take_further_start(Process& process, const Start& start) {
    if (start.format != log_format) {
      other_format_ = start.format;
      return;
    }
    process.pid = start.pid;
    process.path = start.path;
    if (processes_[main_].process.starts.empty())
      return;
    Start whole = processes_[main_].process.starts.back();
    whole.pid = start.pid;
    whole.path = start.path;
    whole.time = start.time;
    whole.environment.clear(); // it found what its parent had set
    process.starts.clear();
    process.starts.push_back(std::move(whole));
  }

  static void add_environment(Process& process, const MoreEnvironment& more) {
    if (process.starts.empty())
      return;
    Start& start = process.starts.back();
    start.environment.insert(start.environment.end(), more.changes.begin(), more.changes.end());
    start.noted.insert(start.noted.end(), more.noted.begin(), more.noted.end());
    start.readers.insert(start.readers.end(), more.readers.begin(), more.readers.end());
  }

  void take_start(Start start) {
    if (start.format != log_format) {
      other_format_ = start.format;
      return;
    }
    const Process& before = processes_[main_].process;
    if (!before.starts.empty() && before.run != start.run)
      begin_process();
    Process& process = processes_[main_].process;
    process.run = start.run;
    process.rank = start.rank;
    process.pid = start.pid;
    process.path = start.path;
    take_in_further(process);
    // A program that wrote an exec record was looked at before that.
    if (!process.starts.empty() && processes_[main_].executions.last() == nullptr)
      process.libraries_before_exec = process.libraries.size();
    process.end.reset();
    processes_[main_].executions = {};
    processes_[main_].last_numbers.clear();
    process.starts.push_back(std::move(start));
  }

  /// Those beside it whose records came before any start that could be read are of its run: their
  /// calls are among its own.
  void take_in_further(const Process& main) {
    for (const auto& [number, index] : further_) {
      Process& process = processes_[index].process;
      if (!process.run.empty())
        continue;
      process.run = main.run;
      process.rank = main.rank;
    }
  }

  struct KnownModules {
    std::uint64_t said_by = 0;
    std::shared_ptr<std::vector<std::string>> files;
  };

  const std::string& file_;
  RecordParser& parser_;
  VisitNumbered visit_;
  OpenFile input_;
  Counts counts_;
  LineSplitter splitter_;
  std::vector<OpenProcess> processes_;
  std::size_t main_ = 0; ///< the one that the file is named after, of the last run in it
  std::map<std::uint64_t, std::size_t> further_; ///< those beside it, by their numbers
  std::map<std::string, KnownModules> known_modules_;
  std::optional<std::uint64_t> other_format_;
};

/// Keeps what is of the wanted run, or of the newest so far, and of processes that cannot say which
/// run they belong to.
class RunKeeper {
public:
  RunKeeper(Log& log, const std::optional<std::string>& wanted) : log_(log), wanted_(wanted) {
    if (wanted)
      log.run = *wanted;
  }

  void add(OpenProcess&& open, std::int64_t written) {
    const std::string run = open.process.run;
    if (!run.empty()) {
      know(run);
      if (run != log_.run)
        return;
    }
    log_.written = std::max(log_.written, written);
    (run.empty() ? of_no_run_ : log_.calls).add(std::move(open.calls));
    for (auto& [file, ids] : open.builds)
      log_.builds[file].merge(ids);
    for (auto& [name, hashes] : open.variables)
      log_.variables[name].merge(hashes);
    open.process.modules = open.shared_modules ? SharedTexts(std::move(open.shared_modules))
                                               : share(std::move(open.modules));
    log_.processes.push_back(std::move(open.process));
  }

  /// There is that run, whether or not a process of it left a log.
  void know(const std::string& run) {
    runs_.insert(run);
    if (!wanted_ && run > log_.run)
      turn_to(run);
  }

  void finish() {
    log_.calls.add(std::move(of_no_run_));
    for (const Process& process : log_.processes) {
      log_.damaged_lines += process.damaged_lines;
      log_.torn_lines += process.has_torn_line ? 1 : 0;
    }
    runs_.erase(log_.run);
    log_.other_runs.assign(runs_.begin(), runs_.end());
  }

private:
  void turn_to(const std::string& run) {
    log_.run = run;
    log_.calls = {};
    std::erase_if(log_.processes, [](const Process& process) {
      return !process.run.empty();
    });
    log_.builds.clear();
    log_.variables.clear();
    log_.written = 0;
  }

  SharedTexts share(std::vector<std::string> texts) {
    std::shared_ptr<const std::vector<std::string>>& known = known_texts_[texts];
    if (!known)
      known = std::make_shared<const std::vector<std::string>>(std::move(texts));
    return SharedTexts(known);
  }

  Log& log_;
  const std::optional<std::string>& wanted_;
  FoldedCalls of_no_run_;
  std::set<std::string, std::greater<>> runs_;
  std::map<std::vector<std::string>, std::shared_ptr<const std::vector<std::string>>> known_texts_;
};

/// The names of the files in the folder that end so, sorted.
std::vector<std::string> files_ending(const std::string& folder, std::string_view suffix) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.size() > suffix.size() && name.ends_with(suffix))
      files.push_back(std::move(name));
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The first process of `detshim run`, and a program whose log is awaited, leave a log as they end.
/// The ranks of a job may have named their run by any of them.
void find_missing_logs(Log& log, bool is_begun) {
  std::map<std::int64_t, std::uint64_t> started; // the last program of each process
  for (const Process& process : log.processes) {
    std::uint64_t& last = started[process.pid];
    for (const Start& start : process.starts)
      last = std::max(last, start.time.value_or(~std::uint64_t{0}));
  }
  for (Process& process : log.processes)
    if (process.executed && process.executed->is_awaited)
      process.executed->is_followed = started[process.pid] > process.executed->time.value_or(0);
  const std::size_t number = log.run.find('-') + 1; // 20261121T003512-PID-XXXX
  std::int64_t root = 0;
  std::from_chars(log.run.data() + number, log.run.data() + log.run.size(), root);
  if (is_begun && !log.is_incomplete() && log.marks.empty() && !started.contains(root))
    log.missing_root = root;
}

bool comes_before(const Process& a, const Process& b) {
  if (a.rank != b.rank)
    return a.rank < b.rank;
  if (const int order = ::strverscmp(a.path.c_str(), b.path.c_str()); order != 0)
    return order < 0;
  return a.pid < b.pid;
}

} // namespace

std::uint64_t Log::begun() const {
  std::uint64_t earliest = 0;
  for (const Process& process : processes)
    for (const Start& start : process.starts)
      if (start.begun != 0 && (earliest == 0 || start.begun < earliest))
        earliest = start.begun;
  return earliest;
}

bool was_ended_by_parent(const Log& log, const Process& process) {
  return !process.came_to_its_end() &&
         std::ranges::any_of(log.processes, [&process](const Process& other) {
           return other.rank == process.rank && other.killed.contains(process.pid) &&
                  process.path.starts_with(other.path + ".");
         });
}

bool is_first_process(std::int64_t rank, const std::string& path) {
  return rank == 0 && path.starts_with('0') && path.find('.') == std::string::npos;
}

std::vector<std::string> record_files(const std::string& folder) {
  return files_ending(folder, records_suffix);
}

std::string counts_file(const std::string& folder, const std::string& records) {
  return folder + "/" + records.substr(0, records.size() - records_suffix.size()) + ".counts";
}

std::vector<RankMark> rank_marks(const std::string& folder, const std::string& run) {
  std::vector<RankMark> marks;
  RecordParser parser;
  for (const std::string& name : files_ending(folder, ".ranks")) {
    const OpenFile file(folder + "/" + name);
    LineSplitter splitter;
    if (!file)
      continue;
    read_lines(file.descriptor(), splitter, [&](std::string_view text) {
      std::optional<Line> line = parser.parse(text);
      RankMark* const mark = line ? std::get_if<RankMark>(&line->record) : nullptr;
      if (mark != nullptr && mark->run == run)
        marks.push_back(std::move(*mark));
    });
  }
  return marks;
}

Log read_log(const std::string& folder, const std::optional<std::string>& run) {
  const Progress progress("reading the log");
  Log log;
  log.folder = folder;
  log.files = record_files(folder);
  RunKeeper keeper(log, run);
  RecordParser parser;
  for (std::size_t i = 0; i < log.files.size(); ++i) {
    FileReader reader(folder, log.files[i], parser);
    if (!reader.read()) {
      log.unreadable_files.push_back(log.files[i]);
    } else if (reader.other_format()) {
      log.other_format_files.push_back({log.files[i], *reader.other_format()});
    } else {
      const std::int64_t written = last_written(folder + "/" + log.files[i]);
      for (OpenProcess& open : reader.processes())
        keeper.add(std::move(open), written);
    }
  }
  const std::vector<std::string> begun = files_ending(folder, ".files"); // by `detshim run`
  for (const std::string& list : begun)
    keeper.know(list.substr(0, list.rfind('.')));
  keeper.finish();
  log.marks = rank_marks(folder, log.run);
  find_missing_logs(log, std::ranges::binary_search(begun, log.run + ".files"));
  std::stable_sort(log.processes.begin(), log.processes.end(), comes_before);
  return log;
}

void each_record(const Log& log,
                 const std::function<void(const Process&, const Call&, const CallCount&)>& visit) {
  RecordParser parser;
  for (const std::string& file : log.files) {
    FileReader known(log.folder, file,
                     parser); // of which run a process is may be said behind its calls
    if (!known.read() || known.other_format())
      continue;
    const auto take = [&](std::size_t number, const Call& call, const CallCount& count) {
      const Process& process = known.processes()[number].process;
      if (process.run.empty() || process.run == log.run)
        visit(process, call, count);
    };
    FileReader(log.folder, file, parser, take).read();
  }
}

} // namespace detshim
