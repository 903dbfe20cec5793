// What differs between the logs of two runs, and what differed first.
#pragma once

#include "log_diff/facts.h"
#include "log_diff/record_roles.h"
#include "log_diff/run.h"
#include "log_diff/suspects.h"
#include "log_reader/calls.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

/// A setting, a library, a rank or a process in which the two runs differ.
struct FactDifference {
  Section section = Section::settings;
  FactSubject subject;
  std::optional<std::string> a, b; ///< nothing: that side has none
  ProcessName process;             ///< the first in which it differs
  std::uint64_t processes = 1;     ///< in so many it differs alike
};

enum class CauseKind {
  result,   ///< what went in is the same, what came out is not
  input,    ///< what went in differs: it was made before the call
  absorbed, ///< what went in differs, and detshim made the same of it
  count,    ///< calls from one call site: more in one run, at a moment that the log does not tell
  only_a,   ///< no such call in the other run
  only_b,
  order, ///< the other run has it at another point
};
inline constexpr const char* kind_names[] = {"result", "input",  "absorbed", "count",
                                             "only_a", "only_b", "order"};

struct RecordDifference {
  ProcessName process;
  std::string thread;
  std::uint64_t position = 0; ///< so many records of its thread came before
  Section section = Section::calls;
  CauseKind kind = CauseKind::result;
  bool has_inputs = false;
  bool is_volatile = false; ///< a seed of the program's that differs from run to run
  struct Side {
    Call call;
    CallCount count;
  };
  std::optional<Side> a, b;
  std::string call_site; ///< for people, safe to print

  const Call& call() const { return a ? a->call : b->call; }
};

/// What may have been first to differ: one of the two.
struct Cause {
  ProcessName process;
  std::string thread; ///< empty for a fact
  std::optional<FactDifference> fact;
  std::optional<RecordDifference> record;
  std::uint64_t before = 0; ///< records of its thread that are the same in both runs
};

struct RankDifference {
  std::string job;
  std::int64_t rank = 0;
  enum class Role { origin, receiver, same } role = Role::same;
  std::vector<Cause> causes; ///< the most telling first; of several, one is the first in time
  std::uint64_t further = 0; ///< so many more
};
inline constexpr const char* role_names[] = {"origin", "receiver", "same"};

struct LogDifference {
  enum class Result { equal, different, unknown };
  struct Side {
    std::string folder, run;
    std::uint64_t records = 0, processes = 0, threads = 0, other_runs = 0;
  };
  Side a, b;
  std::vector<FactDifference> facts;             ///< by section
  std::vector<RecordDifference> records;         ///< by section, the first few of each
  std::uint64_t differences[section_count] = {}; ///< all of a section
  std::uint64_t identical = 0;                   ///< records
  std::vector<RankDifference> ranks;
  std::vector<std::string> unknown; ///< what could not be compared; safe to print
  std::vector<std::string>
      unread; ///< those of them that are outputs whose contents could not be read
  std::vector<std::string> notes; ///< what differs and means nothing by itself; safe to print
  std::vector<Suspect> suspects;  ///< filled by add_suspects()

  Result result() const {
    if (std::ranges::any_of(differences, [](std::uint64_t count) {
          return count > 0;
        }))
      return Result::different;
    return unknown.empty() ? Result::equal : Result::unknown;
  }
  /// The ranks' causes, one after the other; nullptr where nothing differs.
  const Cause* first_cause() const {
    return ranks.empty() || ranks.front().causes.empty() ? nullptr : &ranks.front().causes.front();
  }
};
inline constexpr const char* result_names[] = {"equal", "different", "unknown"};

} // namespace detshim
