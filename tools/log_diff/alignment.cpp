#include "log_diff/alignment.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace detshim {
namespace {

constexpr std::size_t nothing = ~std::size_t{0};

/// For each record of `a` the one of `b` with the same call site and occurrence, or nothing.
std::vector<std::size_t> partners(const std::vector<RecordKey>& a, const std::vector<RecordKey>& b) {
  std::unordered_map<std::uint64_t, std::pair<std::vector<std::size_t>, std::size_t>> by_call_site;
  for (std::size_t i = 0; i < b.size(); ++i) by_call_site[b[i].call_site].first.push_back(i);
  std::vector<std::size_t> result(a.size(), nothing);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto found = by_call_site.find(a[i].call_site);
    if (found == by_call_site.end()) continue;
    auto& [records, next] = found->second;
    if (next < records.size()) result[i] = records[next++];
  }
  return result;
}

bool counts_differ(const CallCount& a, const CallCount& b) {
  if (a.is_exact && b.is_exact) return a.calls != b.calls;
  // At least so many: more than all of the other's are a difference.
  return (a.is_exact && b.calls > a.calls) || (b.is_exact && a.calls > b.calls);
}

std::optional<CauseKind> difference(const RecordKey& a, const RecordKey& b) {
  if (a.inputs != b.inputs)
    return a.results == b.results && a.has_results ? CauseKind::absorbed : CauseKind::input;
  if (a.results != b.results) return CauseKind::result;
  if (counts_differ(a.count, b.count)) return CauseKind::count;
  return std::nullopt;
}

/// Whether the difference ends what is known to be equal. Of a count it is not known when; what was absorbed
/// changes nothing.
bool is_firm(CauseKind kind) { return kind != CauseKind::count && kind != CauseKind::absorbed; }

} // namespace

Alignment align(const std::vector<RecordKey>& a, const std::vector<RecordKey>& b) {
  Alignment result;
  const std::vector<std::size_t> partner_of_a = partners(a, b);
  std::vector<std::size_t> partner_of_b(b.size(), nothing);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (partner_of_a[i] != nothing) partner_of_b[partner_of_a[i]] = i;

  bool is_first = true;
  std::unordered_set<std::uint64_t> outputs; // call sites whose output is another one
  const auto found = [&](CauseKind kind, std::optional<std::size_t> in_a, std::optional<std::size_t> in_b) {
    result.differences.push_back({kind, in_a, in_b});
    const RecordKey& key = in_a ? a[*in_a] : b[*in_b];
    if (is_first && (!key.is_of_host || outputs.insert(key.call_site).second))
      result.candidates.push_back({result.differences.size() - 1, result.identical});
    if (is_firm(kind) && !key.is_of_host) is_first = false;
  };

  std::size_t i = 0, k = 0;
  while (i < a.size() || k < b.size()) {
    if (k < b.size() && (partner_of_b[k] == nothing || partner_of_b[k] < i)) {
      // Its partner, if it has one, came before: that was said there.
      if (partner_of_b[k] == nothing) found(CauseKind::only_b, std::nullopt, k);
      ++k;
      continue;
    }
    if (i == a.size()) break;
    const std::size_t partner = partner_of_a[i];
    if (partner == nothing) {
      found(CauseKind::only_a, i++, std::nullopt);
      continue;
    }
    const std::optional<CauseKind> differs = difference(a[i], b[partner]);
    if (partner != k) {
      found(differs ? *differs : CauseKind::order, i++, partner);
      continue;
    }
    if (differs) found(*differs, i, k);
    if (!differs) ++result.identical;
    ++i;
    ++k;
  }
  return result;
}

} // namespace detshim
