// Files that the processes of a run used, by what they hold: scripts, modules, data, programs that it
// executed. The run's list names them (shim/core/log/file_uses.h).
//
// Only what was there before the run counts: what it wrote itself follows from the rest. A file that was
// changed since is not known, for nobody can tell what the run read.
#include "environment/capture.h"
#include "scanner/elf_file.h"
#include "support/hash.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_hashed = std::uintmax_t{256} << 20; // of a larger one size and time tell
constexpr std::size_t most_of_folder = 64;                        ///< then they are one fact

/// How a run used a file. What it reads behind its own write is its own.
struct Uses {
  bool read = false, written = false, status = false;
  bool written_first = false; ///< over what was there, as Fortran opens files
  bool looked_first = false;  ///< was it there, of what size: before it was written
  bool listed_first = false;  ///< the names in its folder: before it was written
  bool listed = false;        ///< the names in a folder
  bool link = false, attributes = false;
  bool all = false; ///< more of a folder's files than are named one by one
  std::string id;   ///< of the file that was read
};

struct List {
  std::map<std::string, Uses> files;
  bool is_whole = false;
};

/// helper.py of __pycache__/helper.cpython-311.pyc, if it is there: its name, size and time are in the cache.
std::string source_of_cache(const std::string& path) {
  const fs::path file = path;
  std::error_code error;
  if (file.extension() != ".pyc" || file.parent_path().filename() != "__pycache__") return path;
  const std::string name = file.filename().string();
  const fs::path source = file.parent_path().parent_path() / (name.substr(0, name.find('.')) + ".py");
  return fs::exists(source, error) ? source.string() : path;
}

List read_list(const std::string& file) {
  List list;
  std::ifstream input(file);
  list.is_whole = input.good();
  std::set<std::string> own; // files that the run wrote, whatever their names are later
  for (std::string line; std::getline(input, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || json.value("how", "") == "more") {
      list.is_whole = false;
      continue;
    }
    const std::string how = json.value("how", ""), id = json.value("id", "");
    std::string path = fs::path(json.value("path", "")).lexically_normal().string();
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const std::string source = source_of_cache(path);
    const bool is_cache = source != path || path.ends_with(".pyc");
    if (is_cache && how != "read") continue;
    Uses& uses = list.files[source];
    if (how == "written" || how == "changed") {
      if (how == "written" && !id.empty()) own.insert(id);
      const auto folder = list.files.find(fs::path(path).parent_path());
      uses.listed_first |= !uses.written && folder != list.files.end() && folder->second.listed;
      uses.written = true;
      uses.written_first |= !uses.read;
    } else if (how == "listed" || how == "folder") {
      (how == "listed" ? uses.listed : uses.all) = true;
    } else if (how == "link" || how == "attributes") {
      (how == "link" ? uses.link : uses.attributes) = true;
    } else if (own.contains(id)) {
      continue;
    } else if (how == "read" && !uses.read) {
      uses.read = true;
      uses.id = is_cache ? "" : id;
    } else {
      uses.status |= how == "status";
      uses.looked_first |= how == "status" && !uses.written;
    }
  }
  return list;
}

std::string mode_of(const struct stat& state) {
  std::ostringstream text;
  text << "mode " << std::oct << (state.st_mode & 07777U);
  return text.str();
}

std::string size_and_time(const struct stat& state) {
  return std::to_string(state.st_size) + " bytes, " + mode_of(state) + ", written at " +
         std::to_string(state.st_mtim.tv_sec) + "." + std::to_string(state.st_mtim.tv_nsec);
}

Known contents_of(const std::string& path, const struct stat& state) {
  if (static_cast<std::uintmax_t>(state.st_size) > most_hashed) return {size_and_time(state), ""};
  Known known = hash_of_file(path, most_hashed);
  if (known.problem.empty()) known.text = "contents " + known.text + ", " + mode_of(state);
  return known;
}

/// The entries of a folder, but what the run wrote and what detshim keeps there.
Known names_in(const std::string& folder, bool with_times, const std::map<std::string, Uses>& files) {
  std::error_code error;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "__pycache__" || name.starts_with("detshim-")) continue;
    const auto uses = files.find(entry.path().string());
    struct stat state;
    if ((uses != files.end() && uses->second.written) || ::stat(entry.path().c_str(), &state) != 0) continue;
    names.insert(with_times && S_ISREG(state.st_mode) ? name + ' ' + size_and_time(state) : name);
  }
  if (error) return {"", "it cannot be read any more"};
  std::string all;
  for (const std::string& name : names) all += name + '\n';
  return {counted(names.size(), "name") + (with_times ? ", sizes and times " : ", hash ") + hash_text(all),
          ""};
}

