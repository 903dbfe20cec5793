#include "html_report/process_tree.h"

#include "log_reader/jobs.h"
#include "log_reader/printable.h"

#include <cctype>
#include <map>
#include <optional>
#include <utility>

namespace detshim {
namespace {

using ByPath = std::map<std::string, std::size_t>; ///< the first process of that name

/// The longest beginning of the path that is the name of another one: "0.2" of "0.2.1", not "0.2" of "0.21".
std::optional<std::size_t> parent_of(const std::string& path, const ByPath& by_path) {
  for (std::size_t length = path.size(); --length > 0;) {
    if (std::isdigit(static_cast<unsigned char>(path[length])) != 0 &&
        std::isdigit(static_cast<unsigned char>(path[length - 1])) != 0)
      continue;
    const auto found = by_path.find(path.substr(0, length));
    if (found != by_path.end()) return found->second;
  }
  return std::nullopt;
}

} // namespace

ProcessTree::ProcessTree(const Log& log) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<std::size_t>> by_rank;
  for (const Process& process : log.processes) {
    by_rank[{process.world(), process.rank}].push_back(nodes.size());
    nodes.push_back({&process, {}});
  }
  for (const auto& [name, members] : by_rank) {
    RankProcesses& rank = ranks.emplace_back(RankProcesses{name.first, name.second, {}, members.size()});
    ByPath by_path;
    for (const std::size_t node : members) by_path.emplace(nodes[node].process->path, node);
    for (const std::size_t node : members) {
      const std::string& path = nodes[node].process->path;
      const std::optional<std::size_t> parent = path.empty() ? std::nullopt : parent_of(path, by_path);
      (parent ? nodes[*parent].children : rank.roots).push_back(node);
    }
  }
}

std::string describe_rank(const Log& log, const RankProcesses& rank) {
  const std::int64_t size = size_of_world(log, rank.world);
  const std::string node = node_of(log, rank.world, rank.rank);
  return "Rank " + std::to_string(rank.rank) + (size > 0 ? " of " + std::to_string(size) : "") +
         (rank.world.empty() ? "" : " of job " + printable(rank.world)) +
         (node.empty() ? "" : ", node " + printable(node));
}

} // namespace detshim
