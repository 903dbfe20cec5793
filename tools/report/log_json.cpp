// clang-format off: the shape of the comment
// The document of `detshim log --json`, pure ASCII:
//
// {
//   "schema_version": 1,             version of this document
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
//     "places": [{"at", "python": [text], "user": index of the user's own frame there, absent without one,
//                 "source": null or
//                 {"file", "line", "function", "inlined_into": [{"file", "line", "function"}]},
//                 "frames": [{"at", "source": as above}],  who called that code, innermost first
//                 "user_line": null or {"at", "file", "line", "function"},  the user's own among all these
//                 "count", "exact"}],
//     "records": [{"rank", "path", "pid", "thread", "n", "fields", "why", "at", "frames": [text],
//                  "python", "count", "exact"}]
//   }],                              "records" with --all only
//   "libraries": [{"library", "file", "version": text or null}],
//   "environment": [{"name", "was": text or null, "now"}],  variables that detshim set
//   "noted": [{"name", "value"}],    variables that were set, matter, and were left alone
//   "uncovered_code": [{"at", "own", "function": text or null, "kind"}],
//                                    instructions in the loaded files that draw around every hook
//   "scanned_files": number, "missing_files": [text], "undecoded": number,
//   "changed_files": [text],         files that are not what ran: nothing is looked up in them
//   "lost": {action: calls},         counted, but the record is lost
//   "damaged_lines": number, "torn_lines": number, "processes_without_counts": number,
//   "unreadable_files": [text], "other_format_files": [{"file", "format"}],
//   "without_end": [{"rank", "path", "pid", "program"}],
//   "coverage": [{"library", "files": [text], "hooks": number, "missing": [text]}],
//                                    the CUDA libraries that were loaded at the end of a process
//   "verdict": "covered", "verified", "unverified" or "partial",
//   "evidence": {"answer": "none", "holds", "changed", "unknown", "new_findings" or "differed",
//                "runs": number, "date", "names"}: of the comparison of earlier runs
//   "own_kernels": [text],           files with code for a GPU that is not of CUDA's libraries: not looked
//   into "idle_cuda_libraries": number,   files of CUDA's libraries that were loaded, while no process had a
//   GPU "acceptances": [{"name", "reasons": number}],
//                                    what the user answers for, and how many reasons each took back
//   "accepted": [reasons],           those that were taken back
//   "reasons": [{                    why it is not "covered", worst first; docs/VERDICT.md
//     "verdict": "partial" or "unverified", "kind", "text",
//     "remedy": text or null, "library": text or null, "function": text or null, "file": text or null
//   }],
//   "run_environment": what the run stood on, of which docs/ENVIRONMENT.md has the shape; null with --no-scan
// }
//
// Seeds and values are texts. A file of the source is empty where only the symbol is known.
// clang-format on
#include "log_reader/jobs.h"
#include "report/json_writer.h"
#include "report/log_report.h"
#include "report/verdict_texts.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <utility>

namespace detshim {
namespace {

const char* name_of(Action action) { return action_names[static_cast<std::size_t>(action)]; }

class LogJson {
public:
  LogJson(const Log& log, const Summary& summary, const LoadedCode& code, const Verdict& verdict, bool all)
      : log_(log), summary_(summary), code_(code), verdict_(verdict), all_(all), source_lines_(code.changed) {
  }

  void print(const std::function<void(JsonWriter&)>& add_more) {
    out_.begin_object();
    out_.member("schema_version", 1);
    out_.member("folder", log_.folder);
    out_.member("run", log_.run);
    out_.member("other_runs", log_.other_runs);
    add_programs();
    out_.member("ranks", summary_.ranks);
    add_array("jobs", jobs_of(log_), [this](const LoggedJob& job) {
      out_.member("job", job.name);
      out_.member("launcher", job.launcher);
      out_.member("size", static_cast<std::uint64_t>(job.size));
      out_.member("ranks", job.ranks.size());
      out_.member("missing", job.missing());
    });
    out_.member("processes", summary_.processes);
    out_.member("threads", summary_.threads);
    add_totals();
    add_array("calls", summary_.symbols, [this](const SymbolSummary& symbol) { add_symbol(symbol); });
    add_array("libraries", summary_.libraries, [this](const Library& library) {
      out_.member("library", library.name);
      out_.member("file", library.file);
      out_.member("version", library.version);
    });
    add_array("environment", summary_.environment, [this](const EnvironmentChange& change) {
      out_.member("name", change.name);
      out_.member("was", change.was);
      out_.member("now", change.now);
    });
    add_array("noted", summary_.noted, [this](const NotedVariable& variable) {
      out_.member("name", variable.name);
      out_.member("value", variable.value);
    });
    add_damage();
    add_code();
    add_verdict();
    if (add_more) add_more(out_);
    out_.end_object();
    std::cout << '\n';
  }

private:
  /// An array of objects, each with the members that `add_members` writes.
  template <typename Entries, typename AddMembers>
  void add_array(const char* key, const Entries& entries, AddMembers add_members) {
    out_.key(key);
    out_.begin_array();
    for (const auto& entry : entries) add_object([&] { add_members(entry); });
    out_.end_array();
  }

