// In what two environments differ.
#pragma once

#include "environment/environment.h"

#include <optional>
#include <vector>

namespace detshim {

struct EnvironmentDifference {
  EnvironmentSection section = EnvironmentSection::libraries;
  Subject subject;
  std::optional<std::string> a, b; ///< nothing: not there
  std::string host = {};           ///< of what machine, where several were compared
};

struct EnvironmentUnknown {
  EnvironmentSection section = EnvironmentSection::libraries;
  Subject subject;
  std::string why_in_a, why_in_b; ///< empty: it is known there
  std::string host = {};
};

/// What is there on both sides, and may differ where nobody sees it.
struct EnvironmentHidden {
  EnvironmentSection section = EnvironmentSection::libraries;
  Subject subject;
  bool is_whole = true; ///< false: the rest of it was compared
  std::string host = {};
};

struct EnvironmentComparison {
  std::vector<EnvironmentDifference> differences; ///< the worst first
  std::vector<EnvironmentUnknown> unknown;
  std::vector<EnvironmentHidden> hidden; ///< secrets: neither equal, different nor unknown
  std::size_t same = 0;                  ///< facts
};

/// What one of them has not captured is unknown, and neither equal nor different.
EnvironmentComparison compare_environments(const Environment& a, const Environment& b);

} // namespace detshim
