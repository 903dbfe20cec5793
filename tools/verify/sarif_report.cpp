// SARIF 2.1.0 (OASIS), as code hosts read it: what differed is a result, at the line that led to it.
#include "report/json.h"
#include "support/wording.h"
#include "verify/report.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace detshim {
namespace {

struct SourceLocation {
  std::string uri;
  int line = 0;
};

/// As RFC 3986 has it: below the working directory relative to that, as code hosts want it.
std::string uri_of(const std::string& file) {
  constexpr std::string_view plain = "-._~/";
  const fs::path whole = (fs::current_path() / file).lexically_normal();
  const std::string relative = whole.lexically_relative(fs::current_path());
  const bool is_below = !relative.starts_with("..");
  std::string uri = is_below ? "" : "file://";
  for (const char c : is_below ? relative : whole.string()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || plain.find(c) != plain.npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// The first line of source in "train.py:12 main -> random.py:5 seed": a file's name may hold blanks.
std::optional<SourceLocation> location_in(std::string_view frames) {
  for (std::size_t at = 0; at < frames.size();) {
    const std::size_t end = std::min({frames.find(" -> ", at), frames.find(" <- ", at), frames.size()});
    const std::string_view frame = frames.substr(at, end - at);
    const bool is_file = !frame.starts_with('<'); // "<string>:1 <module>" is none
    for (std::size_t colon = frame.find(':'); is_file && colon != frame.npos;
         colon = frame.find(':', colon + 1)) {
      const std::string_view behind = frame.substr(colon + 1);
      const std::string_view digits = behind.substr(0, behind.find_first_not_of("0123456789"));
      const auto line = number_in<int>(digits);
      if (line && *line > 0 && (digits == behind || behind[digits.size()] == ' '))
        return SourceLocation{uri_of(std::string(frame.substr(0, colon))), *line};
    }
    at = end + std::string_view(" -> ").size();
  }
  return {};
}

/// Where the first cause is, or else what may be behind it.
std::optional<SourceLocation> location_of(const FirstCause& cause) {
  if (cause.is_found() && cause.difference->first_cause()->record)
    if (const auto found = location_in(cause.difference->first_cause()->record->call_site)) return found;
  for (const Suspect& suspect : cause.suspects)
    if (const std::size_t at = suspect.text.find(" at "); at != std::string::npos)
      if (const auto found = location_in(std::string_view(suspect.text).substr(at + 4))) return found;
  return {};
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
              {{"artifactLocation", {{"uri", at->uri}}}, {"region", {{"startLine", at->line}}}}}});
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
