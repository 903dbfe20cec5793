// The wording of a difference between two logs, for each form in which people read it. All texts are safe to
// print.
#pragma once

#include "log_diff/difference.h"

#include <cstddef>
#include <string>

namespace detshim {

/// Of a longer value the beginning is shown.
inline constexpr std::size_t longest_value = 300;

/// "A 1 -> 7, 1 call; B 2 -> 9, 1 call".
std::string sides(const FactDifference& fact);
std::string sides(const RecordDifference& record);

/// "the same went in, something else came out".
std::string what_differs(const RecordDifference& record);

/// "the same before it in its thread: 3 records, of them 3 draws".
std::string describe_before(const IdenticalRecords& before);

/// "in process 0.2, thread 0.1".
std::string where(const Cause& cause);

/// "; 14 kernels launched since the copy before it: one of these may be it"; empty where there are none.
std::string describe_launched(const Cause& cause);

/// "srand, train.py:5 shuffle".
std::string name_of(const RecordDifference& record);

/// "rank 3".
std::string name_of(const RankDifference& rank);

/// So many of the rank's causes were there before its first record.
std::size_t causes_before_records(const RankDifference& rank);

/// ": one of these", where that is all that is known.
const char* how_sure(const RankDifference& rank);

} // namespace detshim