/// Where a link leads that was there before the run.
Known target_of(const std::string& link, std::int64_t began) {
  struct stat state;
  std::error_code error;
  if (::lstat(link.c_str(), &state) != 0 || !S_ISLNK(state.st_mode) || was_changed_since(state, began))
    return {};
  return {"leads to " + fs::read_symlink(link, error).string(), ""};
}

/// Extended attributes.
Known attributes_of(const std::string& path) {
  std::string names(std::size_t{64} << 10, '\0'), all;
  const ssize_t size = ::listxattr(path.c_str(), names.data(), names.size());
  names.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
    std::string value(std::size_t{64} << 10, '\0');
    const ssize_t length = ::getxattr(path.c_str(), &names[at], value.data(), value.size());
    value.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    all += &names[at] + ('=' + value) + '\0';
  }
  return {all.empty() ? "none" : hash_text(all), ""};
}

/// In a folder whose files have other names in each run.
bool is_temporary(const std::string& path) {
  const std::string folder = variable("TMPDIR");
  return path.starts_with("/tmp/") || path.starts_with("/dev/shm/") ||
         (!folder.empty() && path.starts_with(folder + '/'));
}

/// What stands for a file in the state of the run; neither a text nor a problem for what tells nothing.
Known fact_of(const std::string& path, const Uses& uses, std::int64_t began) {
  struct stat state;
  const bool is_there = ::stat(path.c_str(), &state) == 0;
  if (!uses.read && !uses.status) return {};
  if (!is_there && is_temporary(path)) return {};
  if (!uses.read && (!is_there || uses.written)) return {}; // its own output, as the last run left it
  if (!is_there) return {"", "the run used it, and it is gone"};
  if (!S_ISREG(state.st_mode)) return {};
  // What it left of the old contents is in the new ones too.
  if (uses.read && uses.written_first) return contents_of(path, state);
  const std::string id = hexadecimal(state.st_dev) + ':' + hexadecimal(state.st_ino);
  if (was_changed_since(state, began) || (!uses.id.empty() && uses.id != id))
    return {"", "it was changed since the run began"};
  return uses.read ? contents_of(path, state) : Known{size_and_time(state), ""};
}

/// True for a folder that is gone, or in which the run wrote something that is: Java keeps a file for each of
/// its processes there.
bool is_scratch(const fs::path& folder, const List& list) {
  std::error_code error;
  return !fs::exists(folder, error) || std::ranges::any_of(list.files, [&](const auto& file) {
    const fs::path path = file.first;
    return file.second.written && path.parent_path() == folder && !fs::exists(path, error);
  });
}

/// False too where the file system does not tell.
bool was_made_since(const std::string& file, std::int64_t began) {
  struct statx state;
  constexpr std::int64_t second = 1'000'000'000;
  return ::statx(AT_FDCWD, file.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &state) == 0 &&
         (state.stx_mask & STATX_BTIME) != 0 &&
         state.stx_btime.tv_sec * second + state.stx_btime.tv_nsec >= began;
}

constexpr const char* all_files = "file *";

void put(CapturedSection& section, const std::string& subject, const Known& known) {
  if (!known.text.empty()) section.facts.emplace(subject, known.text); // one of the start's stands
  if (!known.problem.empty() && !section.facts.contains(subject)) section.unknown[subject] = known.problem;
}

/// "file data/a.csv" for what lies below the folder that the run began in: another checkout has the same.
std::string subject_of(const std::string& path, const std::string& folder) {
  const bool is_below = !folder.empty() && path.starts_with(folder + '/');
  return "file " + (is_below ? path.substr(folder.size() + 1) : path);
}

/// Many files of one folder become one fact: a reader has no use for a thousand.
void fold(CapturedSection& section) {
  std::map<std::string, std::vector<std::string>> by_folder;
  for (const auto& [subject, text] : section.facts)
    if (subject.starts_with("file ")) by_folder[fs::path(subject.substr(5)).parent_path()].push_back(subject);
  for (const auto& [folder, subjects] : by_folder) {
    if (subjects.size() <= most_of_folder) continue;
    std::string all;
    for (const std::string& subject : subjects)
      all += subject + ' ' + section.facts.extract(subject).mapped() + '\n';
    section.facts["files in " + (folder.empty() ? "." : folder)] =
        counted(subjects.size(), "file") + ", contents " + hash_text(all);
  }
}

/// What can be told from outside of a program that no hook sees: its words that are files, and the files of
/// the folder that it begins in.
std::set<std::string> likely_files(const std::vector<std::string>& words, bool with_folder) {
  std::set<std::string> files;
  std::error_code error;
  for (const std::string& word : words)
    if (fs::is_regular_file(word, error)) files.insert(fs::absolute(word, error).lexically_normal());
  if (with_folder)
    for (const auto& entry : fs::directory_iterator(fs::current_path(error), error))
      if (entry.is_regular_file(error) && !entry.path().filename().string().starts_with("detshim-"))
        files.insert(entry.path());
  return files;
}

