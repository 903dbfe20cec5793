// clang-format off: the shape of the comment
// The document of `detshim log --json`, pure ASCII:
//
// {
//   "format": 1,                     version of this document
//   "folder": text, "run": text,
//   "other_runs": [text],            runs in the same folder that were left out
//   "programs": [{"program", "args": [text], "seed", "seed_from", "mode", "policy", "disabled", "layout"}],
//                                    distinct
//   "ranks": number, "processes": number, "threads": number,
//   "totals": {action: calls},       lost records included
//   "calls": [{                      worst first, then by library and symbol
//     "action", "library", "function",
//     "count": number, "exact": true or false (then: at least),
//     "examples": [{"fields": {name: value}, "count", "exact"}],
//     "examples_left_out": number,   records with other values: of hundreds, those of the most calls are kept
//     "why": [text],
//     "places": [{"at", "python": [text], "source": null or
//                 {"file", "line", "function", "inlined_into": [{"file", "line", "function"}]},
//                 "count", "exact"}],
//     "records": [{"rank", "path", "pid", "thread", "n", "fields", "why", "at", "python", "count", "exact"}]
//   }],                              "records" with --all only
//   "libraries": [{"library", "file", "version": text or null}],
//   "environment": [{"name", "was": text or null, "now"}],
//   "noted": [{"name", "value"}],    variables that were set, matter, and were left alone
//   "diverged_seeds": [{"library", "function", "asked", "ranks": number}],
//   "uncovered_code": [{"at", "own", "function": text or null, "kind"}],
//                                    instructions in the loaded files that draw past every hook
//   "scanned_files": number, "missing_files": [text], "undecoded": number,
//   "changed_files": [text],         files that are not what ran: nothing is looked up in them
//   "lost": {action: calls},         counted, but the record is lost
//   "damaged_lines": number, "torn_lines": number, "processes_without_counts": number,
//   "unreadable_files": [text], "newer_files": [{"file", "format"}],
//   "without_end": [{"rank", "path", "pid", "program"}],
//   "coverage": [{"library", "files": [text], "hooks": number, "missing": [text]}],
//                                    the CUDA libraries that were loaded at the end of a process
//   "verdict": "covered", "partly" or "unverified",
//   "own_kernels": [text],           files with code for a GPU that is not of CUDA's libraries: not looked
//   into "reasons": [{                    why it is not "covered", worst first; docs/VERDICT.md
//     "verdict": "partly" or "unverified", "kind", "text",
//     "remedy": text or null, "library": text or null, "function": text or null, "file": text or null
//   }]
// }
//
// Seeds and values are texts. A file of the source is empty where only the symbol is known.
// clang-format on
#include "report/log_report.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <set>
#include <utility>

namespace detshim {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

Json fields_object(const std::vector<Field>& fields) {
  Json object = Json::object();
  for (const Field& field : fields) object[field.name] = field.value;
  return object;
}

Json with_count(Json object, const CallCount& count) {
  object["count"] = count.calls;
  object["exact"] = count.is_exact;
  return object;
}

Json program(const Start& start) {
  return {{"program", start.program},
          {"args", start.args},
          {"seed", text_or_null(start.seed)},
          {"seed_from", text_or_null(start.seed_from)},
          {"mode", start.mode},
          {"policy", start.policy},
          {"disabled", text_or_null(start.disabled)},
          {"layout", text_or_null(start.layout)}};
}

Json programs(const Log& log) {
  Json result = Json::array();
  std::set<Json> seen;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts)
      if (Json entry = program(start); seen.insert(entry).second) result.push_back(std::move(entry));
  return result;
}

Json source_line(const SourceLine& source) {
  return {{"file", source.file}, {"line", source.line}, {"function", source.function}};
}

