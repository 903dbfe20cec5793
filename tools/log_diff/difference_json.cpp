// A difference of two logs as a JSON document: docs/LOG_DIFF.md. Nothing is decided here. Kinds,
// roles and results are those of LogDifference, and values stand whole, where the text for people
// cuts them. Of each section it has all differences counted, but only those records that the
// comparison kept.
#include "log_diff/difference_report.h"
#include "report/json.h"
#include "support/wording.h"

namespace detshim {
namespace {

Json side_json(const LogDifference::Side& side) {
  return {{"folder", side.folder},   {"run", side.run},
          {"records", side.records}, {"processes", side.processes},
          {"threads", side.threads}, {"other_runs", side.other_runs}};
}

Json fact_json(const FactDifference& fact) {
  return {{"subject", fact.subject.text},
          {"a", fact.a},
          {"b", fact.b},
          {"job", fact.process.job},
          {"rank", fact.process.rank},
          {"process", fact.process.path},
          {"processes", fact.processes}};
}

Json call_json(const std::optional<RecordDifference::Side>& side) {
  if (!side)
    return nullptr;
  Json fields = Json::object();
  for (const Field& field : side->call.fields)
    fields[field.name] = field.value;
  return {{"action", action_names[static_cast<int>(side->call.action)]},
          {"fields", fields},
          {"why", side->call.why},
          {"at", side->call.at},
          {"calls", side->count.calls},
          {"exact", side->count.is_exact}};
}

Json record_json(const RecordDifference& record) {
  const Call& call = record.call();
  return {{"job", record.process.job},       {"rank", record.process.rank},
          {"process", record.process.path},  {"thread", record.thread},
          {"position", record.position},     {"kind", kind_names[static_cast<int>(record.kind)]},
          {"has_inputs", record.has_inputs}, {"volatile", record.is_volatile},
          {"library", call.library},         {"function", call.function},
          {"place", record.call_site},       {"a", call_json(record.a)},
          {"b", call_json(record.b)}};
}

Json rank_json(const RankDifference& rank) {
  return {{"job", rank.job},
          {"rank", rank.rank},
          {"role", role_names[static_cast<int>(rank.role)]},
          {"causes", json_list(rank.causes, cause_json)},
          {"further_causes", rank.further}};
}

/// Of those, the ones of a section.
template <typename Difference, typename Of>
Json those_of(int section, const std::vector<Difference>& differences, Of of) {
  Json result = Json::array();
  for (const Difference& difference : differences)
    if (static_cast<int>(difference.section) == section)
      result.push_back(of(difference));
  return result;
}

} // namespace

Json cause_json(const Cause& cause) {
  return {{"job", cause.process.job},
          {"rank", cause.process.rank},
          {"process", cause.process.path},
          {"thread", unless_empty(cause.thread)},
          {"fact", cause.fact ? fact_json(*cause.fact) : Json()},
          {"record", cause.record ? record_json(*cause.record) : Json()},
          {"before", cause.before}};
}

Json suspects_json(const std::vector<Suspect>& suspects) {
  return json_list(suspects, [](const Suspect& suspect) -> Json {
    return {{"kind", suspect_kind_names[static_cast<std::size_t>(suspect.kind)]},
            {"text", suspect.text}};
  });
}

Json difference_json(const LogDifference& difference) {
  Json sections = Json::object();
  for (int section = 0; section < section_count; ++section)
    sections[section_names[section]] = {
        {"differences", difference.differences[section]},
        {"facts", those_of(section, difference.facts, fact_json)},
        {"records", those_of(section, difference.records, record_json)}};
  return {{"schema_version", 1},
          {"result", result_names[static_cast<int>(difference.result())]},
          {"a", side_json(difference.a)},
          {"b", side_json(difference.b)},
          {"identical_records", difference.identical},
          {"ranks", json_list(difference.ranks, rank_json)},
          {"sections", sections},
          {"unknown", difference.unknown},
          {"notes", difference.notes},
          {"suspects", suspects_json(difference.suspects)}};
}

} // namespace detshim