  template <typename AddMembers>
  void add_object(AddMembers add_members) {
    out_.begin_object();
    add_members();
    out_.end_object();
  }

  static void write_program(JsonWriter& out, const Start& start) {
    out.begin_object();
    out.member("program", start.program);
    out.member("args", start.args);
    out.member("seed", start.seed);
    out.member("seed_from", start.seed_from);
    out.member("mode", start.mode);
    out.member("policy", start.policy);
    out.member("disabled", start.disabled);
    out.member("layout", start.layout);
    out.end_object();
  }

  void add_programs() {
    out_.key("programs");
    out_.begin_array();
    std::set<std::string> seen;
    for (const Process& process : log_.processes)
      for (const Start& start : process.starts) {
        std::ostringstream text;
        JsonWriter writer(text);
        write_program(writer, start);
        if (seen.insert(std::move(text).str()).second) write_program(out_, start);
      }
    out_.end_array();
  }

  void add_totals() {
    out_.key("totals");
    add_object([this] {
      for (const Action action : actions_worst_first) out_.member(name_of(action), summary_.calls(action));
    });
  }

  void add_count(const CallCount& count) {
    out_.member("count", count.calls);
    out_.member("exact", count.is_exact);
  }

  /// Of fields of one name the last counts, at the place of the first.
  void add_fields(const std::vector<Field>& fields) {
    out_.key("fields");
    add_object([&] {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto has_name = [&](const Field& field) { return field.name == fields[i].name; };
        const auto here = fields.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find_if(fields.begin(), here, has_name) != here) continue;
        out_.member(fields[i].name, std::find_if(fields.rbegin(), fields.rend(), has_name)->value);
      }
    });
  }

  void add_symbol(const SymbolSummary& symbol) {
    out_.member("action", name_of(symbol.action));
    out_.member("library", symbol.library);
    out_.member("function", symbol.function);
    add_count(symbol.count);
    add_array("examples", symbol.examples, [this](const Example& example) {
      add_fields(example.fields);
      add_count(example.count);
    });
    out_.member("examples_left_out", symbol.examples_left_out);
    out_.member("why", symbol.reasons);
    add_array("places", symbol.places, [this](const CallPlace& place) { add_place(place); });
    if (all_) add_records(symbol);
  }

  void add_source_line(const SourceLine& source) {
    out_.member("file", source.file);
    out_.member("line", source.line);
    out_.member("function", source.function);
  }

  void add_user(const PythonFrames& python) {
    if (python.user) out_.member("user", std::uint64_t{*python.user});
  }

  void add_source(const std::string& at) {
    out_.key("source");
    if (const std::optional<SourceLine> source = source_lines_.find(at))
      add_object([&] {
        add_source_line(*source);
        add_array("inlined_into", source->inlined_into,
                  [this](const SourceLine& caller) { add_source_line(caller); });
      });
    else
      out_.value(nullptr);
  }

  void add_place(const CallPlace& place) {
    out_.member("at", place.at);
    out_.member("python", place.python.frames);
    add_user(place.python);
    add_source(place.at);
    add_array("frames", place.frames, [this](const std::string& frame) {
      out_.member("at", frame);
      add_source(frame);
    });
    out_.key("user_line");
    if (const std::optional<UserLine> user = source_lines_.find_user(place.at, place.frames))
      add_object([&] {
        out_.member("at", user->place);
        add_source_line(user->line);
      });
    else
      out_.value(nullptr);
    add_count(place.count);
  }

  void add_records(const SymbolSummary& symbol) {
    out_.key("records");
    out_.begin_array();
    each_record(log_, *symbol.calls,
                [this](const Process& process, const Call& call, const CallCount& count) {
                  add_object([&] {
                    out_.member("rank", process.rank);
                    out_.member("path", process.path);
                    out_.member("pid", process.pid);
                    out_.member("thread", call.thread);
                    out_.member("n", call.number);
                    add_fields(call.fields);
                    out_.member("why", call.why);
                    out_.member("at", call.at);
                    out_.member("frames", call.frames);
                    out_.member("python", call.python.frames);
                    add_user(call.python);
                    add_count(count);
                  });
                });
    out_.end_array();
  }

