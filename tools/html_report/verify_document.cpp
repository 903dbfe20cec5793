#include "html_report/verify_document.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"
#include "verify/report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <type_traits>

namespace detshim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int known_schema = 1;
constexpr std::uintmax_t largest = 256u << 20;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError("'" + printable(file) + "' " + why);
}

/// A member, where it is there and not null. Throws Json::exception where it is of another type.
template <typename Value>
void take(const Json& object, const char* name, Value& value) {
  const auto member = object.find(name);
  if (member == object.end() || member->is_null()) return;
  if constexpr (std::is_same_v<Value, std::uint64_t>)
    value = member->get_ref<const Json::number_unsigned_t&>(); // get_to() converts what has no such number
  else
    member->get_to(value);
}

template <typename Entry, typename Read>
void take_list(const Json& object, const char* name, std::vector<Entry>& list, Read read) {
  const auto member = object.find(name);
  if (member == object.end() || member->is_null()) return;
  for (const Json& entry : member->get_ref<const Json::array_t&>()) {
    entry.get_ref<const Json::object_t&>(); // or it is no document of ours
    read(entry, list.emplace_back());
  }
}

void read_run(const Json& json, VerifyDocument::Run& run) {
  take(json, "name", run.name);
  take(json, "perturbation", run.perturbation);
  take(json, "seconds", run.seconds);
  take(json, "ending", run.ending);
  take(json, "folder", run.folder);
  take(json, "log", run.level);
}

void read_difference(const Json& json, VerifyDocument::Difference& difference) {
  take(json, "one", difference.one);
  take(json, "other", difference.other);
  take(json, "perturbation", difference.perturbation);
  take(json, "kind", difference.kind);
  take(json, "subject", difference.subject);
  ContentDifference& what = difference.what;
  take(json, "where", what.where);
  take(json, "value", what.value);
  take(json, "other_value", what.other_value);
  take(json, "count", what.count);
  take(json, "of", what.of);
  take(json, "unit", what.unit);
  const auto absolute = json.find("max_absolute");
  what.has_numbers = absolute != json.end() && !absolute->is_null();
  take(json, "max_absolute", what.max_absolute);
  take(json, "max_relative", what.max_relative);
  take(json, "not_comparable", what.not_comparable);
  take(json, "parts", what.parts);
}

VerifyDocument document_of(const Json& json) {
  VerifyDocument document;
  take(json, "verdict", document.verdict);
  document.text = document.verdict;
  take(json, "text", document.text);
  take(json, "command", document.command);
  take(json, "seed", document.seed);
  take(json, "mode", document.mode);
  take(json, "folder", document.folder);
  take(json, "bound_text", document.bound);
  take(json, "notes", document.notes);
  take(json, "relative_tolerance", document.relative_tolerance);
  take(json, "absolute_tolerance", document.absolute_tolerance);
  take_list(json, "controls", document.controls, read_run);
  take_list(json, "runs", document.runs, read_run);
  take_list(json, "resumed", document.resumed, read_run);
  take_list(json, "compared", document.items, [](const Json& entry, VerifyDocument::Item& item) {
    take(entry, "kind", item.kind);
    take(entry, "subject", item.subject);
    take(entry, "amount", item.amount);
    take(entry, "equal", item.is_equal);
  });
  take_list(json, "differences", document.differences, read_difference);
  take_list(json, "control_differences", document.control_differences, read_difference);
  take_list(json, "volatile", document.volatile_lines,
            [](const Json& entry, VerifyDocument::Volatile& lines) {
              take(entry, "one", lines.one);
              take(entry, "other", lines.other);
              take(entry, "stream", lines.stream);
              take(entry, "lines", lines.lines);
              take(entry, "line", lines.line);
              take(entry, "value", lines.value);
              take(entry, "other_value", lines.other_value);
            });
  take_list(json, "allocations", document.searches, [](const Json& entry, VerifyDocument::Problem& search) {
    std::string perturbation, text;
    take(entry, "perturbation", perturbation);
    take(entry, "text", text);
    take(entry, "result", search.kind);
    search.text = perturbation + ": " + text;
  });
  take_list(json, "problems", document.problems, [](const Json& entry, VerifyDocument::Problem& problem) {
    take(entry, "kind", problem.kind);
    take(entry, "text", problem.text);
  });
  return document;
}

/// The folder of the runs may have been moved, or copied from another machine.
void find_folders(const std::string& file, std::vector<VerifyDocument::Run>& runs) {
  for (VerifyDocument::Run& run : runs) {
    std::error_code error;
    if (fs::is_directory(run.folder, error)) continue;
    const fs::path beside = fs::path(file).parent_path() / fs::path(run.folder).filename();
    if (fs::is_directory(beside, error)) run.folder = beside.string();
  }
}

} // namespace

const VerifyDocument::Run* VerifyDocument::find_run(const std::string& name) const {
  const auto found = std::ranges::find(runs, name, &Run::name);
  if (found != runs.end()) return &*found;
  const auto other = std::ranges::find(resumed, name, &Run::name);
  return other == resumed.end() ? nullptr : &*other;
}

VerifyDocument read_verify_document(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) refuse(file, "cannot be read: " + error.message());
  if (size > largest) refuse(file, "is no document of `detshim verify --json`: it is too large");
  std::ifstream in(file, std::ios::binary);
  const Json json = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("schema") || !json.contains("verdict"))
    refuse(file, "is no document of `detshim verify --json`");
  if (json["schema"] != known_schema)
    refuse(file, "is of schema " + json["schema"].dump(-1, ' ', true, Json::error_handler_t::replace) +
                     ", this detshim reads schema " + std::to_string(known_schema));
  try {
    VerifyDocument document = document_of(json);
    find_folders(file, document.runs);
    find_folders(file, document.resumed);
    return document;
  } catch (const Json::exception&) {
    refuse(file, "is no document of `detshim verify --json`: a member has another type");
  }
}

std::string describe_item(const std::string& kind, const std::string& subject) {
  return printable(describe_item(ComparedItem{kind.c_str(), subject, "", true}));
}

} // namespace detshim
