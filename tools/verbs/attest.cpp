// detshim attest: what a verification found, as an in-toto Statement that others sign.
//
// Its members: github.com/in-toto/attestation, spec/v1 (statement, resource_descriptor, digest_set)
// and spec/predicates/test-result.md, version 0.1.
#include "environment/capture.h"
#include "environment/kept_environments.h"
#include "report/json.h"
#include "report/log_report.h"
#include "support/files.h"
#include "support/wording.h"
#include "verbs/verbs.h"
#include "verify/report.h"

#include <iostream>
#include <sstream>

namespace detshim {
namespace {

Json resource_descriptor(const std::string& name, const std::string& sha256,
                         const Json& annotations = {}) {
  if (sha256.empty())
    throw UsageError("no sha256 of " + in_quotes(name) +
                     ": an older detshim made it, or where no sha256sum was; verify again");
  Json result = {{"name", name}, {"digest", {{"sha256", sha256}}}};
  if (!annotations.empty())
    result["annotations"] = annotations;
  return result;
}

/// What was compared, as a Statement has it.
struct ComparedItems {
  Json subjects = Json::array(), passed = Json::array(), failed = Json::array();
  std::size_t other_bytes = 0; ///< items that are equal by what they hold alone

  explicit ComparedItems(const Json& document) {
    for (const Json& item : document.at("compared"))
      add(item);
  }

private:
  void add(const Json& item) {
    const std::string kind = item.at("kind"), name = text_of(item, "subject");
    const std::string sum = text_of(item, "sha256");
    const bool is_equal = item.at("equal");
    const auto is_of = [&](ItemKind of) {
      ComparedItem compared;
      compared.kind = of;
      return kind == compared.kind_name();
    };
    other_bytes += item.value("other_bytes", false) ? 1 : 0;
    (is_equal ? passed : failed).push_back(name.empty() ? kind : kind + " " + name);
    const bool has_bytes = !item.value("link", false);
    if (!has_bytes || (!is_equal && sum.empty()))
      return;
    if (is_of(ItemKind::out))
      subjects.push_back(resource_descriptor(kind, sum));
    if (is_of(ItemKind::output))
      subjects.push_back(resource_descriptor(name == "stdout" ? "./" + name : name, sum));
  }
};

/// The runs, by whether something was turned in them.
struct RunsOfDocument {
  std::size_t plain = 0;
  Json perturbations = Json::array();

  explicit RunsOfDocument(const Json& document) {
    for (const Json& run : document.at("runs"))
      if (text_of(run, "perturbation").empty())
        ++plain;
      else
        perturbations.push_back(run.at("perturbation"));
  }
};

/// How the runs were made and compared.
Json annotations_of(const Json& document, const RunsOfDocument& runs, std::size_t other_bytes) {
  Json how = {{"command", shell_command(shown_words(document.at("command")))},
              {"perturbations", runs.perturbations}};
  for (const char* name :
       {"seed", "mode", "verdict", "equal_runs", "relative_tolerance", "absolute_tolerance"})
    how[name] = document.at(name);
  how["other_bytes"] = other_bytes;
  for (const char* list : {"volatile", "environment_changes"})
    how[list] = document.at(list).size();
  return how;
}

/// PASSED where the runs prove it, FAILED where they prove the contrary.
const char* result_of(const Json& document, const ComparedItems& items, const Json& warned,
                      const RunsOfDocument& runs) {
  const std::string verdict = document.at("verdict");
  if (verdict == answer_name(Answer::different) || !items.failed.empty() ||
      !document.at("differences").empty())
    return "FAILED";
  const std::size_t equal_runs = document.at("equal_runs");
  const bool is_proved = verdict == answer_name(Answer::equal) && warned.empty() &&
                         equal_runs >= 2 && equal_runs <= runs.plain;
  return is_proved ? "PASSED" : "WARNED";
}

/// `own_sha256`: of the document. Throws what nlohmann-json throws where a member is missing.
Json statement_of(const Json& document, const std::string& own_sha256) {
  const ComparedItems items(document);
  if (const Json& version = document.at("schema_version"); version != 1)
    throw UsageError("it is of schema version " + version.dump() + ", this detshim reads 1");
  if (items.subjects.empty())
    throw UsageError("no output was compared, nor standard output");
  Json warned = Json::array();
  for (const Json& problem : document.at("problems"))
    warned.push_back(problem.at("kind"));
  for (const char* end : {"until", "first"}) // of the runs' rest nothing is known
    if (const auto asked = document.find(end); asked != document.end() && !asked->is_null())
      warned.push_back(end);
  const RunsOfDocument runs(document);
  const Json library = {{"version", document.at("detshim")},
                        {"build_id", document.at("library").at("build_id")}};
  const Json configuration = {
      resource_descriptor(verify_document_file, own_sha256,
                          annotations_of(document, runs, items.other_bytes)),
      resource_descriptor("libdetshim.so", text_of(document.at("library"), "sha256"), library),
      resource_descriptor("environment.json", text_of(document, "environment_sha256"))};
  return {{"_type", "https://in-toto.io/Statement/v1"},
          {"subject", items.subjects},
          {"predicateType", "https://in-toto.io/attestation/test-result/v0.1"},
          {"predicate",
           {{"result", result_of(document, items, warned, runs)},
            {"configuration", configuration},
            {"passedTests", items.passed},
            {"warnedTests", warned},
            {"failedTests", items.failed}}}};
}

} // namespace

int attest(const AttestOptions& options) {
  std::string file = options.place.value_or(latest_place());
  std::error_code error;
  if (fs::is_directory(file, error))
    file += std::string("/") + verify_document_file;
  if (!options.place && !fs::exists(file, error))
    throw UsageError("no verification in " + in_quotes(default_log_folder) +
                     ": `detshim verify -- program` makes one");
  require_readable(file);
  std::ostringstream text;
  try {
    print_json(text,
               statement_of(Json::parse(read_file(file)), sha256_of({fs::absolute(file)}).front()));
  } catch (const UsageError& problem) {
    throw UsageError(in_quotes(file) + ": " + problem.what());
  } catch (const Json::exception&) {
    throw UsageError(in_quotes(file) +
                     " is no document of `detshim verify --json`, or not a whole one");
  }
  if (options.output == "-")
    std::cout << text.str();
  else
    write_where_asked(options.output, text.str(), 0666); // the umask takes from it
  return done;
}

} // namespace detshim
