#include "report/json.h"
#include "report/log_report.h"
#include "report/verdict_texts.h"
#include "support/wording.h"

#include <set>
#include <utility>

namespace detshim {
namespace {

const char* name_of(Action action) { return action_names[static_cast<std::size_t>(action)]; }

Json program_of(const Start& start) {
  return {{"program", start.program},     {"args", start.args},    {"seed", start.seed},
          {"seed_from", start.seed_from}, {"mode", start.mode},    {"policy", start.policy},
          {"disabled", start.disabled},   {"layout", start.layout}};
}

/// Distinct ones.
Json programs_of(const Log& log) {
  Json programs = Json::array();
  std::set<Json> seen;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts)
      if (Json program = program_of(start); seen.insert(program).second)
        programs.push_back(std::move(program));
  return programs;
}

Json job_of(const LoggedJob& job) {
  return {{"job", job.name},
          {"launcher", job.launcher},
          {"size", job.size},
          {"ranks", job.ranks.size()},
          {"missing", job.missing()}};
}

/// Of fields of one name the last counts, at the place of the first.
Json fields_of(const std::vector<Field>& fields) {
  Json result = Json::object();
  for (const Field& field : fields)
    result[field.name] = field.value;
  return result;
}

Json example_of(const Example& example) {
  return {{"fields", fields_of(example.fields)},
          {"count", example.count.calls},
          {"exact", example.count.is_exact}};
}

Json line_of(const SourceLine& source) {
  return {{"file", source.file}, {"line", source.line}, {"function", source.function}};
}

Json source_of(const std::string& at, SourceLines& source_lines) {
  const std::optional<SourceLine> source = source_lines.find(at);
  if (!source)
    return nullptr;
  Json result = line_of(*source);
  result["inlined_into"] = json_list(source->inlined_into, line_of);
  return result;
}

Json place_of(const CallPlace& place, SourceLines& source_lines) {
  Json result = {{"at", place.at}, {"python", place.python.frames}};
  if (place.python.user)
    result["user"] = *place.python.user;
  result["source"] = source_of(place.at, source_lines);
  result["frames"] = json_list(place.frames, [&](const std::string& frame) -> Json {
    return {{"at", frame}, {"source", source_of(frame, source_lines)}};
  });
  result["user_line"] = nullptr;
  if (const std::optional<UserLine> user = source_lines.find_user(place.at, place.frames)) {
    result["user_line"] = line_of(user->line);
    result["user_line"]["at"] = user->place;
  }
  result["count"] = place.count.calls;
  result["exact"] = place.count.is_exact;
  return result;
}

Json symbol_of(const SymbolSummary& symbol, SourceLines& source_lines) {
  const auto place = [&](const CallPlace& call_place) {
    return place_of(call_place, source_lines);
  };
  return {{"action", name_of(symbol.action)},
          {"library", symbol.library},
          {"function", symbol.function},
          {"count", symbol.count.calls},
          {"exact", symbol.count.is_exact},
          {"examples", json_list(symbol.examples, example_of)},
          {"examples_left_out", symbol.examples_left_out},
          {"why", symbol.reasons},
          {"places", json_list(symbol.places, place)}};
}

Json records_of(const Log& log) {
  Json records = Json::array();
  each_record(log, [&records](const Process& process, const Call& call, const CallCount& count) {
    Json& record = records.emplace_back(Json{{"rank", process.rank},
                                             {"path", process.path},
                                             {"pid", process.pid},
                                             {"thread", call.thread},
                                             {"n", call.number},
                                             {"action", name_of(call.action)},
                                             {"library", call.library},
                                             {"function", call.function},
                                             {"fields", fields_of(call.fields)},
                                             {"why", call.why},
                                             {"at", call.at},
                                             {"frames", call.frames},
                                             {"python", call.python.frames}});
    if (call.python.user)
      record["user"] = *call.python.user;
    if (!call.rule.empty())
      record["rule"] = call.rule;
    record["count"] = count.calls;
    record["exact"] = count.is_exact;
  });
  return records;
}

Json unended(const Process* process) {
  return {{"rank", process->rank},
          {"path", process->path},
          {"pid", process->pid},
          {"program", process->starts.empty() ? std::string() : process->starts.back().program}};
}

Json uncovered_of(const LoadedCode& code) {
  Json places = Json::array();
  for (std::size_t i = 0; i < code.uncovered.size(); ++i)
    for (const FileScan& file = code.uncovered[i]; const FoundPlace& place : file.places)
      places.push_back({{"at", place_text(file, place)},
                        {"own", i < code.own}, // not a library of the system
                        {"function", unless_empty(place.function)},
                        {"kind", draw_name(place.kind)}});
  return places;
}

Json coverage_of(const Log& log) {
  Json all = Json::array();
  std::set<std::pair<std::string, std::vector<std::string>>> seen;
  for (const Process& process : log.processes)
    for (const Coverage& coverage : process.coverage)
      if (seen.insert({coverage.library, coverage.files}).second)
        all.push_back({{"library", coverage.library},
                       {"files", coverage.files},
                       {"hooks", coverage.hooks},
                       {"missing", coverage.missing}});
  return all;
}

Json evidence_of(const EvidenceUse& evidence) {
  constexpr const char* answers[] = {"none",    "holds",        "changed",
                                     "unknown", "new_findings", "differed"};
  return {{"answer", answers[static_cast<std::size_t>(evidence.answer)]},
          {"runs", evidence.runs},
          {"date", unless_empty(evidence.date)},
          {"names", evidence.names}};
}

Json switch_of(const SwitchUse& use, SourceLines& source_lines) {
  return {{"name", use.name},
          {"effect", name_of(use.effect)},
          {"files", use.files},
          {"meant", unless_empty(use.meant)},
          {"set_at", use.set ? Json(describe_call_site(use.set->at, use.set->frames,
                                                       use.set->python, source_lines))
                             : Json()},
          {"text", describe_switch(use, source_lines)}};
}

Json verdict_reason(const VerdictReason& reason) {
  return {{"verdict", level_name(reason.level())},
          {"kind", reason.kind()},
          {"text", reason_text(reason)},
          {"names", reason.names},
          {"remedy", unless_empty(reason_remedy(reason))},
          {"library", unless_empty(reason.library)},
          {"function", unless_empty(reason.function)},
          {"file", unless_empty(reason.file)}};
}

} // namespace

