// Python's modules that no distribution brought: files beside the program and in PYTHONPATH, by what they
// hold, under the names by which they are imported.
//
// Sources: "sys.path" and "-P" in Python's documentation of its command line; the import system's reference.
#include "environment/capture.h"
#include "support/wording.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

// Of all folders together: a home folder may be one of them, and a reader waits.
constexpr std::size_t most_files = 5'000;
constexpr std::size_t most_entries = 100'000;
constexpr std::uintmax_t most_bytes = 64U << 20;
constexpr int deepest = 30;
/// Levels of folders without an __init__.py that are looked into: data lie in such too.
constexpr int deepest_loose = 2;
/// Of a folder, as a program starts: one with more is read later alone.
constexpr std::size_t most_names_at_start = 4'000;
constexpr std::string_view at_start = "modules in ";

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

struct Found {
  std::map<std::string, std::string> files; ///< hashes, by path below the module's folder
  std::string problem;
};

/// What of a folder `import` could name, with a slash behind each; nothing where there is too much.
std::optional<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  std::size_t entries = 0;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (++entries > most_names_at_start) return std::nullopt;
    const std::string name = entry->path().filename();
    if (!module_of(name).empty() || is_importable(name)) names.insert(name);
  }
  std::string all = "/";
  for (const std::string& name : names) all += name + '/';
  return error ? std::nullopt : std::optional(all);
}

class ModuleSearch {
public:
  ModuleSearch(const CaptureOptions& options, const std::map<std::string, std::string>& places,
               CapturedSection& to)
      : options_(options), places_(places), to_(to) {}

  /// Looks into a folder that may hold modules; what comes first is imported.
  void look_into(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !seen_.insert(real).second || !given_up_.empty()) return;
    if (fs::is_regular_file(real, error)) { // a zip file
      add(real.filename(), look_at(real, {}));
      return;
    }
    struct stat state;
    if (::stat(real.c_str(), &state) != 0) return;
    device_ = state.st_dev;
    if (options_.since.has_way_changed(folder))
      problems_.insert("what " + folder.string() + " leads to was " + changed_since);
    if (has_lost(real) && !has_all_of_start(real))
      problems_.insert("what is in " + real.string() + " was " + changed_since);
    const std::set<std::string> brought = brought_by_distributions(real);
    std::map<std::string, Found> found;
    for (auto entry = fs::directory_iterator(real, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (++entries_ > most_entries) give_up(counted_most(most_entries) + " files and folders");
      if (!given_up_.empty()) return;
      const std::string name = entry->path().filename();
      const std::string module = module_of(name);
      if (brought.contains(name) || (module.empty() && !is_importable(name))) continue;
      std::error_code ignored;
      if (!module.empty() && entry->is_regular_file(ignored))
        merge(found[module], look_at(entry->path(), name));
      else if (is_importable(name) && entry->is_directory(ignored))
        merge(found[name], look_below(entry->path(), name, 1));
    }
    if (error) problems_.insert(real.string() + " cannot be read");
    for (const auto& [name, what] : found)
      if (!what.files.empty() || !what.problem.empty()) add(name, what);
  }

  void is_not_known(const std::string& why) { problems_.insert(why); }

  /// Writes down what was found.
  void finish() {
    if (!given_up_.empty()) {
      to_.unknown["module *"] = given_up_;
      return;
    }
    for (const auto& [name, what] : modules_) {
      const std::string subject = "module " + name;
      if (!what.problem.empty()) {
        to_.unknown[subject] = what.problem;
        continue;
      }
      std::string all;
      for (const auto& [file, hash] : what.files) all += file + ' ' + hash + '\n';
      to_.facts[subject] = what.files.size() == 1
                               ? "contents " + what.files.begin()->second
                               : counted(what.files.size(), "file") + ", contents " + hash_text(all);
    }
    std::string why;
    for (const std::string& problem : problems_) why += (why.empty() ? "" : "; ") + problem;
    if (!why.empty()) to_.unknown["module *"] = why;
  }

private:
  static std::string counted_most(std::size_t count) {
    return "more than " + std::to_string(count / 1000) + ",000";
  }

  void give_up(const std::string& found) {
    given_up_ = "not all were looked at: beside the program and in PYTHONPATH are " + found;
  }

  static void merge(Found& to, const Found& more) { // a package stands before a file of its name
    to.files.insert(more.files.begin(), more.files.end());
    if (to.problem.empty()) to.problem = more.problem;
  }

  void add(const std::string& name, const Found& what) { modules_.emplace(name, what); }

  Found look_at(const fs::path& file, const std::string& name) {
    if (++files_ > most_files) give_up(counted_most(most_files) + " modules");
    if (!given_up_.empty()) return {};
    if (options_.since.has_changed(file)) return {{}, changed_since};
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (error || size > left_) {
      if (!error) give_up("more than " + std::to_string(most_bytes >> 20) + " MB of modules");
      return {{}, error ? "a file of it cannot be read" : ""};
    }
    left_ -= size;
    const Told held = hash_of_file(file, size);
    if (!held.problem.empty()) return {{}, file.filename().string() + ": " + held.problem};
    return {{{name, held.text}}, ""};
  }