  void add_damage() {
    out_.key("lost");
    add_object([this] {
      for (const Action action : actions_worst_first)
        if (summary_.lost(action) > 0) out_.member(name_of(action), summary_.lost(action));
    });
    out_.member("damaged_lines", log_.damaged_lines);
    out_.member("torn_lines", log_.torn_lines);
    out_.member("processes_without_counts", summary_.without_counts);
    out_.member("unreadable_files", log_.unreadable_files);
    add_array("other_format_files", log_.other_format_files, [this](const OtherFormatFile& file) {
      out_.member("file", file.file);
      out_.member("format", file.format);
    });
    add_array("without_end", summary_.without_end, [this](const Process* process) {
      out_.member("rank", process->rank);
      out_.member("path", process->path);
      out_.member("pid", process->pid);
      out_.member("program", process->starts.empty() ? std::string() : process->starts.back().program);
    });
  }

  void add_code() {
    out_.key("uncovered_code");
    out_.begin_array();
    for (std::size_t i = 0; i < code_.uncovered.size(); ++i)
      for (const FileScan& file = code_.uncovered[i]; const FoundPlace& place : file.places)
        add_object([&] {
          out_.member("at", place_text(file, place));
          out_.member("own", i < code_.own); // not a library of the system
          out_.member("function", unless_empty(place.function));
          out_.member("kind", draw_name(place.kind));
        });
    out_.end_array();
    out_.member("scanned_files", code_.files);
    out_.member("missing_files", code_.missing);
    out_.member("changed_files", std::vector<std::string>(code_.changed.begin(), code_.changed.end()));
    out_.member("undecoded", code_.undecoded);
  }

  void add_coverage() {
    out_.key("coverage");
    out_.begin_array();
    std::set<std::pair<std::string, std::vector<std::string>>> seen;
    for (const Process& process : log_.processes)
      for (const Coverage& coverage : process.coverage)
        if (seen.insert({coverage.library, coverage.files}).second)
          add_object([&] {
            out_.member("library", coverage.library);
            out_.member("files", coverage.files);
            out_.member("hooks", coverage.hooks);
            out_.member("missing", coverage.missing);
          });
    out_.end_array();
  }

  void add_verdict() {
    add_coverage();
    out_.member("verdict", level_name(verdict_.level));
    out_.member("own_kernels", verdict_.own_kernels);
    out_.member("idle_cuda_libraries", verdict_.idle_cuda_libraries);
    add_evidence();
    add_array("acceptances", verdict_.acceptances, [this](const Acceptance& acceptance) {
      out_.member("name", acceptance.name);
      out_.member("reasons", acceptance.reasons);
    });
    add_array("accepted", verdict_.accepted, [this](const VerdictReason& reason) { add_reason(reason); });
    add_array("reasons", verdict_.reasons, [this](const VerdictReason& reason) { add_reason(reason); });
  }

  void add_evidence() {
    constexpr const char* answers[] = {"none", "holds", "changed", "unknown", "new_findings", "differed"};
    out_.key("evidence");
    out_.begin_object();
    out_.member("answer", answers[static_cast<std::size_t>(verdict_.evidence.answer)]);
    out_.member("runs", verdict_.evidence.runs);
    out_.member("date", unless_empty(verdict_.evidence.date));
    out_.member("names", verdict_.evidence.names);
    out_.end_object();
  }

  void add_reason(const VerdictReason& reason) {
    out_.member("verdict", level_name(reason.level()));
    out_.member("kind", reason.kind());
    out_.member("text", reason_text(reason));
    out_.member("remedy", unless_empty(reason_remedy(reason)));
    out_.member("library", unless_empty(reason.library));
    out_.member("function", unless_empty(reason.function));
    out_.member("file", unless_empty(reason.file));
  }

  const Log& log_;
  const Summary& summary_;
  const LoadedCode& code_;
  const Verdict& verdict_;
  bool all_;
  SourceLines source_lines_;
  JsonWriter out_{std::cout};
};

} // namespace

void print_log_json(const Log& log, const Summary& summary, const LoadedCode& code, const Verdict& verdict,
                    bool all, const std::function<void(JsonWriter&)>& add_more) {
  LogJson(log, summary, code, verdict, all).print(add_more);
}

} // namespace detshim