Json log_json(const JudgedLog& judged, bool all) {
  const auto& [log, summary, code, verdict] = judged;
  SourceLines source_lines(code.changed);
  const auto symbol = [&](const SymbolSummary& summarized) {
    return symbol_of(summarized, source_lines);
  };
  Json totals = Json::object(), lost = Json::object();
  for (const Action action : actions_worst_first) {
    totals[name_of(action)] = summary.calls(action);
    if (summary.lost(action) > 0)
      lost[name_of(action)] = summary.lost(action);
  }
  Json document = {
      {"schema_version", 1},
      {"folder", log.folder},
      {"run", log.run},
      {"other_runs", log.other_runs},
      {"programs", programs_of(log)},
      {"ranks", summary.ranks},
      {"jobs", json_list(jobs_of(log), job_of)},
      {"processes", summary.processes},
      {"threads", summary.threads},
      {"totals", totals},
      {"calls", json_list(summary.symbols, symbol)},
      {"libraries", json_list(summary.libraries,
                              [](const Library& library) -> Json {
                                return {{"library", library.name},
                                        {"file", library.file},
                                        {"version", library.version}};
                              })},
      {"environment",
       json_list(summary.environment,
                 [](const EnvironmentChange& change) -> Json {
                   return {{"name", change.name}, {"was", change.was}, {"now", change.now}};
                 })},
      {"switches", json_list(find_switches(log),
                             [&](const SwitchUse& use) {
                               return switch_of(use, source_lines);
                             })},
      {"noted", json_list(summary.noted,
                          [](const NotedVariable& variable) -> Json {
                            return {{"name", variable.name}, {"value", variable.value}};
                          })},
      {"lost", lost},
      {"damaged_lines", log.damaged_lines},
      {"torn_lines", log.torn_lines},
      {"processes_without_counts", summary.without_counts},
      {"unreadable_files", log.unreadable_files},
      {"other_format_files", json_list(log.other_format_files,
                                       [](const OtherFormatFile& file) -> Json {
                                         return {{"file", file.file}, {"format", file.format}};
                                       })},
      {"without_end", json_list(summary.without_end, unended)},
      {"uncovered_code", uncovered_of(code)},
      {"scanned_files", code.files},
      {"missing_files", code.missing},
      {"changed_files", code.changed},
      {"undecoded", code.undecoded},
      {"coverage", coverage_of(log)},
      {"verdict", level_name(verdict.level)},
      {"own_kernels", verdict.own_kernels},
      {"idle_cuda_libraries", verdict.idle_cuda_libraries},
      {"shown_times", verdict.shown_times},
      {"evidence", evidence_of(verdict.evidence)},
      {"acceptances",
       json_list(verdict.acceptances,
                 [](const Acceptance& acceptance) -> Json {
                   return {{"name", acceptance.name}, {"reasons", acceptance.reasons}};
                 })},
      {"accepted", json_list(verdict.accepted, verdict_reason)},
      {"reasons", json_list(verdict.reasons, verdict_reason)}};
  if (all)
    document["records"] = records_of(log);
  return document;
}

} // namespace detshim
