// Python's modules that no distribution brought: files beside the program and in PYTHONPATH, by what they
// hold, under the names by which they are imported.
//
// Sources: "sys.path" and "-P" in Python's documentation of its command line; the import system's reference.
#include "environment/capture.h"
#include "scanner/preloading.h"
#include "support/wording.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace detshim {
namespace {

namespace fs = std::filesystem;

// Of all folders together: a home folder may be one of them, and a run that begins waits.
constexpr std::size_t most_files = 5'000;
constexpr std::size_t most_entries = 20'000;
constexpr std::uintmax_t most_bytes = 64U << 20;
constexpr int deepest = 30;
/// Levels of folders without an __init__.py that are looked into: data lie in such too.
constexpr int deepest_loose = 2;

/// What `import` can name: no "python3.11", ".git" or "detshim-log".
bool is_importable(const std::string& name) {
  const auto is_of_a_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; };
  return !name.empty() && name != "__pycache__" && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, is_of_a_name);
}

/// "helper" of "helper.py"; empty for what is no module. Extension modules are among the mapped files.
std::string module_of(const std::string& file) {
  for (const std::string_view end : {".py", ".pyc"})
    if (file.ends_with(end)) {
      const std::string name = file.substr(0, file.size() - end.size());
      return is_importable(name) ? name : "";
    }
  return {};
}

class ModuleSearch {
public:
  /// `began`: what was changed since is not read; 0: all is.
  explicit ModuleSearch(CapturedSection& to, std::int64_t began = 0) : to_(to), began_(began) {}

  /// Looks into a folder that may hold modules, or into a zip file; what comes first is imported.
  void look_into(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !seen_.insert(real).second || !given_up_.empty()) return;
    const std::set<std::string> brought = brought_by_distributions(real);
    std::map<std::string, Files> found;
    if (fs::is_regular_file(real, error))
      look_at(real, "", found[real.filename()]);
    else
      for (const auto& entry : entries_of(real)) {
        const std::string name = entry.path().filename(), module = module_of(name);
        if (brought.contains(name)) continue;
        if (entry.is_directory(error) && is_importable(name))
          look_below(entry.path(), name, 1, false, found[name]);
        else if (!module.empty() && entry.is_regular_file(error))
          look_at(entry.path(), name, found[module]);
      }
    for (auto& [name, files] : found)
      if (!files.empty()) modules_.emplace(name, std::move(files));
  }

  const std::set<fs::path>& folders() const { return seen_; }

  /// Writes down what was found.
  void finish() {
    if (!given_up_.empty()) {
      to_.unknown["module *"] =
          "not all were looked at: beside the program and in PYTHONPATH are " + given_up_;
      return;
    }
    for (const auto& [name, files] : modules_) {
      std::string all;
      for (const auto& [file, hash] : files) all += file + ' ' + hash + '\n';
      const std::string text = files.size() == 1
                                   ? "contents " + files.begin()->second
                                   : counted(files.size(), "file") + ", contents " + hash_text(all);
      // Of a later search it is another process's.
      std::string& fact = to_.facts["module " + name];
      fact += (fact.empty() ? "" : "; and ") + text;
    }
    if (!unread_.empty())
      to_.unknown["module *"] =
          unread_ +
          (began_ == 0 ? " cannot be read" : " was not looked into as the run began, and was changed since");
  }

private:
  using Files = std::map<std::string, std::string>; ///< hashes, by path below the module's folder

  bool is_changed(const fs::path& path) {
    const bool is_it = began_ != 0 && was_changed_since(path, began_);
    if (is_it) unread_ = path.string();
    return is_it;
  }

  std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    if (is_changed(folder)) return entries;
    for (auto entry = fs::directory_iterator(folder, error);
         !error && given_up_.empty() && entry != fs::directory_iterator(); entry.increment(error)) {
      if (++entries_ > most_entries) given_up_ = "more than 20,000 files and folders";
      entries.push_back(*entry);
    }
    if (error) unread_ = folder.string();
    return given_up_.empty() ? entries : std::vector<fs::directory_entry>{};
  }

  void look_at(const fs::path& file, const std::string& name, Files& found) {
    if (is_changed(file)) return;
    if (++files_ > most_files) given_up_ = "more than 5,000 modules";
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (!error && size > left_) given_up_ = "more than 64 MB of modules";
    if (!given_up_.empty()) return;
    const Known held = error ? Known{"", "gone"} : hash_of_file(file, size);
    left_ -= error ? 0 : size;
    if (held.problem.empty())
      found.emplace(name, held.text);
    else
      unread_ = file.string();
  }

  /// Of a package all, of other folders what is not deep in them: data lie in such too.
  void look_below(const fs::path& folder, const std::string& name, int depth, bool is_in_package,
                  Files& found) {
    std::error_code error;
    const bool is_package = is_in_package || fs::exists(folder / "__init__.py", error);
    if (depth > (is_package ? deepest : deepest_loose)) {
      if (is_package) unread_ = folder.string();
      return;
    }
    for (const auto& entry : entries_of(folder)) {
      const std::string below = entry.path().filename();
      if (!module_of(below).empty() && entry.is_regular_file(error))
        look_at(entry.path(), name + '/' + below, found);
      else if (is_importable(below) && entry.is_directory(error))
        look_below(entry.path(), name + '/' + below, depth + 1, is_package, found);
    }
  }

  /// Names in a folder of what distributions brought there, which capture_distributions() looks at.
  static std::set<std::string> brought_by_distributions(const fs::path& folder) {
    std::set<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() != ".dist-info") continue;
      std::istringstream lines(read_file(entry.path() / "RECORD"));
      for (std::string line; std::getline(lines, line);)
        names.insert(line.substr(0, line.find_first_of("/,")));
    }
    return names;
  }

  CapturedSection& to_;
  std::int64_t began_;
  std::set<fs::path> seen_;
  std::map<std::string, Files> modules_;
  std::string given_up_, unread_;
  std::size_t files_ = 0, entries_ = 0;
  std::uintmax_t left_ = most_bytes;
};

