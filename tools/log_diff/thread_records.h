// The records of one program's threads, read again to be compared one by one.
#pragma once

#include "log_diff/call_sites.h"
#include "log_diff/difference.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

/// What is kept of a record to compare it.
struct RecordKey {
  std::uint64_t call_site = 0; ///< function and call site
  std::uint64_t inputs = 0;    ///< what went in
  std::uint64_t results = 0;
  std::uint64_t offset = 0; ///< in its file
  CallCount count;
  Section section = Section::calls;
  bool has_inputs = false, has_results = false;
  bool is_of_host = false; ///< of an output of the program's own, no copy from a GPU
};

/// By thread; of each, so many records at its beginning are not looked at.
using PassedOver = std::map<std::string, std::uint64_t, std::less<>>;
using ThreadKeys = std::map<std::string, std::vector<RecordKey>, std::less<>>;

/// So many records of a thread are compared one by one.
inline constexpr std::size_t most_compared_records = 1 << 20;

/// Those of a program's threads that are named; of very long ones the first most_compared_records.
ThreadKeys read_keys(const LoggedRun& run, const Program& program, const PassedOver& threads,
                     CallSiteKeys& call_sites);

/// One record, whole.
std::optional<RecordDifference::Side> read_record(const LoggedRun& run, const Program& program,
                                                  const RecordKey& key);

} // namespace detshim
