// SARIF 2.1.0 (OASIS), as code hosts read it: what differed is a result, at the line that led to
// it.
#include "report/json.h"
#include "support/wording.h"
#include "verify/pattern.h"
#include "verify/report.h"

#include <spdlog/fmt/fmt.h>

#include <filesystem>

namespace detshim {
namespace {

/// As RFC 3986 has it: below the working directory relative to that, as code hosts want it.
std::string uri_of(const fs::path& file) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  const std::string whole = (fs::current_path() / file).lexically_normal();
  const std::string relative = fs::path(whole).lexically_relative(fs::current_path());
  const bool is_below = !relative.starts_with("..");
  std::string uri = is_below ? "" : "file://";
  for (const char c : is_below ? relative : whole)
    uri += plain.find(c) != plain.npos ? std::string(1, c)
                                       : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

/// The first line of a file in "my train.py:12 main -> random.py:5 seed"; none in "<string>:1
/// <module>".
Json locations_in(const std::string& frames) {
  static const Pattern line(R"((?:^| -> | <- )((?!<)(?:(?! -> | <- ).)+?:[1-9]\d{0,8})(?= |$))",
                            "");
  Json locations = Json::array();
  line.each_match(frames, [&](Span, Span group) {
    if (!locations.empty())
      return;
    const std::string_view text = group.of(frames);
    const std::size_t colon = text.rfind(':');
    locations.push_back({{"physicalLocation",
                          {{"artifactLocation", {{"uri", uri_of(text.substr(0, colon))}}},
                           {"region", {{"startLine", *number_in<int>(text.substr(colon + 1))}}}}}});
  });
  return locations;
}

/// Where the first cause is, or else what may be behind it.
Json locations_of(const FirstCause& cause) {
  Json locations = Json::array();
  if (cause.is_found() && cause.difference->first_cause()->record)
    locations = locations_in(cause.difference->first_cause()->record->call_site);
  for (const Suspect& suspect : cause.suspects)
    if (const std::size_t at = suspect.text.find(" at ");
        locations.empty() && at != std::string::npos)
      locations = locations_in(suspect.text.substr(at + 4));
  return locations;
}

} // namespace

void print_verify_sarif(const VerifyPlan& plan, const Verification& result, std::ostream& out) {
  Json results = Json::array();
  if (result.answer != Answer::equal) {
    std::string text = describe_answer(plan, result);
    Json locations = Json::array();
    if (result.first_cause) {
      for (const std::string& line : describe_first_cause(*result.first_cause, {}))
        text += "\n" + line;
      locations = locations_of(*result.first_cause);
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
