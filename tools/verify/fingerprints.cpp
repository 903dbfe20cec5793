#include "verify/fingerprints.h"

#include "log_diff/difference_report.h"
#include "log_diff/log_diff.h"
#include "log_diff/record_roles.h"
#include "support/variable.h"
#include "support/wording.h"

namespace detshim {
namespace {

/// Its hash, and that of what went in where it is known.
std::string content_of(const std::optional<RecordDifference::Side>& side) {
  if (!side) return "no such output";
  const std::string* const digest = find_field(side->call.fields, "digest");
  const std::string* const in = find_field(side->call.fields, "in");
  return (digest != nullptr ? *digest : "not read") + (in != nullptr ? " of " + *in : "");
}

} // namespace

bool are_fingerprinted() {
  const std::string requested = variable("DETSHIM_FINGERPRINT");
  return requested == "host" || requested == "calls";
}

void compare_fingerprints(const std::string& log, const std::string& other_log, Comparison& result) {
  const LogDifference difference = compare_logs(log, other_log);
  for (const std::string& what : difference.unread) result.remarks.push_back("fingerprints: " + what);
  const RecordDifference* first = nullptr;
  std::size_t kept = 0, of_gpu = 0;
  for (const RecordDifference& record : difference.records) {
    if (record.section != Section::digests) continue;
    ++kept;
    if (is_of_host(record.call())) continue;
    // After other draws the same content: nothing of it differs.
    if (record.a && record.b && content_of(record.a) == content_of(record.b)) continue;
    ++of_gpu;
    if (first == nullptr) first = &record;
  }
  if (first != nullptr) {
    ComparedItem item{"fingerprint", "", counted(of_gpu, "different output"), false};
    result.differences.push_back({item, {name_of(*first), content_of(first->a), content_of(first->b)}});
    result.items.push_back(std::move(item));
  } else if (difference.differences[static_cast<int>(Section::digests)] > kept) {
    result.uncompared.push_back("more outputs differ than are looked at: " + counted(kept, "output") +
                                " of the program's own came first");
  }
}

} // namespace detshim
