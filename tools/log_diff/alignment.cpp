// Decides which record of a thread belongs to which of the other run, and how the two differ. The
// n-th call of a call site belongs to the n-th of the same call site there. How they differ follows
// from digests of what went in and of what came out, and from the numbers of calls.
//
// A thread's first difference is looked for up to the first firm one. Numbers of calls are not
// firm: they may have parted at any time. Nor are inputs that detshim made the same of, nor outputs
// of the host. It cannot know what a call did that its record has no value for.
#include "log_diff/alignment.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace detshim {
namespace {

constexpr std::size_t nothing = ~std::size_t{0};

/// For each record of `a` the one of `b` with the same call site and occurrence, or nothing.
std::vector<std::size_t> partners(const std::vector<RecordKey>& a,
                                  const std::vector<RecordKey>& b) {
  std::unordered_map<std::uint64_t, std::pair<std::vector<std::size_t>, std::size_t>> by_call_site;
  for (std::size_t i = 0; i < b.size(); ++i)
    by_call_site[b[i].call_site].first.push_back(i);
  std::vector<std::size_t> result(a.size(), nothing);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto of_site = by_call_site.find(a[i].call_site);
    if (of_site == by_call_site.end())
      continue;
    auto& [records, next] = of_site->second;
    if (next < records.size())
      result[i] = records[next++];
  }
  return result;
}

bool counts_differ(const CallCount& a, const CallCount& b) {
  if (a.is_exact && b.is_exact)
    return a.calls != b.calls;
  // At least so many: more than all of the other's are a difference.
  return (a.is_exact && b.calls > a.calls) || (b.is_exact && a.calls > b.calls);
}

std::optional<CauseKind> difference(const RecordKey& a, const RecordKey& b) {
  if (a.inputs != b.inputs)
    return a.results == b.results && a.has_results ? CauseKind::absorbed : CauseKind::input;
  if (a.results != b.results)
    return CauseKind::result;
  if (counts_differ(a.count, b.count))
    return CauseKind::count;
  return std::nullopt;
}

/// Whether the difference ends what is known to be equal. Of a count it is not known when; what was
/// absorbed changes nothing.
bool is_firm(CauseKind kind) { return kind != CauseKind::count && kind != CauseKind::absorbed; }

/// Walks through both lists at once.
class Aligner {
public:
  Aligner(const std::vector<RecordKey>& a, const std::vector<RecordKey>& b)
      : a_(a), b_(b), partner_of_a_(partners(a, b)), partner_of_b_(b.size(), nothing) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (partner_of_a_[i] != nothing)
        partner_of_b_[partner_of_a_[i]] = i;
  }

  Alignment align() {
    while (at_a_ < a_.size() || at_b_ < b_.size()) {
      if (is_done_in_b())
        leave_b();
      else if (at_a_ == a_.size())
        break;
      else if (partner_of_a_[at_a_] == nothing)
        add(CauseKind::only_a, at_a_++, std::nullopt);
      else
        compare_with(partner_of_a_[at_a_]);
    }
    return std::move(result_);
  }

private:
  /// The next of `b` has no partner, or one that came before.
  bool is_done_in_b() const {
    return at_b_ < b_.size() && (partner_of_b_[at_b_] == nothing || partner_of_b_[at_b_] < at_a_);
  }

  /// Of one whose partner came before, the difference was added there.
  void leave_b() {
    if (partner_of_b_[at_b_] == nothing)
      add(CauseKind::only_b, std::nullopt, at_b_);
    ++at_b_;
  }

  void compare_with(std::size_t partner) {
    const std::optional<CauseKind> kind = difference(a_[at_a_], b_[partner]);
    const bool is_next = partner == at_b_;
    if (!is_next)
      add(kind.value_or(CauseKind::order), at_a_, partner);
    else if (kind)
      add(*kind, at_a_, partner);
    else
      ++result_.identical;
    ++at_a_;
    if (is_next)
      ++at_b_;
  }

  void add(CauseKind kind, std::optional<std::size_t> in_a, std::optional<std::size_t> in_b) {
    result_.differences.push_back({kind, in_a, in_b});
    const RecordKey& key = in_a ? a_[*in_a] : b_[*in_b];
    if (is_first_ && (!key.is_of_host || outputs_.insert(key.call_site).second))
      result_.candidates.push_back({result_.differences.size() - 1, result_.identical});
    if (is_firm(kind) && !key.is_of_host)
      is_first_ = false;
  }

  const std::vector<RecordKey>& a_;
  const std::vector<RecordKey>& b_;
  const std::vector<std::size_t> partner_of_a_;
  std::vector<std::size_t> partner_of_b_;
  std::size_t at_a_ = 0, at_b_ = 0;
  bool is_first_ = true;                      ///< no firm difference came before
  std::unordered_set<std::uint64_t> outputs_; ///< call sites whose output is another one
  Alignment result_;
};

} // namespace

Alignment align(const std::vector<RecordKey>& a, const std::vector<RecordKey>& b) {
  return Aligner(a, b).align();
}

} // namespace detshim
