// { schema: 1, verdict, text, command: [...], seed, mode, folder,    text: the closing line
//   parts: [{ name, kind, calls, asked_for, needed, without, cost }],
//            kind: hook, setting or layout; calls: of a hook, in the first run; asked_for: false for a
//            variable that nobody was seen to ask for; without: of a needed part, the trial of the set
//            without it; cost: { ratio, least, most, pairs }: time with everything over time without the
//            part; variables that nobody asked for have that of all of them
//   disable, keep_aslr,    what DETSHIM_DISABLE is to be for the set that was found, and whether --keep-aslr
//                          belongs to it; null where no set was found
//   confirmed: the trial of that set, once more,
//   trials: [{ first_run, runs, kept: [names], differing, problem, folder }],
//   runs, most_runs, is_out_of_runs }
// A null stands for what is not known. `schema` is counted up where a member goes or changes its meaning.
#include "bisect/bisect.h"
#include "report/json_writer.h"

#include <ostream>

namespace detshim {
namespace {

constexpr int schema = 1;

void print_trial(JsonWriter& json, const Bisection& result, const Trial& trial) {
  json.begin_object();
  json.member("first_run", trial.first_run);
  json.member("runs", trial.runs);
  json.key("kept");
  json.begin_array();
  for (std::size_t i = 0; i < result.parts.size(); ++i)
    if (trial.kept.empty() || trial.kept[i]) json.value(result.parts[i].name);
  json.end_array();
  json.member("differing", trial.differing);
  json.member("problem", unless_empty(trial.problem));
  json.member("folder", trial.folder);
  json.end_object();
}

void print_optional_trial(JsonWriter& json, const char* name, const Bisection& result,
                          const std::optional<Trial>& trial) {
  json.key(name);
  if (trial)
    print_trial(json, result, *trial);
  else
    json.value(nullptr);
}

void print_cost(JsonWriter& json, const std::optional<Cost>& cost) {
  json.key("cost");
  if (!cost) {
    json.value(nullptr);
    return;
  }
  json.begin_object();
  json.member("ratio", cost->ratio);
  json.member("least", cost->least);
  json.member("most", cost->most);
  json.member("pairs", cost->pairs);
  json.end_object();
}

const char* kind_of(const UsedPart& part) {
  if (part.disables.empty()) return "layout";
  return part.name.starts_with("env:") ? "setting" : "hook";
}

void print_parts(JsonWriter& json, const Bisection& result) {
  std::optional<Cost> unread; // measured once, for all of them
  for (std::size_t i = 0; i < result.parts.size(); ++i)
    if (result.parts[i].is_unread && result.costs[i]) unread = result.costs[i];
  json.key("parts");
  json.begin_array();
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    const UsedPart& part = result.parts[i];
    json.begin_object();
    json.member("name", part.name);
    json.member("kind", kind_of(part));
    json.member("calls", part.calls);
    json.member("asked_for", !part.is_unread);
    json.member("needed", static_cast<bool>(result.needed[i]));
    print_optional_trial(json, "without", result, result.without[i]);
    print_cost(json, part.is_unread ? unread : result.costs[i]);
    json.end_object();
  }
  json.end_array();
}

} // namespace

void print_bisect_json(const BisectPlan& plan, const Bisection& result, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  json.member("schema", schema);
  json.member("verdict", answer_name(result.answer));
  json.member("text", describe_bisection(result));
  json.member("command", plan.verify.command);
  json.member("seed", plan.verify.seed);
  json.member("mode", plan.verify.mode);
  json.member("folder", plan.verify.folder.string());
  print_parts(json, result);
  if (result.needed.empty()) {
    json.member("disable", nullptr);
    json.member("keep_aslr", nullptr);
  } else {
    json.member("disable", disable_list(plan, result));
    json.member("keep_aslr", leaves_layout_random(result));
  }
  print_optional_trial(json, "confirmed", result, result.confirmed);
  json.key("trials");
  json.begin_array();
  for (const Trial& trial : result.trials) print_trial(json, result, trial);
  json.end_array();
  json.member("runs", result.runs);
  json.member("most_runs", plan.most_runs);
  json.member("is_out_of_runs", result.is_out_of_runs);
  json.end_object();
  out << '\n';
}

} // namespace detshim
