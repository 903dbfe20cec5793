// The document of `detshim log diff --json`, pure ASCII:
//
// {
//   "schema_version": 1,
//   "result": "equal", "different" or "unknown",
//   "a", "b": {"folder", "run", "records": number, "processes": number, "threads": number,
//              "other_runs": number},
//   "identical_records": number,
//   "ranks": [{"world", "rank": number, "role": "same", "origin" or "receiver",
//              "causes": [{"process", "thread": text or null,
//                          "fact": a fact or null, "record": a record or null,
//                          "before": {"with_values", "without", "unread", "draws", "collectives",
//                                     "prints"},
//                          "launched": null or {"a", "b": number}}],
//                                  kernels since the copy before, of a print
//              "further_causes": number}],
//                                  origins first; the most telling cause of a rank first
//   "sections": {name: {"differences": number, "facts": [fact], "records": [record]}},
//                                  all sections; lists hold the first few
//   "discriminators": [{"library", "function",
//                       "rows": [{"attributes": {name: text}, "diverging": number, "records": number}]}],
//                                  of a call that gave something else for the same; clean rows have 0
//                                  diverging
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
  out.member("world", process.world);
  out.member("rank", process.rank);
  out.member("process", process.path);
}

void write(JsonWriter& out, const FactDifference& fact) {
  out.begin_object();
  out.member("subject", fact.subject.text);
  out.member("a", fact.a);
  out.member("b", fact.b);
  write_process(out, fact.process);
  out.member("processes", fact.processes);
  out.end_object();
}

void write_fields(JsonWriter& out, const char* name, const std::vector<Field>& fields) {
  out.key(name);
  out.begin_object();
  for (const Field& field : fields) out.member(field.name, field.value);
  out.end_object();
}

void write_side(JsonWriter& out, const char* name, const std::optional<RecordDifference::Side>& side) {
  out.key(name);
  if (!side) return out.value(nullptr);
  out.begin_object();
  out.member("action", action_names[static_cast<int>(side->call.action)]);
  write_fields(out, "fields", side->call.fields);
  out.member("why", side->call.why);
  out.member("at", side->call.at);
  out.member("calls", side->count.calls);
  out.member("exact", side->count.is_exact);
  out.end_object();
}

void write(JsonWriter& out, const RecordDifference& record) {
  const Call& call = record.a ? record.a->call : record.b->call;
  out.begin_object();
  write_process(out, record.process);
  out.member("thread", record.thread);
  out.member("position", record.position);
  out.member("kind", kind_names[static_cast<int>(record.kind)]);
  out.member("has_inputs", record.has_inputs);
  out.member("volatile", record.is_volatile);
  out.member("library", call.library);
  out.member("function", call.function);
  out.member("place", record.place);
  write_side(out, "a", record.a);
  write_side(out, "b", record.b);
  out.end_object();
}

template <typename Difference>
void write_one(JsonWriter& out, const char* name, const std::optional<Difference>& difference) {
  out.key(name);
  if (difference)
    write(out, *difference);
  else
    out.value(nullptr);
}

void write(JsonWriter& out, const Cause& cause) {
  out.begin_object();
  write_process(out, cause.process);
  out.member("thread", unless_empty(cause.thread));
  write_one(out, "fact", cause.fact);
  write_one(out, "record", cause.record);
  out.key("before");
  out.begin_object();
  out.member("with_values", cause.before.with_values);
  out.member("without", cause.before.without);
  out.member("unread", cause.before.unread);
  out.member("draws", cause.before.draws);
  out.member("collectives", cause.before.collectives);
  out.member("prints", cause.before.prints);
  out.end_object();
  out.key("launched");
  if (cause.launched) {
    out.begin_object();
    out.member("a", cause.launched->a);
    out.member("b", cause.launched->b);
    out.end_object();
  } else {
    out.value(nullptr);
  }
  out.end_object();
}

void write(JsonWriter& out, const RankDifference& rank) {
  out.begin_object();
  out.member("world", rank.world);
  out.member("rank", rank.rank);
  out.member("role", role_names[static_cast<int>(rank.role)]);
  out.key("causes");
  out.begin_array();
  for (const Cause& cause : rank.causes) write(out, cause);
  out.end_array();
  out.member("further_causes", rank.further);
  out.end_object();
}

void write(JsonWriter& out, const LogDifference::Side& side) {
  out.begin_object();
  out.member("folder", side.folder);
  out.member("run", side.run);
  out.member("records", side.records);
  out.member("processes", side.processes);
  out.member("threads", side.threads);
  out.member("other_runs", side.other_runs);
  out.end_object();
}

void write(JsonWriter& out, const Discriminator& one) {
  out.begin_object();
  out.member("library", one.library);
  out.member("function", one.function);
  out.key("rows");
  out.begin_array();
  for (const Discriminator::Row& row : one.rows) {
    out.begin_object();
    write_fields(out, "attributes", row.attributes);
    out.member("diverging", row.counts.diverging);
    out.member("records", row.counts.records);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

template <typename Difference>
void write_those_of(JsonWriter& out, const char* name, int section,
                    const std::vector<Difference>& differences) {
  out.key(name);
  out.begin_array();
  for (const Difference& difference : differences)
    if (static_cast<int>(difference.section) == section) write(out, difference);
  out.end_array();
}

} // namespace

void write_cause_json(JsonWriter& out, const Cause& cause) { write(out, cause); }

void write_difference_json(JsonWriter& out, const LogDifference& difference,
                           const std::function<void(JsonWriter&)>& add_more) {
  out.begin_object();
  out.member("schema_version", 1);
  out.member("result", result_names[static_cast<int>(difference.result())]);
  out.key("a");
  write(out, difference.a);
  out.key("b");
  write(out, difference.b);
  out.member("identical_records", difference.identical);
  out.key("ranks");
  out.begin_array();
  for (const RankDifference& rank : difference.ranks) write(out, rank);
  out.end_array();
  out.key("sections");
  out.begin_object();
  for (int section = 0; section < section_count; ++section) {
    out.key(section_names[section]);
    out.begin_object();
    out.member("differences", difference.differences[section]);
    write_those_of(out, "facts", section, difference.facts);
    write_those_of(out, "records", section, difference.records);
    out.end_object();
  }
  out.end_object();
  out.key("discriminators");
  out.begin_array();
  for (const Discriminator& one : difference.discriminators) write(out, one);
  out.end_array();
  out.member("unknown", difference.unknown);
  out.member("notes", difference.notes);
  out.key("suspects");
  out.begin_array();
  for (const Suspect& suspect : difference.suspects) {
    out.begin_object();
    out.member("kind", suspect.kind);
    out.member("text", suspect.text);
    out.end_object();
  }
  out.end_array();
  if (add_more) add_more(out);
  out.end_object();
}

} // namespace detshim
