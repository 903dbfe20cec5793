// Two runs' records of one thread, aligned: by function, call site and occurrence.
#pragma once

#include "log_diff/difference.h"
#include "log_diff/thread_records.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace detshim {

/// Records that differ; one of the two may be missing.
struct DifferentRecords {
  CauseKind kind = CauseKind::result;
  std::optional<std::size_t> a, b; ///< indices
  std::uint64_t position() const { return a ? *a : *b; }
};

struct Alignment {
  std::vector<DifferentRecords> differences; ///< as they come in the thread
  struct Candidate {
    std::size_t difference = 0; ///< index
    std::uint64_t before = 0;   ///< records that are the same
  };
  /// Those of the differences that may be the first: one that was there before all others of the
  /// thread, and before it counts of call sites, which may have come apart later, values of which
  /// detshim made the same, and the first output digest of each call site on the host, which shows
  /// what went wrong before and makes nothing go wrong.
  std::vector<Candidate> candidates;
  std::uint64_t identical = 0; ///< in the whole thread
};

Alignment align(const std::vector<RecordKey>& a, const std::vector<RecordKey>& b);

} // namespace detshim
