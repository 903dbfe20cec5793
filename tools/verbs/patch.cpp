// detshim patch: what a log says goes to tools/patch/propose.py, since Python reads Python best.
#include "log_reader/source_lines.h"
#include "patch/script.h"
#include "report/json.h"
#include "report/verdict_texts.h"
#include "support/ask.h"
#include "support/files.h"
#include "support/lists.h"
#include "support/wording.h"
#include "verbs/verbs.h"
#include "verdict/verdict.h"

#include <spdlog/spdlog.h>

#include <iostream>
#include <utility>

#include <sys/mman.h>

namespace detshim {
namespace {

/// The lines that led to a place, innermost first: "/home/me/train.py:12 main".
std::vector<std::string> lines_to(const std::string& at, const std::vector<std::string>& frames,
                                  const PythonFrames& python, SourceLines& source_lines) {
  std::vector<std::string> lines = python.frames;
  const auto add = [&lines](const SourceLine& one) {
    if (!one.file.empty()) lines.push_back(one.file + ':' + std::to_string(one.line) + ' ' + one.function);
  };
  for (std::size_t i = 0; python.empty() && i <= frames.size(); ++i)
    if (const auto source = source_lines.find(i == 0 ? at : frames[i - 1])) {
      add(*source);
      std::ranges::for_each(source->inlined_into, add);
    }
  return lines;
}

Json said_by(const JudgedLog& judged, std::uint32_t seed) {
  const auto& [log, summary, code, verdict] = judged;
  SourceLines source_lines(code.changed);
  Json calls = Json::array(), left = Json::array(), seeds; // by place: those that were passed and may differ
  const auto key = [](const auto& place) {
    return place.at + joined(place.frames, " ") + joined(place.python.frames, " ");
  };
  each_record(log, [&](const Process&, const Call& call, const CallCount&) {
    const auto* const passed = find_field(call.fields, "requested");
    if (passed != nullptr && !is_any_of(call.why, {"own_value", "repeatable_value"}))
      seeds[key(call)][*passed] = true;
  });
  const auto add_call = [&](const std::string& function, const Json& why, std::uint64_t count,
                            const auto& place) {
    calls.push_back({{"function", function},
                     {"why", why},
                     {"count", count},
                     {"seeds", seeds[key(place)]},
                     {"frames", lines_to(place.at, place.frames, place.python, source_lines)}});
  };
  std::uint64_t begun = 0;
  std::string script;
  bool is_forced = false, has_none = false; // torch's operators; one of them has no deterministic form
  for (const Process& process : log.processes) {
    for (const Start& start : process.starts) {
      begun = begun == 0 ? start.begun : begun;
      const auto word =
          std::ranges::find_if(start.args, [](const auto& one) { return one.ends_with(".py"); });
      if (script.empty() && word != start.args.end()) script = fs::path(start.working_directory) / *word;
    }
    for (const Framework& one : process.frameworks) is_forced |= one.name == "torch" && one.is_deterministic;
    for (const UserPlace& place : process.user_places)
      if (place.kind == "clock") add_call("clock", Json::array(), 0, place);
  }
  for (const SymbolSummary& symbol : summary.symbols)
    for (const CallPlace& place : symbol.places)
      if (symbol.action == Action::pin || symbol.action == Action::nondeterministic ||
          contains(symbol.reasons, "own_value") || contains(symbol.reasons, "unexplained_seed"))
        add_call(symbol.function, symbol.reasons, place.count.calls, place);
  for (const SymbolSummary& symbol : summary.symbols)
    has_none |= symbol.library == "torch" && contains(symbol.reasons, "no_deterministic_algorithm");
  for (const VerdictReason& reason : verdict.reasons)
    if (is_any_of(reason.kind(), {"nondeterministic", "uncovered", "code", "foreign", "runtime", "kernels",
                                  "pool", "threads", "processes", "input"}))
      left.push_back(reason_text(reason) +
                     (reason_remedy(reason).empty() ? "" : "; " + reason_remedy(reason)));
  const bool has_gpu = contains(summary.libraries, "cublas", &Library::name) ||
                       contains(summary.libraries, "cudnn", &Library::name);
  return {
      {"calls", calls}, {"left", left},
      {"begun", begun}, {"script", fs::path(script).lexically_normal()},
      {"seed", seed},   {"torch", !has_gpu || !is_forced ? "" : has_none ? "True, warn_only=True" : "True"}};
}

} // namespace

int patch(const PatchOptions& options) {
  const std::string place_of_log = options.log.value_or(default_log_folder);
  if (options.log) require_readable(place_of_log);
  Log log = read_log(place_of_log);
  if (log.processes.empty())
    throw UsageError("no log in " + in_quotes(place_of_log) + "; `detshim run -- program` makes one");
  const Json said = said_by(JudgedLog(std::move(log), Decode::own_code, {}), options.seed);
  const OwnedDescriptor file(::memfd_create("log", MFD_CLOEXEC));
  write_all(file.number(), said.dump(-1, ' ', true, Json::error_handler_t::replace));
  const std::string place = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.number());
  const Reply reply = ask({"python3", "-I", "-W", "ignore", "-c", patch_script, place, patch_names},
                          {.time = std::chrono::minutes(1)}, nullptr, true);
  const std::string answer = reply.text.value_or("");
  const std::size_t end = answer.find('\0');
  if (!reply.problem.empty() || end == answer.npos)
    throw UsageError(reply.problem +
                     ", and nothing else reads the files: " + joined(split(answer, '\n'), " "));
  for (const std::string& line : split(answer.substr(0, end), '\n'))
    spdlog::warn("not mended: {}", printable(line));
  std::cout << answer.substr(end + 1);
  if (end + 1 == answer.size()) spdlog::warn("there is nothing that it can change");
  return end + 1 < answer.size() ? done : found_different;
}

} // namespace detshim
