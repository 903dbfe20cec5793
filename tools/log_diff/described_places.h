// Places of records for people: lines of source, where the files on disk are those that ran.
#pragma once

#include "log_diff/difference.h"
#include "log_reader/source_lines.h"

#include <map>
#include <string>
#include <utility>

namespace detshim {

class DescribedPlaces {
public:
  DescribedPlaces(const LoggedRun& a, const LoggedRun& b) : a_(a), b_(b) {}

  /// By the side whose files are still there.
  std::string describe(const RecordDifference& record);

private:
  bool is_what_ran(const LoggedRun& run, const Call& call);
  bool is_what_ran(const LoggedRun& run, const std::string& place);

  const LoggedRun& a_;
  const LoggedRun& b_;
  std::map<std::pair<const LoggedRun*, std::string>, bool> known_;
  SourceLines source_lines_;
};

} // namespace detshim
