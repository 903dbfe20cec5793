// { schema_version: 1, verdict, text, command: [...], seed, mode, folder,    text: the closing line
//   parts: [{ name, kind, calls, asked_for, needed, without }],
//            kind: hook, setting or layout; calls: of a hook, in the first run; asked_for: false for a
//            variable that nobody was seen to ask for; without: of a needed part, the trial of the set
//            without it
//   disable, keep_aslr,    what DETSHIM_DISABLE is to be for the set that was found, and whether --keep-aslr
//                          belongs to it; null where no set was found
//   confirmed: the trial of that set, once more,
//   trials: [{ first_run, runs, kept: [names], differing, problem, folder }],
//   runs, most_runs, is_out_of_runs }
// A null stands for what is not known. `schema_version` is counted up where a member goes or changes its
// meaning.
#include "bisect/bisect.h"
#include "report/json_writer.h"

#include <ostream>

namespace detshim {
namespace {

constexpr int schema_version = 1;

void print_trial(JsonWriter& json, const Bisection& result, const Trial& trial) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < result.parts.size(); ++i)
    if (trial.kept.empty() || trial.kept[i]) kept.push_back(result.parts[i].name);
  json.member("first_run", trial.first_run);
  json.member("runs", trial.runs);
  json.member("kept", kept);
  json.member("differing", trial.differing);
  json.member("problem", unless_empty(trial.problem));
  json.member("folder", trial.folder);
}

void print_optional_trial(JsonWriter& json, const char* name, const Bisection& result,
                          const std::optional<Trial>& trial) {
  if (trial)
    json.object(name, [&] { print_trial(json, result, *trial); });
  else
    json.member(name, nullptr);
}

const char* kind_of(const UsedPart& part) {
  if (part.disables.empty()) return "layout";
  return part.name.starts_with("env:") ? "setting" : "hook";
}

} // namespace

void print_bisect_json(const BisectPlan& plan, const Bisection& result, std::ostream& out) {
  JsonWriter json(out);
  const bool is_found = !result.needed.empty();
  json.object([&] {
    json.member("schema_version", schema_version);
    json.member("verdict", answer_name(result.answer));
    json.member("text", describe_bisection(result));
    json.member("command", plan.verify.command);
    json.member("seed", plan.verify.seed);
    json.member("mode", plan.verify.mode);
    json.member("folder", plan.verify.folder.string());
    json.objects("parts", result.parts, [&](const UsedPart& part) {
      const auto i = static_cast<std::size_t>(&part - result.parts.data());
      json.member("name", part.name);
      json.member("kind", kind_of(part));
      json.member("calls", part.calls);
      json.member("asked_for", !part.is_unread);
      json.member("needed", static_cast<bool>(result.needed[i]));
      print_optional_trial(json, "without", result, result.without[i]);
    });
    json.member("disable", is_found ? std::optional(disable_list(plan, result)) : std::nullopt);
    json.member("keep_aslr", is_found ? std::optional(leaves_layout_random(result)) : std::nullopt);
    print_optional_trial(json, "confirmed", result, result.confirmed);
    json.objects("trials", result.trials, [&](const Trial& trial) { print_trial(json, result, trial); });
    json.member("runs", result.runs);
    json.member("most_runs", plan.most_runs);
    json.member("is_out_of_runs", result.is_out_of_runs);
  });
  out << '\n';
}

} // namespace detshim
