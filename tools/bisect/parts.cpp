#include "bisect/bisect.h"

#include "log_reader/log.h"

#include <map>
#include <set>

namespace detshim {
namespace {

struct Used {
  std::map<std::string, std::uint64_t> hooks;
  std::set<std::string> read;
  bool has_fixed_layout = false;
};

void add(const Log& log, Used& used) {
  for (const auto& [symbol, calls] : log.calls.symbols)
    if (symbol.action == Action::replace || symbol.action == Action::pin || symbol.action == Action::refuse)
      used.hooks[symbol.function] += calls.count.calls;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) {
      for (const SettingReader& reader : start.readers) used.read.insert(reader.name);
      used.has_fixed_layout |= start.layout == "fixed";
    }
}

} // namespace

std::vector<UsedPart> used_parts(const std::string& folder, const std::vector<std::string>& variables) {
  Used used;
  const Log newest = read_log(folder);
  add(newest, used);
  for (const std::string& run : newest.other_runs) add(read_log(folder, run), used);
  std::vector<UsedPart> parts;
  for (const auto& [hook, calls] : used.hooks) parts.push_back({hook, hook, calls, false});
  for (const bool is_unread : {false, true})
    for (const std::string& variable : variables)
      if (used.read.contains(variable) != is_unread)
        parts.push_back({"env:" + variable, "env:" + variable, 0, is_unread});
  if (used.has_fixed_layout) parts.push_back({"address-space layout", "", 0, false});
  return parts;
}

} // namespace detshim
