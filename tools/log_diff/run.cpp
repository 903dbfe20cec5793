// Decides whether a log can be compared at all. A damaged or torn line, a gap in a thread's
// numbers, a record without its count or a count without its record: each refuses the whole log. A
// process without an end is compared, and noted as unknown.
//
// Where no run was named, the one with the latest name counts. It cannot know of a process that
// left no file in the folder.
#include "log_diff/run.h"

#include "log_reader/counts.h"
#include "log_reader/executions.h"
#include "log_reader/lines.h"
#include "log_reader/open_file.h"
#include "log_reader/python_files.h"
#include "support/exit_status.h"
#include "support/progress.h"
#include "support/wording.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace detshim {
namespace {

/// Equal facts of many processes are kept once.
class SharedFacts {
public:
  std::shared_ptr<const Facts> share(Facts facts) {
    std::shared_ptr<const Facts>& known = known_[facts];
    if (!known)
      known = std::make_shared<const Facts>(std::move(facts));
    return known;
  }

private:
  std::map<Facts, std::shared_ptr<const Facts>> known_;
};

/// A program while its file is read.
struct OpenProgram {
  Program program;
  Facts settings;
  LibraryFacts libraries;
  Executions executions;
  std::size_t last_thread = 0;
};

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError("cannot compare: " + in_quotes(file) + " " + why);
}

/// A record, and how often its call was made.
void add_record(Digest& digest, const Call& call, const CallCount& count) {
  for (const std::string* const text : {&call.library, &call.function, &call.why, &call.at})
    digest.add(*text);
  for (const Field& field : call.fields) {
    digest.add(field.name);
    digest.add(field.value);
  }
  for (const std::vector<std::string>* const frames : {&call.frames, &call.python.frames})
    for (const std::string& frame : *frames)
      digest.add(frame);
  digest.add(call.python.user.value_or(~std::uint64_t{0}));
  digest.add(count.calls << 4 | static_cast<std::uint64_t>(call.action));
}

class FileReader {
public:
  FileReader(LoggedRun& run, const std::optional<std::string>& wanted, std::size_t file,
             SharedFacts& shared, RecordParser& parser)
      : run_(run), wanted_(wanted), file_(file), path_(run.folder + "/" + run.files[file]),
        shared_(shared), parser_(parser), input_(path_),
        counts_(counts_file(run.folder, run.files[file])) {}

  void read() {
    if (!input_)
      refuse(path_, "cannot be read");
    const auto take = [this](std::string_view line) {
      take_line(line);
    };
    const auto more = [this] {
      return splitter_.length() < input_.size();
    };
    if (!read_lines(input_.descriptor(), splitter_, take, more) && more())
      refuse(path_, "cannot be read");
    if (splitter_.has_open_line() && main_)
      refuse(path_, "is torn: its last line has no end");
    finish();
  }

private:
  void take_line(std::string_view line) {
    if (line.empty())
      return;
    std::optional<Line> read = parser_.parse(line);
    if (!read) {
      if (is_left_out_)
        return;
      refuse(path_, "has a damaged line at byte " + std::to_string(splitter_.line_start()));
    }
    if (Start* start = std::get_if<Start>(&read->record))
      return take_start(*start, read->process);
    OpenProgram* const open = program(read->process);
    if (open == nullptr)
      return;
    extend(*open, line.size());
    take_record(*open, read->record, line);
  }

  /// Of the wanted run, or of the newest so far; nullptr for a line of another run.
  OpenProgram* program(std::uint64_t number) {
    if (is_left_out_)
      return nullptr;
    if (number == 0 && main_)
      return &programs_[*main_];
    const auto known = further_.find(number);
    if (known == further_.end())
      refuse(path_, "has a record of a process whose start is missing");
    return &programs_[known->second];
  }

  void extend(OpenProgram& open, std::size_t length) const {
    open.program.end = splitter_.line_start() + length;
  }