Json place(const CallPlace& call_place, SourceLines& source_lines) {
  Json source = nullptr;
  if (const std::optional<SourceLine> found = source_lines.find(call_place.at)) {
    source = source_line(*found);
    source["inlined_into"] = Json::array();
    for (const SourceLine& caller : found->inlined_into)
      source["inlined_into"].push_back(source_line(caller));
  }
  return with_count({{"at", call_place.at}, {"python", call_place.python}, {"source", source}},
                    call_place.count);
}

Json record(const Process& process, const Call& call, const CallCount& count) {
  return with_count({{"rank", process.rank},
                     {"path", process.path},
                     {"pid", process.pid},
                     {"thread", call.thread},
                     {"n", call.number},
                     {"fields", fields_object(call.fields)},
                     {"why", call.why},
                     {"at", call.at},
                     {"python", call.python}},
                    count);
}

Json symbol(const SymbolSummary& summary, SourceLines& source_lines) {
  Json result = with_count({{"action", action_names[static_cast<std::size_t>(summary.action)]},
                            {"library", summary.library},
                            {"function", summary.function}},
                           summary.count);
  result["examples"] = Json::array();
  for (const Example& example : summary.examples)
    result["examples"].push_back(with_count({{"fields", fields_object(example.fields)}}, example.count));
  result["examples_left_out"] = summary.examples_left_out;
  result["why"] = summary.reasons;
  result["places"] = Json::array();
  for (const CallPlace& call_place : summary.places)
    result["places"].push_back(place(call_place, source_lines));
  return result;
}

/// A value as it stands in the document, so many levels down. ASCII only, and stray bytes (of a file's name,
/// say) replaced: safe for a terminal and for any parser.
std::string text(const Json& value, int level) {
  std::string result;
  for (const char c : value.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace)) {
    result += c;
    if (c == '\n') result.append(static_cast<std::size_t>(2 * level), ' ');
  }
  return result;
}

/// The entries of an array one by one: there may be more than memory holds.
class ArrayPrinter {
public:
  explicit ArrayPrinter(int level) : level_(level) { std::cout << '['; }
  /// What comes before an entry.
  void next() {
    std::cout << (is_empty_ ? "\n" : ",\n") << std::string(static_cast<std::size_t>(2 * level_ + 2), ' ');
    is_empty_ = false;
  }
  void close() {
    if (!is_empty_) std::cout << '\n' << std::string(static_cast<std::size_t>(2 * level_), ' ');
    std::cout << ']';
  }

private:
  int level_;
  bool is_empty_ = true;
};

void print_calls(const Log& log, const Summary& summary, const LoadedCode& code, bool all) {
  SourceLines source_lines(code.changed);
  ArrayPrinter symbols(1);
  for (const SymbolSummary& entry : summary.symbols) {
    symbols.next();
    std::string object = text(symbol(entry, source_lines), 2);
    if (!all) {
      std::cout << object;
      continue;
    }
    object.resize(object.rfind('\n')); // the closing bracket comes after the records
    std::cout << object << ",\n      \"records\": ";
    ArrayPrinter records(3);
    each_record(log, *entry.calls, [&](const Process& process, const Call& call, const CallCount& count) {
      records.next();
      std::cout << text(record(process, call, count), 4);
    });
    records.close();
    std::cout << "\n    }";
  }
  symbols.close();
}

