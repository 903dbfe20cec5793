// detshim patch: what a log says goes to tools/patch, since Python reads Python best.
#include "log_reader/call_owner.h"
#include "log_reader/source_lines.h"
#include "patch/modules.h"
#include "report/json.h"
#include "report/verdict_texts.h"
#include "support/files.h"
#include "support/lists.h"
#include "support/python_program.h"
#include "support/wording.h"
#include "verbs/verbs.h"
#include "verdict/verdict.h"

#include <spdlog/spdlog.h>

#include <iostream>
#include <string_view>
#include <utility>

#include <sys/mman.h>

namespace detshim {
namespace {

std::string_view owner_name(FileOwner owner) {
  switch (owner) {
  case FileOwner::user:
    return "user";
  case FileOwner::package:
    return "package";
  case FileOwner::library:
    return "library";
  }
  return {};
}

/// The lines that led to a place, innermost first, as tools/patch/logged_calls.py reads them.
class Frames {
public:
  void add(const std::string& file, int line, const std::string& function) {
    if (!file.empty())
      frames_.push_back({{"file", file},
                         {"line", line},
                         {"function", function},
                         {"owner", owner_name(owner_of_file(file))}});
  }

  void add(const SourceLine& line) { add(line.file, line.line, line.function); }

  Json take() { return std::move(frames_); }

private:
  Json frames_ = Json::array();
};

Json frames_of_python(const PythonFrames& python) {
  Frames frames;
  for (const std::string& frame : python.frames)
    if (const auto parts = parts_of_frame(frame))
      frames.add(parts->file, parts->line, parts->function);
  return frames.take();
}

Json frames_to(const std::string& at, const std::vector<std::string>& callers,
               SourceLines& source_lines) {
  Frames frames;
  std::vector<std::string> places = {at};
  places.insert(places.end(), callers.begin(), callers.end());
  for (const std::string& place : places) {
    const auto source = source_lines.find(place);
    if (!source)
      continue;
    frames.add(*source);
    for (const SourceLine& outer : source->inlined_into)
      frames.add(outer);
  }
  return frames.take();
}

/// Collects the calls of a log that a change of the user's files may mend.
class CallsToMend {
public:
  CallsToMend(const Log& log, SourceLines& source_lines) : source_lines_(source_lines) {
    each_record(log, [this](const Process&, const Call& call, const CallCount&) {
      note_seed(call);
    });
  }

  void add(const std::string& function, const Json& why, std::uint64_t count, const auto& place) {
    calls_.push_back(
        {{"function", function},
         {"why", why},
         {"count", count},
         {"seeds", seeds_[key_of(place)]},
         {"frames", place.python.empty() ? frames_to(place.at, place.frames, source_lines_)
                                         : frames_of_python(place.python)}});
  }

  void add_clocks(const Process& process) {
    for (const UserPlace& place : process.user_places)
      if (place.kind == RecordType::clock)
        add("clock", Json::array(), 0, place);
  }

  void add_symbol(const SymbolSummary& symbol) {
    const bool can_differ =
        symbol.action == Action::pin || symbol.action == Action::nondeterministic;
    if (!can_differ && !contains(symbol.reasons, reason_code(Reason::own_value)) &&
        !contains(symbol.reasons, reason_code(Reason::unexplained_seed)))
      return;
    for (const CallPlace& place : symbol.places)
      add(symbol.function, symbol.reasons, place.count.calls, place);
  }

  Json take() { return std::move(calls_); }

private:
  static std::string key_of(const auto& place) {
    return place.at + joined(place.frames, " ") + joined(place.python.frames, " ");
  }

  void note_seed(const Call& call) {
    const auto* const passed = find_field(call.fields, "requested");
    const bool is_fixed =
        call.reason == Reason::own_value || call.reason == Reason::repeatable_value;
    if (passed != nullptr && !is_fixed)
      seeds_[key_of(call)][*passed] = true;
  }