  void take_start(Start& start, std::uint64_t number) {
    if (start.format != log_format)
      refuse(path_, OtherFormatFile{path_, start.format}.text());
    if (number == 0) {
      is_left_out_ = !choose(start.run);
      if (is_left_out_)
        return;
      if (main_)
        programs_[*main_].program.was_replaced = true;
      if (!main_)
        further_.clear();
      start_ = start;
      main_ = programs_.size();
    } else {
      if (is_left_out_)
        return;
      if (!main_)
        refuse(path_, "has a record of a process whose start is missing");
      further_[number] = programs_.size();
    }
    OpenProgram& open = programs_.emplace_back();
    Program& program = open.program;
    const std::string& path = number == 0 ? start_.path : start.path;
    program.name = {start_.job, start_.rank, path};
    program.file = file_;
    program.number = number;
    program.begin = splitter_.line_start();
    program.end = program.begin;
    program.script_folder = script_folder(start_);
    open.settings = settings_of(start_, number == 0);
  }

  /// True if that run is read. A newer one takes the place of what was read so far.
  bool choose(const std::string& name) {
    if (wanted_ ? name == *wanted_ : name == run_.name) {
      run_.name = name;
      return true;
    }
    if (wanted_ || name < run_.name) {
      run_.other_runs.insert(name);
      return false;
    }
    if (!run_.name.empty())
      run_.other_runs.insert(run_.name);
    run_.name = name;
    run_.programs.clear();
    run_.builds.clear();
    run_.unknown.clear();
    run_.further_unknown = run_.unread_digests = 0;
    run_.records = 0;
    programs_.clear();
    main_.reset();
    return true;
  }

  void take_call(OpenProgram& open, Call& call) {
    if (call.is_digest && find_field(call.fields, "unread") != nullptr)
      ++run_.unread_digests;
    const CallCount count = take_count(call);
    open.executions.take_record_of(call.thread);
    ThreadRecords& records = thread_of(open, call.thread);
    if (call.number != records.records + 1)
      refuse(path_, "lacks records before byte " + std::to_string(splitter_.line_start()) +
                        ": the numbers of a thread have a gap");
    if (records.records % ThreadRecords::records_of_a_chunk == 0)
      records.chunks.emplace_back();
    ++records.records;
    ++run_records_;
    add_record(records.chunks.back(), call, count);
    records.counts_are_exact &= count.is_exact;
  }

  /// How often the call was made, and what became of it.
  CallCount take_count(Call& call) {
    if (call.is_digest || !call.counter)
      return {1, call.is_digest};
    const std::optional<CountEntry> entry = counts_.take(*call.counter, call.action);
    if (!entry)
      refuse(counts_file(run_.folder, run_.files[file_]), counts_.can_be_read()
                                                              ? "lacks counts that records name"
                                                              : "is missing or cannot be read");
    call.action = entry->action;
    return count_of(entry);
  }

  static ThreadRecords& thread_of(OpenProgram& open, std::string_view name) {
    std::vector<ThreadRecords>& threads = open.program.threads;
    if (open.last_thread < threads.size() && threads[open.last_thread].name == name)
      return threads[open.last_thread];
    const auto thread = std::ranges::find(threads, name, &ThreadRecords::name);
    open.last_thread = static_cast<std::size_t>(thread - threads.begin());
    if (thread != threads.end())
      return *thread;
    threads.emplace_back().name = name;
    return threads.back();
  }

  void take_record(OpenProgram& open, Record& record, std::string_view line) {
    const RecordVisitor take = {
        [&](Call& call) {
          take_call(open, call);
        },
        [&](const Build& build) {
          run_.builds[build.file].insert(build.id);
        },
        [&](const Modules& modules) {
          take_modules(open, modules);
        },
        [&](const MoreEnvironment& more) {
          add_environment(open.settings, more.changes, more.noted, more.readers);
        },
        [&](const Exec& exec) {
          take_exec(open, exec);
        },
        [&](const End& end) {
          take_end(open, end);
        },
        [&](const auto&) {
          open.libraries.add(record, line);
        },
    };
    std::visit(take, record);
  }

  void take_modules(OpenProgram& open, const Modules& modules) {
    for (std::size_t i = 0; i < std::min(modules.files.size(), modules.builds.size()); ++i)
      if (!modules.builds[i].empty())
        run_.builds[modules.files[i]].insert(modules.builds[i]);
    open.libraries.add(modules);
    if (modules.set.empty())
      return;
    // Of several records of one process under one name; another's of that name says the same.
    auto& [said_by, files] = module_sets_[modules.set];
    if (said_by != open.program.number)
      files = {};
    said_by = open.program.number;
    files.add(modules);
  }

