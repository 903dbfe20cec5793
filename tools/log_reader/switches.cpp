// Finds the user's switches, and says of each whether it can have had an effect.
//
// A switch is a variable whose name speaks of determinism, or nearly is one that the library sets.
// A reader in machine code is seen by getenv. Python copies the environment as it starts, so that
// what its code reads is not seen; but who asks for a variable by its name has that name in a
// file, and the log knows which files the run has read. A name that is put together at run time
// (`prefix + "DETERMINISTIC"`) is not found, which makes *never read* of a switch that was.
#include "log_reader/switches.h"

#include "common/switch_names.h"
#include "support/files.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace detshim {
namespace {

constexpr const char* effect_names[] = {"read",       "set_late", "named",
                                        "never_read", "not_seen", "misspelt"};
constexpr const char* python_hash_seed = "PYTHONHASHSEED"; // which the library sets by the seed

/// The files of Python's that the run has read; nothing where no list of them was kept.
std::optional<std::set<std::string>> python_files_read(const Log& log) {
  std::ifstream list(log.folder + '/' + log.run + ".files");
  if (!list.good())
    return std::nullopt;
  std::set<std::string> files;
  for (std::string line; std::getline(list, line);) {
    const nlohmann::json use = nlohmann::json::parse(line, nullptr, false);
    if (!use.is_object() || use.value("how", "") == "more")
      return std::nullopt;
    const std::string path = use.value("path", "");
    if (use.value("how", "") == "read" && (path.ends_with(".py") || path.ends_with(".pyc")))
      files.insert(path);
  }
  return files;
}

class SwitchSearch {
public:
  explicit SwitchSearch(const Log& log) : log_(log) {
    for (const Process& process : log.processes)
      for (const Start& start : process.starts) {
        for (const EnvironmentChange& change : start.environment)
          own_[change.name] = change.now;
        for (const SettingReader& reader : start.readers)
          readers_[reader.name].insert(reader.file);
      }
  }

  std::vector<SwitchUse> find() {
    find_set_ones();
    for (const auto& [name, hashes] : log_.variables)
      if (speaks_of_determinism(name.c_str()) && !own_.contains(name))
        uses_[name].name = name;
    for (auto& [name, use] : uses_)
      judge(use);
    find_misspelt();
    std::vector<SwitchUse> result;
    for (auto& [name, use] : uses_)
      result.push_back(std::move(use));
    return result;
  }

private:
  static bool sets_a_variable(const Call& call) {
    return call.library == "libc" && (call.function == "setenv" || call.function == "putenv") &&
           call.action == Action::observe && !call.fields.empty();
  }

  void find_set_ones() {
    const auto is_there = [](const auto& row) {
      return row.first.function == "setenv" || row.first.function == "putenv";
    };
    if (std::ranges::none_of(log_.calls.symbols, is_there))
      return;
    each_record(log_, [&](const Process&, const Call& call, const CallCount&) {
      if (!sets_a_variable(call))
        return;
      const std::string& name = call.fields.front().value;
      if (is_of_the_user(call)) {
        SwitchUse& use = uses_[name];
        use.name = name;
        use.set = call;
      }
    });
  }

  /// Python reads its hash seed as it starts: one of the user's, set later, has no effect. A
  /// program that gives back an environment sets the library's again.
  bool is_of_the_user(const Call& call) const {
    const std::string& name = call.fields.front().value;
    const auto own = own_.find(name);
    if (name != python_hash_seed)
      return speaks_of_determinism(name.c_str()) && own == own_.end();
    const auto has_value = [&](const Field& field) {
      return field.name == "value" && field.value == own->second;
    };
    return own == own_.end() || std::ranges::none_of(call.fields, has_value);
  }

  void judge(SwitchUse& use) {
    if (const auto readers = readers_.find(use.name); readers != readers_.end())
      use.files.assign(readers->second.begin(), readers->second.end());
    if (use.set && use.set->reason == Reason::setting_read_before)
      use.effect = SwitchEffect::set_late;
    else if (use.files.empty())
      look_into_python_files(use);
  }

  void look_into_python_files(SwitchUse& use) {
    if (!python_files_)
      python_files_ = python_files_read(log_);
    if (!*python_files_) {
      use.effect = SwitchEffect::not_seen;
      return;
    }
    for (const std::string& path : **python_files_)
      if (!sets_it(use, path) && has_name(path, use.name))
        use.files.push_back(path);
    use.effect = use.files.empty() ? SwitchEffect::never_read : SwitchEffect::named;
  }

  /// Whether the file has the line that sets it: that names it in any case.
  static bool sets_it(const SwitchUse& use, const std::string& path) {
    return use.set && std::ranges::any_of(use.set->python.frames, [&](const std::string& frame) {
             return frame.starts_with(path + ':');
           });
  }

  static bool has_name(const std::string& path, const std::string& name) {
    return read_file(path).find(name) != std::string::npos;
  }

  /// Of variables that the run began with.
  void find_misspelt() {
    constexpr std::size_t most = 2, shortest = 8;
    for (const auto& [name, hashes] : log_.variables) {
      if (own_.contains(name) || name.size() < shortest)
        continue;
      for (const auto& [known, value] : own_)
        if (distance_between(name, known) <= most && !readers_.contains(name)) {
          uses_[name] = {name, SwitchEffect::misspelt, {}, known, std::nullopt};
          break;
        }
    }
  }

  const Log& log_;
  std::map<std::string, std::string> own_; ///< variables that the library sets, and to what
  std::map<std::string, std::set<std::string>> readers_;
  std::map<std::string, SwitchUse> uses_;
  std::optional<std::optional<std::set<std::string>>> python_files_; ///< once they were looked for
};

} // namespace

const char* name_of(SwitchEffect effect) { return effect_names[static_cast<std::size_t>(effect)]; }

std::vector<SwitchUse> find_switches(const Log& log) { return SwitchSearch(log).find(); }

} // namespace detshim
