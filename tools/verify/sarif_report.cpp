// SARIF 2.1.0 (OASIS), as code hosts read it: what differed is a result, at the line that led to it.
#include "report/json.h"
#include "support/wording.h"
#include "verify/report.h"

#include <filesystem>

namespace detshim {
namespace {

struct SourceLocation {
  std::string file;
  int line = 0;
};

/// The first "train.py:12" of "srand, train.py:12 main".
std::optional<SourceLocation> location_in(const std::string& place) {
  for (const std::string& word : split(place, ' ')) {
    const std::size_t colon = word.rfind(':');
    if (colon == std::string::npos || colon == 0) continue;
    std::string_view digits = std::string_view(word).substr(colon + 1);
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    const auto line = number_in<int>(digits);
    if (!line || *line <= 0) continue;
    // Below the working directory code hosts want it relative to that.
    const std::string file = word.substr(0, colon);
    const std::string relative = fs::path(file).lexically_relative(fs::current_path());
    const bool is_below = !relative.empty() && !relative.starts_with("..");
    return SourceLocation{is_below ? relative : file, *line};
  }
  return {};
}

/// Where the first cause is, or else what may be behind it.
std::optional<SourceLocation> location_of(const FirstCause& cause) {
  std::optional<SourceLocation> found = location_in(cause.place());
  for (const Suspect& suspect : cause.suspects)
    if (!found) found = location_in(suspect.text);
  return found;
}

} // namespace

void print_verify_sarif(const VerifyPlan& plan, const Verification& result, std::ostream& out) {
  Json results = Json::array();
  if (result.answer != Answer::equal) {
    std::string text = describe_answer(plan, result);
    Json locations = Json::array();
    if (result.first_cause) {
      for (const std::string& line : describe_first_cause(*result.first_cause, {})) text += "\n" + line;
      if (const auto at = location_of(*result.first_cause))
        locations.push_back(
            {{"physicalLocation",
              {{"artifactLocation", {{"uri", at->file}}}, {"region", {{"startLine", at->line}}}}}});
    }
    results.push_back({{"ruleId", answer_name(result.answer)},
                       {"level", result.answer == Answer::different ? "error" : "warning"},
                       {"message", {{"text", text}}},
                       {"locations", std::move(locations)}});
  }
  const auto rule = [](Answer answer, const char* text) -> Json {
    return {{"id", answer_name(answer)}, {"shortDescription", {{"text", text}}}};
  };
  const Json driver = {{"name", "detshim"},
                       {"version", DETSHIM_VERSION},
                       {"rules",
                        {rule(Answer::different, "Runs of one program under one seed differ"),
                         rule(Answer::unverified, "Whether runs are equal could not be told")}}};
  print_json(out, {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", {{{"tool", {{"driver", driver}}}, {"results", std::move(results)}}}}});
}

} // namespace detshim