  void add_files_of(OpenProgram& open, const std::string& set) {
    if (const auto known = module_sets_.find(set); known != module_sets_.end())
      open.libraries.add_files_of(known->second.second);
  }

  void take_exec(OpenProgram& open, const Exec& exec) {
    open.executions.take(exec);
    add_files_of(open, exec.module_set);
  }

  void take_end(OpenProgram& open, const End& end) {
    open.program.has_end = true;
    add_files_of(open, end.module_set);
    for (int i = 1; i < action_count; ++i)
      if (end.counts[static_cast<std::size_t>(i)] > 0)
        open.libraries.add_total(action_names[i], end.counts[static_cast<std::size_t>(i)]);
  }

  void finish() {
    if (programs_.empty())
      return;
    const ActionCounts rest = counts_.rest();
    if (std::ranges::any_of(rest, [](std::uint64_t calls) {
          return calls > 0;
        }))
      refuse(path_, "lacks records of calls that were counted");
    run_.records += run_records_;
    for (OpenProgram& open : programs_) {
      Program& program = open.program;
      if (const Exec* const exec = open.executions.last()) {
        program.was_replaced = true;
        open.libraries.add(*exec);
      }
      if (!program.has_end && !program.was_replaced)
        add_unknown(program, " has no end: it was killed, or is still running");
      if (!open.libraries.has_files())
        open.libraries.add_unknown_files();
      program.settings = shared_.share(std::move(open.settings));
      program.libraries = shared_.share(open.libraries.take());
      program.threads.shrink_to_fit();
      run_.programs.push_back(std::move(program));
    }
  }

  void add_unknown(const Program& program, const char* what) {
    constexpr std::size_t most = 4;
    if (run_.unknown.size() >= most) {
      ++run_.further_unknown;
      return;
    }
    run_.unknown.push_back(describe(program.name) + what);
  }

  LoggedRun& run_;
  const std::optional<std::string>& wanted_;
  std::size_t file_;
  std::string path_;
  SharedFacts& shared_;
  RecordParser& parser_;
  OpenFile input_;
  Counts counts_;
  LineSplitter splitter_;
  Start start_; ///< of the process that the file is named after
  std::vector<OpenProgram> programs_;
  std::optional<std::size_t> main_;
  std::map<std::uint64_t, std::size_t> further_; ///< by their numbers
  std::map<std::string, std::pair<std::uint64_t, LibraryFacts>> module_sets_;
  std::uint64_t run_records_ = 0;
  bool is_left_out_ = false;
};

void check_is_there(const LoggedRun& run, const RunPlace& place) {
  const std::string folder = in_quotes(place.folder);
  if (run.files.empty())
    throw UsageError("no log in " + folder);
  if (!run.programs.empty())
    return;
  if (place.run && !run.other_runs.empty())
    throw UsageError("no run " + in_quotes(*place.run) + " in " + folder +
                     "; the newest there is " + printable(*run.other_runs.rbegin()));
  throw UsageError("cannot compare: no process in " + folder + " says how it started");
}

} // namespace

RunPlace find_run(const std::string& name) {
  std::error_code error;
  if (std::filesystem::is_directory(name, error))
    return {name, std::nullopt};
  const std::filesystem::path path(name);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (!path.has_filename() || record_files(folder).empty())
    return {name, std::nullopt};
  return {folder, path.filename()};
}

std::string describe(const ProcessName& process) {
  std::string text = "process " + printable(process.path);
  if (process.rank != 0)
    text += " of rank " + std::to_string(process.rank);
  if (!process.job.empty())
    text += " of job " + printable(process.job);
  return text;
}

LoggedRun read_run(const RunPlace& place) {
  const Progress progress("reading the log in " + printable(place.folder));
  LoggedRun run;
  run.folder = place.folder;
  run.files = record_files(place.folder);
  SharedFacts shared;
  RecordParser parser;
  for (std::size_t i = 0; i < run.files.size(); ++i)
    FileReader(run, place.run, i, shared, parser).read();
  check_is_there(run, place);
  std::ranges::stable_sort(run.programs, {}, &Program::name);
  run.marks = rank_marks(run.folder, run.name);
  return run;
}

} // namespace detshim