void add_code(Json& result, const LoadedCode& code) {
  result["uncovered_code"] = Json::array();
  for (std::size_t i = 0; i < code.uncovered.size(); ++i)
    for (const FileScan& file = code.uncovered[i]; const FoundPlace& place : file.places)
      result["uncovered_code"].push_back(
          {{"at", place_text(file, place)},
           {"own", i < code.own}, // not a library of the system
           {"function", place.function.empty() ? Json(nullptr) : Json(place.function)},
           {"kind", draw_name(place.kind)}});
  result["scanned_files"] = code.files;
  result["missing_files"] = code.missing;
  result["changed_files"] = code.changed;
  result["undecoded"] = code.undecoded;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

void add_verdict(Json& result, const Log& log, const Verdict& verdict) {
  result["coverage"] = Json::array();
  std::set<std::pair<std::string, std::vector<std::string>>> seen;
  for (const Process& process : log.processes)
    for (const Coverage& coverage : process.coverage)
      if (seen.insert({coverage.library, coverage.files}).second)
        result["coverage"].push_back({{"library", coverage.library},
                                      {"files", coverage.files},
                                      {"hooks", coverage.hooks},
                                      {"missing", coverage.missing}});
  result["verdict"] = standing_name(verdict.standing);
  result["own_kernels"] = verdict.own_kernels;
  result["reasons"] = Json::array();
  for (const Reason& reason : verdict.reasons)
    result["reasons"].push_back({{"verdict", standing_name(reason.standing)},
                                 {"kind", reason.kind},
                                 {"text", reason.text},
                                 {"remedy", text_or_null(reason.remedy)},
                                 {"library", text_or_null(reason.library)},
                                 {"function", text_or_null(reason.function)},
                                 {"file", text_or_null(reason.file)}});
}

/// All but the calls, for which there is an empty place.
Json document(const Log& log, const Summary& summary, const LoadedCode& code, const Verdict& verdict) {
  Json result = {{"format", 1},
                 {"folder", log.folder},
                 {"run", log.run},
                 {"other_runs", log.other_runs},
                 {"programs", programs(log)},
                 {"ranks", summary.ranks},
                 {"processes", summary.processes},
                 {"threads", summary.threads},
                 {"totals", Json::object()},
                 {"calls", Json::array()},
                 {"libraries", Json::array()},
                 {"environment", Json::array()},
                 {"noted", Json::array()},
                 {"diverged_seeds", Json::array()},
                 {"lost", Json::object()},
                 {"damaged_lines", log.damaged_lines},
                 {"torn_lines", log.torn_lines},
                 {"processes_without_counts", summary.without_counts},
                 {"unreadable_files", log.unreadable_files},
                 {"newer_files", Json::array()},
                 {"without_end", Json::array()}};
  for (const Action action : actions_worst_first) {
    const char* const name = action_names[static_cast<std::size_t>(action)];
    result["totals"][name] = summary.calls(action);
    if (summary.lost(action) > 0) result["lost"][name] = summary.lost(action);
  }
  for (const Library& library : summary.libraries)
    result["libraries"].push_back(
        {{"library", library.name}, {"file", library.file}, {"version", text_or_null(library.version)}});
  for (const EnvironmentChange& change : summary.environment)
    result["environment"].push_back(
        {{"name", change.name}, {"was", text_or_null(change.was)}, {"now", change.now}});
  for (const NotedVariable& variable : summary.noted)
    result["noted"].push_back({{"name", variable.name}, {"value", variable.value}});
  for (const DivergedSeed& seed : summary.diverged_seeds)
    result["diverged_seeds"].push_back({{"library", seed.library},
                                        {"function", seed.function},
                                        {"asked", seed.asked},
                                        {"ranks", seed.ranks}});
  for (const NewerFile& file : log.newer_files)
    result["newer_files"].push_back({{"file", file.file}, {"format", file.format}});
  for (const Process* process : summary.without_end)
    result["without_end"].push_back(
        {{"rank", process->rank},
         {"path", process->path},
         {"pid", process->pid},
         {"program", process->starts.empty() ? "" : process->starts.back().program}});
  add_code(result, code);
  add_verdict(result, log, verdict);
  return result;
}

} // namespace

void print_log_json(const Log& log, const Summary& summary, const LoadedCode& code, const Verdict& verdict,
                    bool all) {
  const Json whole = document(log, summary, code, verdict);
  const char* before = "{\n  ";
  for (const auto& [key, value] : whole.items()) {
    std::cout << before << text(key, 0) << ": ";
    if (key == "calls")
      print_calls(log, summary, code, all);
    else
      std::cout << text(value, 1);
    before = ",\n  ";
  }
  std::cout << "\n}\n";
}

} // namespace detshim