/// The folder that Python puts first, by its words; nothing where it puts none. `folder`: that it began in.
std::optional<fs::path> first_folder(const std::vector<std::string>& words, const std::string& folder) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-" || !word.starts_with('-')) {
      std::error_code error;
      if (word == "-") return folder;
      const fs::path script = fs::canonical(fs::path(folder) / word, error);
      if (error) return fs::path(folder) / word; // gone
      return fs::is_directory(script, error) ? script : script.parent_path();
    }
    if (word.starts_with("--")) continue;
    for (std::size_t at = 1; at < word.size(); ++at) {
      const char option = word[at];
      if (option == 'I' || option == 'P') return std::nullopt;
      if (option == 'c' || option == 'm') return folder;
      if (option != 'W' && option != 'X') continue;
      i += at + 1 == word.size() ? 1 : 0; // its value is the next word
      break;
    }
  }
  return folder;
}

bool is_shell(const std::string& program) { return fs::path(program).filename().string().ends_with("sh"); }

/// Where the Pythons of a command look first for modules, as far as its words tell.
std::set<fs::path> first_folders(const std::vector<std::string>& command) {
  std::set<fs::path> folders;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  for (std::size_t i = 0; i < command.size(); ++i) {
    const fs::path file = fs::canonical(i == 0 ? find_executable(command[0]) : command[i], error);
    if (is_python(command[i])) {
      if (const auto first = first_folder({command.begin() + static_cast<long>(i), command.end()}, here))
        folders.insert(*first);
    } else if (!error && (command[i].ends_with(".py") || (i == 0 && read_file(file, 2) == "#!"))) {
      folders.insert(file.parent_path());
    }
  }
  if (folders.empty() && is_shell(command[0])) folders.insert(here); // its script may start one
  return folders;
}

/// The folder itself, where it is there: names of links lead to it.
std::string real_name(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  return error ? folder : real;
}

} // namespace

void capture_modules(const std::vector<std::string>& command, Environment& to) {
  ModuleSearch modules(to.of(EnvironmentSection::code));
  std::error_code error;
  if (!command.empty())
    for (const fs::path& folder : first_folders(command)) modules.look_into(folder);
  const char* const paths = std::getenv("PYTHONPATH");
  std::istringstream list(paths == nullptr ? "" : paths);
  for (std::string path; std::getline(list, path, ':');) {
    const fs::path folder = fs::absolute(path.empty() ? "." : path, error);
    if (!fs::exists(folder, error)) continue;
    std::string& found = to.places[module_folders];
    found += (found.empty() ? "" : ":") + folder.string();
    modules.look_into(folder);
  }
  for (const fs::path& folder : modules.folders()) to.places[looked_into] += folder.string() + ':';
  modules.finish();
}

void check_modules(const Log& log, bool is_here, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::code);
  const std::string looked = ':' + to.places[looked_into];
  ModuleSearch modules(section, to.began);
  bool has_python = false;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) {
      if (!is_python(start.program)) continue;
      has_python = true;
      const auto folder = first_folder(start.args, to.places["folder"]);
      if (!folder || looked.find(':' + real_name(*folder) + ':') != looked.npos) continue;
      if (is_here)
        modules.look_into(*folder);
      else
        section.unknown["module *"] = real_name(*folder) + " was not looked into as the run began";
    }
  modules.finish();
  for (const fs::path& folder : modules.folders()) to.places[looked_into] += folder.string() + ':';
  if (has_python) return;
  to.places[looked_into].clear(); // one that is seen later has no facts then
  for (auto* const texts : {&section.facts, &section.unknown})
    std::erase_if(*texts, [](const auto& one) { return one.first.starts_with("module "); });
}

} // namespace detshim