  SourceLines& source_lines_;
  Json calls_ = Json::array();
  Json seeds_; ///< by place: those that were passed and may differ
};

/// The first Python script among the words of a run that is the user's; empty where no word names
/// one.
std::string script_of(const Log& log) {
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) {
      const auto word = std::ranges::find_if(start.args, [](const std::string& argument) {
        return argument.ends_with(".py");
      });
      if (word == start.args.end())
        continue;
      const std::string script = (fs::path(start.working_directory) / *word).lexically_normal();
      return owner_of_file(script) == FileOwner::user ? script : std::string();
    }
  return {};
}

/// What torch.use_deterministic_algorithms() is to get in the script; empty where the run needed
/// none.
std::string torch_settings(const Log& log, const Summary& summary) {
  const bool has_gpu = contains(summary.libraries, "cublas", &Library::name) ||
                       contains(summary.libraries, "cudnn", &Library::name);
  const bool is_forced = std::ranges::any_of(log.processes, [](const Process& process) {
    return std::ranges::any_of(process.frameworks, [](const Framework& framework) {
      return framework.name == "torch" && framework.is_deterministic;
    });
  });
  if (!has_gpu || !is_forced)
    return {};
  const bool lacks_operator = std::ranges::any_of(summary.symbols, [](const SymbolSummary& symbol) {
    return symbol.library == "torch" &&
           contains(symbol.reasons, reason_code(Reason::no_deterministic_algorithm));
  });
  return lacks_operator ? "True, warn_only=True" : "True";
}

/// What no change of a seed or of a sequence takes away.
constexpr Finding stays[] = {
    Finding::nondeterministic_call,
    Finding::nondeterministic_operator,
    Finding::uncovered_call,
    Finding::own_code,
    Finding::foreign,
    Finding::runtime,
    Finding::kernel_compiler,
    Finding::own_kernels,
    Finding::racing_kernel,
    Finding::open_kernels,
    Finding::unknown_kernels,
    Finding::racing_threads,
    Finding::racing_manager,
    Finding::racing_trainers,
    Finding::sharing_threads,
    Finding::racing_queue,
    Finding::racing_workers,
    Finding::tasks_in_turn,
    Finding::threads_started,
    Finding::processes_started,
    Finding::input_read,
};

Json left_by(const Verdict& verdict) {
  Json left = Json::array();
  for (const VerdictReason& reason : verdict.reasons) {
    if (!contains(stays, reason.finding))
      continue;
    const std::string remedy = reason_remedy(reason);
    left.push_back(reason_text(reason) + (remedy.empty() ? "" : "; " + remedy));
  }
  return left;
}

/// The document that tools/patch reads.
Json said_by(const JudgedLog& judged, std::uint32_t seed) {
  const Log& log = judged.log;
  SourceLines source_lines(judged.code.changed);
  CallsToMend calls(log, source_lines);
  for (const Process& process : log.processes)
    calls.add_clocks(process);
  for (const SymbolSummary& symbol : judged.summary.symbols)
    calls.add_symbol(symbol);
  return {{"calls", calls.take()}, {"left", left_by(judged.verdict)},
          {"begun", log.begun()},  {"script", script_of(log)},
          {"seed", seed},          {"torch", torch_settings(log, judged.summary)}};
}

/// What tools/patch answers: what it cannot mend, a line each, and a diff.
struct Proposal {
  std::vector<std::string> not_mended;
  std::string diff;
};

Proposal propose(const Json& said) {
  const OwnedDescriptor file(::memfd_create("log", MFD_CLOEXEC));
  write_all(file.number(), said.dump(-1, ' ', true, Json::error_handler_t::replace));
  const std::string place =
      "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.number());
  const Reply reply = ask_python(patch_modules, {place}, {.time = std::chrono::minutes(1)}, true);
  const std::string answer = reply.text.value_or("");
  const std::size_t end = answer.find('\0');
  if (!reply.problem.empty() || end == answer.npos)
    throw UsageError(reply.problem +
                     ", and nothing else reads the files: " + joined(split(answer, '\n'), " "));
  return {split(answer.substr(0, end), '\n'), answer.substr(end + 1)};
}

} // namespace

int patch(const PatchOptions& options) {
  const std::string place_of_log = options.log.value_or(default_log_folder);
  if (options.log)
    require_readable(place_of_log);
  Log log = read_log(place_of_log);
  if (log.processes.empty())
    throw UsageError("no log in " + in_quotes(place_of_log) +
                     "; `detshim run -- program` makes one");
  const Json said = said_by(JudgedLog(std::move(log), Decode::own_code, {}), options.seed);
  const Proposal proposal = propose(said);
  for (const std::string& line : proposal.not_mended)
    spdlog::warn("not mended: {}", printable(line));
  std::cout << proposal.diff;
  if (proposal.diff.empty())
    spdlog::warn("there is nothing that it can change");
  return proposal.diff.empty() ? found_different : done;
}

} // namespace detshim