  /// Of a package all, of other folders what is not deep in them.
  Found look_below(const fs::path& folder, const std::string& name, int depth, bool is_in_package = false) {
    Found found;
    std::error_code error;
    struct stat state;
    if (::stat(folder.c_str(), &state) != 0 || state.st_dev != device_) return found;
    const bool is_package = is_in_package || fs::exists(folder / "__init__.py", error);
    if (depth > (is_package ? deepest : deepest_loose)) {
      if (is_package) found.problem = "its folders are nested too deep";
      return found;
    }
    const bool has_gone = has_lost(folder);
    for (auto entry = fs::directory_iterator(folder, error);
         !error && given_up_.empty() && entry != fs::directory_iterator(); entry.increment(error)) {
      if (++entries_ > most_entries) give_up(counted_most(most_entries) + " files and folders");
      std::error_code ignored;
      const std::string below = entry->path().filename();
      if (!module_of(below).empty() && entry->is_regular_file(ignored))
        merge(found, look_at(entry->path(), name + '/' + below));
      else if (is_importable(below) && entry->is_directory(ignored))
        merge(found, look_below(entry->path(), name + '/' + below, depth + 1, is_package));
    }
    if (error) found.problem = "a folder of it cannot be read";
    if (has_gone && (is_package || !found.files.empty()) && found.problem.empty())
      found.problem = "a folder of it was " + std::string(changed_since);
    return found;
  }

  /// True if something may have gone from a folder since the run began. Compiled files and the run's own log
  /// are made in it too; what went before they were there does not show.
  bool has_lost(const fs::path& folder) const {
    if (!options_.since.has_changed(folder)) return false;
    std::set<fs::path> made = {folder / "__pycache__"};
    std::error_code error;
    if (options_.log != nullptr)
      for (fs::path log = fs::canonical(options_.log->folder, error); !error && log.has_relative_path();
           log = log.parent_path())
        if (log.parent_path() == folder) made.insert(log);
    return std::ranges::none_of(made, [&](const fs::path& one) {
      struct statx state;
      if (::statx(AT_FDCWD, one.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &state) != 0 ||
          (state.stx_mask & STATX_BTIME) == 0)
        return false;
      const std::int64_t born =
          state.stx_btime.tv_sec * std::int64_t{1'000'000'000} + state.stx_btime.tv_nsec;
      return options_.since.may_be_later(born) && !Since(born + Since::tick).has_changed(folder);
    });
  }

  /// True if all that could be imported from a folder as the run began is there still. What was changed shows
  /// by its own times.
  bool has_all_of_start(const fs::path& folder) const {
    const auto place = places_.find(std::string(at_start) + folder.string());
    if (place == places_.end()) return false;
    const std::optional<std::string> now = names_in(folder);
    if (!now) return false;
    std::istringstream names(place->second);
    for (std::string name; std::getline(names, name, '/');)
      if (!name.empty() && now->find('/' + name + '/') == now->npos) return false;
    return true;
  }

  /// Names in a folder of what distributions brought there, which capture_distributions() looks at.
  static std::set<std::string> brought_by_distributions(const fs::path& folder) {
    std::set<std::string> names;
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (entry->path().extension() != ".dist-info") continue;
      std::istringstream lines(whole_file(entry->path() / "RECORD"));
      for (std::string line; std::getline(lines, line);) {
        const std::string name = line.substr(0, line.find_first_of("/,"));
        if (!name.empty()) names.insert(name);
      }
    }
    return names;
  }

  const CaptureOptions& options_;
  const std::map<std::string, std::string>& places_;
  CapturedSection& to_;
  std::set<fs::path> seen_;
  std::map<std::string, Found> modules_;
  std::set<std::string> problems_;
  std::string given_up_;
  std::size_t files_ = 0, entries_ = 0;
  std::uintmax_t left_ = most_bytes;
  dev_t device_ = 0;
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

bool is_python(const std::string& program) {
  return fs::path(program).filename().string().find("python") != std::string::npos;
}

} // namespace

void find_module_folders(Environment& to) {
  const char* const paths = std::getenv("PYTHONPATH");
  if (paths == nullptr || *paths == 0) return;
  std::string found;
  std::istringstream list(paths);
  std::error_code error;
  for (std::string path; std::getline(list, path, ':');)
    if (fs::exists(path.empty() ? "." : path, error))
      found += (found.empty() ? "" : ":") + fs::absolute(path.empty() ? "." : path, error).string();
  to.places[module_folders] = found;
}

void find_modules(const std::vector<std::string>& command, Environment& to) {
  find_module_folders(to);
  std::error_code error;
  std::set<fs::path> folders = {fs::current_path(error)};
  for (const std::string& word : command)
    if (word.ends_with(".py"))
      if (const fs::path script = fs::canonical(word, error); !error) folders.insert(script.parent_path());
  std::istringstream list(to.places[module_folders]);
  for (std::string path; std::getline(list, path, ':');)
    if (const fs::path folder = fs::canonical(path, error); !error && fs::is_directory(folder, error))
      folders.insert(folder);
  for (const fs::path& folder : folders)
    if (const auto names = names_in(folder)) to.places[std::string(at_start) + folder.string()] = *names;
}

void capture_modules(const CaptureOptions& options, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::code);
  for (auto* const texts : {&section.facts, &section.unknown})
    std::erase_if(*texts, [](const auto& one) { return one.first.starts_with("module "); });
  ModuleSearch modules(options, to.places, section);
  bool has_python = options.log == nullptr;
  if (options.log == nullptr) {
    find_module_folders(to);
  } else {
    for (const Process& process : options.log->processes)
      for (const Start& start : process.starts) {
        if (!is_python(start.program)) continue;
        has_python = true;
        if (options.folder.empty()) continue;
        if (const auto folder = first_folder(start.args, options.folder)) {
          if (std::error_code error; fs::exists(*folder, error))
            modules.look_into(*folder);
          else
            modules.is_not_known(folder->string() + " is gone, or was named from another folder");
        }
      }
  }
  if (!has_python) return;
  if (options.log != nullptr && options.start == nullptr) modules.is_not_known(no_start());
  std::istringstream list(to.places[module_folders]);
  for (std::string path; std::getline(list, path, ':');) modules.look_into(path);
  modules.finish();
}

} // namespace detshim