bool is_seen_in_log(const std::string& file) { // by its build
  try {
    return !ElfFile(file).is_static_program();
  } catch (const ElfError&) {
    return false;
  }
}

/// What this command itself prints to: `detshim verify ... 2>errors`.
bool is_own_stream(const struct stat& file) {
  struct stat stream;
  return std::ranges::any_of(std::array{STDOUT_FILENO, STDERR_FILENO}, [&](int descriptor) {
    return ::fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino;
  });
}

} // namespace

void capture_likely_files(const std::vector<std::string>& words, bool with_folder, Environment& to) {
  for (const std::string& file : likely_files(words, with_folder)) {
    struct stat state;
    if (is_seen_in_log(file) || ::stat(file.c_str(), &state) != 0) continue;
    put(to.of(EnvironmentSection::code), subject_of(file, to.places["folder"]), contents_of(file, state));
  }
}

std::set<std::string> files_read(const Log& log, const std::string& name) {
  std::set<std::string> found;
  for (const auto& [path, uses] : read_list(log.folder + '/' + log.run + ".files").files)
    if (uses.read && base_name(path) == name) found.insert(path);
  return found;
}

WrittenFiles written_files(const std::string& log, std::int64_t began) {
  WrittenFiles found;
  std::error_code error;
  const std::string here = fs::current_path(error).string() + '/';
  const std::string own = fs::path(log).parent_path().parent_path().string() + '/';
  const auto add = [&](const std::string& path) {
    struct stat state;
    if (::lstat(path.c_str(), &state) != 0) return false;
    const bool is_link = S_ISLNK(state.st_mode);
    if (!(is_link || S_ISREG(state.st_mode)) || path.starts_with(own) || !was_changed_since(state, began) ||
        is_in_cache_of_kernels(path) || is_own_stream(state))
      return true;
    const Known known =
        is_link ? Known{"leads to " + fs::read_symlink(path, error).string(), ""} : hash_of_file(path);
    found.contents[path] = known.problem.empty() ? known.text + ", " + mode_of(state) : size_and_time(state);
    return true;
  };
  for (const auto& entry : fs::directory_iterator(log, error)) {
    if (entry.path().extension() != ".files") continue;
    const List list = read_list(entry.path());
    found.are_all &= list.is_whole;
    for (const auto& [path, uses] : list.files) {
      if (!uses.written || (is_temporary(path) && !path.starts_with(here)) || add(path)) continue;
      // Its folder may have got another name.
      fs::path folder = fs::path(path).parent_path();
      int depth = 0;
      for (; !fs::is_directory(folder, error) && folder.has_relative_path(); ++depth)
        folder = folder.parent_path();
      std::size_t left = 1000;
      for (fs::recursive_directory_iterator at(folder, error), end; at != end && left-- > 0;
           at.increment(error)) {
        if (at.depth() >= depth) at.disable_recursion_pending();
        add(at->path());
      }
    }
  }
  return found;
}

void capture_used_files(const Log& log, bool is_here, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::code);
  std::erase_if(section.unknown, [](const auto& one) { return one.first.starts_with("file "); });
  if (is_unreached(log)) return; // which named the likely ones as it began
  const std::set<std::string> mapped = mapped_files(log);
  std::string carried;
  const List list = read_list(log.folder + '/' + log.run + ".files");
  if (!list.is_whole)
    section.unknown[all_files] = "which files the run used was not kept, or not all of it";
  else if (!is_here)
    section.unknown[all_files] = "this is another machine than the run's, or another container";
  else
    for (const auto& [path, uses] : list.files) {
      if (mapped.contains(path)) continue; // by its build
      const std::string subject = subject_of(path, to.places["folder"]);
      put(section, subject, fact_of(path, uses, to.began));
      if (uses.link) put(section, "link " + subject.substr(5), target_of(path, to.began));
      if (uses.attributes) put(section, "attributes of " + subject.substr(5), attributes_of(path));
      struct stat state;
      const bool is_of_git =
          path.find("/.git/") != path.npos; // which keeps files' times, for the same answers
      const bool is_new_name = uses.listed_first && was_made_since(path, to.began);
      if ((uses.read || uses.looked_first || is_new_name) && uses.written &&
          ::stat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode) && was_changed_since(state, to.began) &&
          !is_of_git)
        carried += subject.substr(5) + '\n';
      if ((uses.listed || uses.all) && !(is_temporary(path) && is_scratch(path, list)))
        put(section, subject + "/", names_in(path, uses.all, list.files));
    }
  fold(section);
  to.places.erase(carried_state);
  if (!carried.empty()) to.places[carried_state] = carried;
}

} // namespace detshim
