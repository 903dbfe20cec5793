// The processes of a log as a tree, by their names.
#pragma once

#include "log_reader/log.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace detshim {

struct ProcessNode {
  const Process* process = nullptr;
  std::vector<std::size_t> children; ///< indices into ProcessTree::nodes
};

struct RankProcesses {
  std::string world;
  std::int64_t rank = 0;
  std::vector<std::size_t> roots;
  std::size_t processes = 0;
};

/// A process's parent is the one whose name its own begins with, or the nearest of those before that one
/// which left a log: "0.2.1" is a child of "0.2", else of "0".
struct ProcessTree {
  std::vector<ProcessNode> nodes;
  std::vector<RankProcesses> ranks; ///< by world and rank

  explicit ProcessTree(const Log& log);
};

/// "Rank 1 of 4 of job step 2, node n1"; safe to print.
std::string describe_rank(const Log& log, const RankProcesses& rank);

} // namespace detshim
