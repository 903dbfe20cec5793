// The table of findings, and how a reason is named.
//
// Decides the level of each finding and whether a comparison of runs answers it, from the finding
// alone. A key names a reason in the evidence file. A later run finds by it the reasons that are
// new, so a key holds only what is the same in every run, and no counts. It cannot tell two things
// apart that have the same name in one place.
#include "verdict/finding.h"

#include "support/wording.h"

#include <algorithm>

namespace detshim {
namespace {

using enum VerdictLevel;
using enum Settled;

constexpr FindingRow rows[] = {
#define DETSHIM_FINDING_ROW(finding, ...) {__VA_ARGS__},
    DETSHIM_FINDINGS(DETSHIM_FINDING_ROW)
#undef DETSHIM_FINDING_ROW
};

} // namespace

const FindingRow& row_of(Finding finding) { return rows[static_cast<std::size_t>(finding)]; }

bool is_finding_kind(std::string_view kind) {
  return std::ranges::any_of(rows, [&](const FindingRow& row) {
    return row.kind == kind;
  });
}

std::string subject_of(const VerdictReason& reason) {
  if (!reason.function.empty())
    return reason.function;
  return reason.file.empty() ? reason.library : base_name(reason.file);
}

std::vector<std::string> keys_of(const VerdictReason& reason) {
  std::string key = reason.kind();
  for (const std::string& part : {subject_of(reason), reason.code, reason.place, reason.detail})
    if (!part.empty())
      key += ' ' + part;
  if (reason.names.empty())
    return {key};
  std::vector<std::string> keys;
  for (const std::string& name : reason.names)
    keys.push_back(key + ' ' + name);
  return keys;
}

const char* level_name(VerdictLevel level) {
  constexpr const char* names[] = {"covered", "verified", "unverified", "partial"};
  return names[static_cast<std::size_t>(level)];
}

} // namespace detshim
