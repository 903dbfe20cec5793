// detshim log --follow: prints records while they are written.
#include "log_reader/executions.h"
#include "log_reader/lines.h"
#include "log_reader/log.h"
#include "log_reader/open_file.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "report/style.h"
#include "support/reason_texts.h"
#include "support/wording.h"
#include "verbs/verbs.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include <time.h>

namespace detshim {
namespace {

volatile std::sig_atomic_t is_interrupted = 0;
void interrupt(int) { is_interrupted = 1; }

/// One process's records, as far as they were read.
struct Tail {
  explicit Tail(const std::filesystem::path& path) : file(path) {}

  OpenFile file;
  LineSplitter lines;
  Start start;             ///< the last one read of the process that the file is named after
  bool is_refused = false; ///< of a format that is not read
  bool has_ended = false;
  bool was_here = false; ///< a process of its id was on this machine
  Executions executions;
  bool is_shown = true; ///< false: of an older run, or of a format that we do not know
  std::map<std::uint64_t, std::string> further_paths; ///< of the processes in the file that have not ended
};

/// True if every first process was seen to end: a launcher, and the worker that it started as rank 0, are
/// both of that name; so are a wrapper and the program that it started.
template <typename Processes, typename IsFirst, typename HasEnded>
bool first_process_has_ended(const Processes& processes, IsFirst is_first, HasEnded has_ended) {
  bool was_seen = false;
  for (const auto& process : processes) {
    if (!is_first(process)) continue;
    was_seen = true;
    if (!has_ended(process)) return false;
  }
  return was_seen;
}

bool is_here(std::int64_t pid) {
  return pid > 0 && pid <= INT_MAX && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

class Follower {
public:
  explicit Follower(const LogOptions& options)
      : folder_(options.folder.value_or(default_log_folder)), waits_for_next_run_(!options.folder),
        logger_(spdlog::stdout_color_mt("log")) {
    logger_->set_pattern(options.times ? "%H:%M:%S.%e %^%v%$" : "%^%v%$");
    logger_->flush_on(spdlog::level::info);
    auto* const sink = dynamic_cast<spdlog::sinks::stdout_color_sink_mt*>(logger_->sinks().front().get());
    if (sink != nullptr && !wants_colour()) sink->set_color_mode(spdlog::color_mode::never);
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);
  }

  int follow() {
    skip_ended_run();
    do {
      attach();
      const bool has_news = read_news();
      if (!has_news && run_has_ended()) return done;
      constexpr timespec moment = {0, 100'000'000};
      ::nanosleep(&moment, nullptr); // a signal ends it
    } while (is_interrupted == 0);
    return done;
  }

private:
  /// The link `latest` may still name the last run, when the next one is about to start.
  void skip_ended_run() {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(folder_, error);
    if (error || !waits_for_next_run_) return;
    const Log log = read_log(target);
    const auto is_first = [](const Process& process) { return is_first_process(process.rank, process.path); };
    const auto has_ended = [](const Process& process) { return process.end.has_value(); };
    if (!first_process_has_ended(log.processes, is_first, has_ended)) return;
    attached_ = ignored_ = target;
    info("the run in " + printable(folder_.string()) + " has ended; waiting for the next one");
  }

  /// Turns to the folder that the name stands for now.
  void attach() {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(folder_, error);
    if (error || target == attached_) return;
    tails_.clear();
    attached_ = target;
    newest_run_ = read_log(target).run;
  }

  /// Prints all complete lines that are new; true if there were any.
  bool read_news() {
    if (attached_.empty() || attached_ == ignored_) return false;
    bool has_news = false;
    for (const std::string& name : record_files(attached_)) {
      Tail& tail = tails_.try_emplace(name, attached_ / name).first->second;
      if (!tail.file) continue;
      read_lines(tail.file.descriptor(), tail.lines, [&](std::string_view line) {
        has_news = true;
        take_line(tail, name, line);
      });
    }
    return has_news;
  }

  void take_line(Tail& tail, const std::string& file, std::string_view line) {
    if (line.empty() || tail.is_refused) return;
    const std::optional<Line> read = parser_.parse(line);
    if (!read) {
      warn(printable(file) + ": a damaged line left out");
      return;
    }
    const Start* const start = std::get_if<Start>(&read->record);
    const bool is_end = std::get_if<End>(&read->record) != nullptr;
    if (read->process != 0) {
      std::string& path = tail.further_paths[read->process];
      if (start != nullptr && start->format != log_format) take_start(tail, file, *start);
      if (start != nullptr) path = start->path;
      if (tail.is_shown) print(tail, path, read->record);
      if (is_end) tail.further_paths.erase(read->process);
      return;
    }
    if (start != nullptr) take_start(tail, file, *start);
    if (is_end) tail.has_ended = true;
    if (const Exec* const exec = std::get_if<Exec>(&read->record)) tail.executions.take(*exec);
    if (const Call* const call = std::get_if<Call>(&read->record))
      tail.executions.take_record_of(call->thread);
    tail.was_here = tail.was_here || is_here(tail.start.pid);
    if (tail.is_shown) print(tail, tail.start.path, read->record);
  }

  void take_start(Tail& tail, const std::string& file, const Start& start) {
    tail.start = start;
    tail.is_refused = start.format != log_format;
    tail.has_ended = false;
    tail.executions = {};
    tail.is_shown = !tail.is_refused && start.run >= newest_run_;
    if (tail.is_refused)
      warn(printable(file) + " left out: it " + OtherFormatFile{file, start.format}.text());
  }

  void print(const Tail& tail, const std::string& path, const Record& record) {
    const std::string who = "[" + std::to_string(tail.start.rank) + "/" + printable(path) + "]";
    if (std::get_if<Start>(&record) != nullptr) { // a further process is the same program
      const Start& start = tail.start;
      info(who + " start " + describe_command(start) + ", seed " + printable(start.seed.value_or("none")) +
           ", mode " + printable(start.mode) + ", policy " + printable(start.policy));
    } else if (const Library* library = std::get_if<Library>(&record)) {
      info(who + " library " + printable(library->name) + " " +
           printable(library->version.value_or("(version unknown)")) + " " + printable(library->file));
    } else if (const Call* call = std::get_if<Call>(&record)) {
      if (!call->is_digest) print_call(who, *call);
    } else if (const Exec* exec = std::get_if<Exec>(&record)) {
      info(who + (exec->has_failed ? " has not executed it" : " executes " + printable(exec->program)));
    } else if (std::get_if<End>(&record) != nullptr) {
      info(who + " end");
    }
  }

  void print_call(const std::string& who, const Call& call) {
    const std::string values = describe_fields(call.fields);
    const std::string text = who + " " + padded(action_names[static_cast<std::size_t>(call.action)], 9) +
                             " " + printable(call.library) + " " + printable(call.function) +
                             (values.empty() ? "" : ": " + values) + " at " +
                             describe_call_site(call.at, call.frames, call.python, source_lines_) +
                             (call.why.empty() ? "" : " - " + printable(reason_text(call.why)));
    if (is_bad(call.action))
      warn(text);
    else
      info(text);
  }

  bool run_has_ended() const {
    const auto is_first = [](const auto& entry) {
      const Tail& tail = entry.second;
      return tail.is_shown && is_first_process(tail.start.rank, tail.start.path);
    };
    return first_process_has_ended(tails_, is_first, [](const auto& entry) {
      const Tail& tail = entry.second;
      // What it executed may have nothing to record: then the process says when it is over.
      return tail.has_ended ||
             (tail.executions.last() != nullptr && tail.was_here && !is_here(tail.start.pid));
    });
  }

  // Whole lines, so that no format string is compiled here.
  void info(const std::string& line) { logger_->log(spdlog::level::info, spdlog::string_view_t(line)); }
  void warn(const std::string& line) { logger_->log(spdlog::level::warn, spdlog::string_view_t(line)); }

  std::filesystem::path folder_, attached_, ignored_;
  bool waits_for_next_run_;
  std::shared_ptr<spdlog::logger> logger_;
  std::string newest_run_;
  std::map<std::string, Tail> tails_;
  SourceLines source_lines_;
  RecordParser parser_;
};

} // namespace

int follow(const LogOptions& options) { return Follower(options).follow(); }

} // namespace detshim
