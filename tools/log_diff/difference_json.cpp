// The document of `detshim log diff --json`, pure ASCII:
//
// {
//   "schema_version": 1,
//   "result": "equal", "different" or "unknown",
//   "a", "b": {"folder", "run", "records": number, "processes": number, "threads": number,
//              "other_runs": number},
//   "identical_records": number,
//   "ranks": [{"job", "rank": number, "role": "same", "origin" or "receiver",
//              "causes": [{"process", "thread": text or null,
//                          "fact": a fact or null, "record": a record or null,
//                          "before": number of equal records before it in its thread}],
//              "further_causes": number}],
//                                  origins first; the most telling cause of a rank first
//   "sections": {name: {"differences": number, "facts": [fact], "records": [record]}},
//                                  all sections; lists hold the first few
//   "unknown": [text], "notes": [text],
//   "environments": what `env diff --json` writes, or null where one is missing; `log diff` alone has it
//   "suspects": [{"kind", "text"}]     where no call is named as the first cause: what results may differ by
// }
// fact:   {"subject", "a": text or null, "b": text or null, "process", "processes": number}
// record: {"process", "thread", "position": number, "kind": "result", "input", "absorbed", "count", "only_a",
//          "only_b" or "order", "has_inputs", "volatile", "library", "function", "place",
//          "a", "b": null or {"action", "fields": {name: text}, "why", "at", "calls": number, "exact"}}
#include "log_diff/difference_report.h"

namespace detshim {
namespace {

void write_process(JsonWriter& out, const ProcessName& process) {
  out.member("job", process.job);
  out.member("rank", process.rank);
  out.member("process", process.path);
}

void write(JsonWriter& out, const FactDifference& fact) {
  out.member("subject", fact.subject.text);
  out.member("a", fact.a);
  out.member("b", fact.b);
  write_process(out, fact.process);
  out.member("processes", fact.processes);
}

void write(JsonWriter& out, const RecordDifference::Side& side) {
  out.member("action", action_names[static_cast<int>(side.call.action)]);
  out.object("fields", [&] {
    for (const Field& field : side.call.fields) out.member(field.name, field.value);
  });
  out.member("why", side.call.why);
  out.member("at", side.call.at);
  out.member("calls", side.count.calls);
  out.member("exact", side.count.is_exact);
}

void write(JsonWriter& out, const RecordDifference& record);

/// An object, or null.
template <typename Part>
void write_optional(JsonWriter& out, const char* name, const std::optional<Part>& part) {
  if (part)
    out.object(name, [&] { write(out, *part); });
  else
    out.member(name, nullptr);
}

void write(JsonWriter& out, const RecordDifference& record) {
  const Call& call = record.a ? record.a->call : record.b->call;
  write_process(out, record.process);
  out.member("thread", record.thread);
  out.member("position", record.position);
  out.member("kind", kind_names[static_cast<int>(record.kind)]);
  out.member("has_inputs", record.has_inputs);
  out.member("volatile", record.is_volatile);
  out.member("library", call.library);
  out.member("function", call.function);
  out.member("place", record.call_site);
  write_optional(out, "a", record.a);
  write_optional(out, "b", record.b);
}

void write(JsonWriter& out, const LogDifference::Side& side) {
  out.member("folder", side.folder);
  out.member("run", side.run);
  out.member("records", side.records);
  out.member("processes", side.processes);
  out.member("threads", side.threads);
  out.member("other_runs", side.other_runs);
}

template <typename Difference>
void write_those_of(JsonWriter& out, const char* name, int section, std::vector<Difference> differences) {
  std::erase_if(differences, [=](const Difference& one) { return static_cast<int>(one.section) != section; });
  out.objects(name, differences, [&](const Difference& one) { write(out, one); });
}

} // namespace

void write_cause_json(JsonWriter& out, const Cause& cause) {
  write_process(out, cause.process);
  out.member("thread", unless_empty(cause.thread));
  write_optional(out, "fact", cause.fact);
  write_optional(out, "record", cause.record);
  out.member("before", cause.before);
}

void write_suspects_json(JsonWriter& out, const std::vector<Suspect>& suspects) {
  out.objects("suspects", suspects, [&](const Suspect& suspect) {
    out.member("kind", suspect.kind);
    out.member("text", suspect.text);
  });
}

void write_difference_json(JsonWriter& out, const LogDifference& difference,
                           const std::function<void(JsonWriter&)>& add_more) {
  out.object([&] {
    out.member("schema_version", 1);
    out.member("result", result_names[static_cast<int>(difference.result())]);
    out.object("a", [&] { write(out, difference.a); });
    out.object("b", [&] { write(out, difference.b); });
    out.member("identical_records", difference.identical);
    out.objects("ranks", difference.ranks, [&](const RankDifference& rank) {
      out.member("job", rank.job);
      out.member("rank", rank.rank);
      out.member("role", role_names[static_cast<int>(rank.role)]);
      out.objects("causes", rank.causes, [&](const Cause& cause) { write_cause_json(out, cause); });
      out.member("further_causes", rank.further);
    });
    out.object("sections", [&] {
      for (int section = 0; section < section_count; ++section)
        out.object(section_names[section], [&] {
          out.member("differences", difference.differences[section]);
          write_those_of(out, "facts", section, difference.facts);
          write_those_of(out, "records", section, difference.records);
        });
    });
    out.member("unknown", difference.unknown);
    out.member("notes", difference.notes);
    write_suspects_json(out, difference.suspects);
    if (add_more) add_more(out);
  });
}

} // namespace detshim
