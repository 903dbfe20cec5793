// Decides whether a run that goes on has differed already: then the hours that it would still take
// show nothing new.
//
// It compares whole lines by the same rules as the comparison of ended runs, which follows and has
// the last word. A process's id is known once its log has it, so a line that seems to differ is
// looked at again with what the log says by now.
#include "verify/running_comparison.h"

#include "support/exit_status.h"
#include "support/mapped_file.h"
#include "verify/run_logs.h"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace detshim {
namespace {

/// A short run goes on to its end: what it writes says more.
constexpr double patience_s = 10;

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace

bool RunningComparison::has_differed(const Run& now) {
  if (is_given_up_ || now_s() - now.began < patience_s)
    return false;
  try {
    return std::ranges::any_of(both_streams, [&](PrintedStream stream) {
      return !rules_.ignores(stream) && has_differed(now, stream);
    });
  } catch (const UsageError&) { // an expression that takes too long
    is_given_up_ = true;
    return false;
  }
}

bool RunningComparison::has_differed(const Run& now, PrintedStream stream) {
  const MappedFile first_file(first_.printed(stream)), file(now.printed(stream));
  Position& compared = compared_[stream];
  const std::string_view added = whole_lines(file.bytes().substr(compared.now));
  if (added.empty())
    return false;
  const auto lines = static_cast<std::size_t>(std::ranges::count(added, '\n'));
  const std::string_view first = first_lines(first_file.bytes().substr(compared.first), lines);
  compared.now += added.size();
  compared.first += first.size();
  RunFacts facts{now.began, now_s(), now.processes, first_.reads_clocks, first_.may_show_times};
  const VolatileText volatile_text = volatile_text_of(first_, rules_);
  const auto differ = [&] {
    return compare_lines(first, facts_of(first_), added, facts,
                         {volatile_text, tolerated_metrics(rules_)})
               .different > 0;
  };
  if (!differ())
    return false;
  facts.processes.merge(logged_facts(log_).processes);
  return differ();
}

} // namespace detshim
