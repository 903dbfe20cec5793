// Files that the processes of a run used, by what they hold: scripts, modules, data, programs that
// it executed. The run's list names them (shim/core/log/file_uses.h).
//
// Only what was there before the run counts: what it wrote itself follows from the rest. A file
// that was changed since is not known, for nobody can tell what the run read.
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

constexpr std::uintmax_t most_hashed = std::uintmax_t{256}
                                       << 20; // of a larger one size and time tell
constexpr std::size_t most_of_folder = 64;    ///< then they are one fact

/// How a run used a file. What it reads behind its own write is its own.
struct Uses {
  bool read = false, written = false, status = false;
  bool written_first = false; ///< over what was there, as Fortran opens files
  bool looked_first = false;  ///< was it there, of what size: before it was written
  bool listed_first = false;  ///< the names in its folder: before it was written
  bool listed = false;        ///< the names in a folder
  bool link = false, attributes = false;
  bool all = false;         ///< more of a folder's files than are named one by one
  bool absent_more = false; ///< the same of those that the run looked for in vain
  std::string id;           ///< of the file that was read
};

struct List {
  std::map<std::string, Uses> files;
  bool is_whole = false;
};

/// helper.py of __pycache__/helper.cpython-311.pyc, if it is there: its name, size and time are in
/// the cache.
std::string source_of_cache(const std::string& path) {
  const fs::path file = path;
  std::error_code error;
  if (file.extension() != ".pyc" || file.parent_path().filename() != "__pycache__")
    return path;
  const std::string name = file.filename().string();
  const fs::path source =
      file.parent_path().parent_path() / (name.substr(0, name.find('.')) + ".py");
  return fs::exists(source, error) ? source.string() : path;
}

/// Reads the list of a run, a line a use, in the order in which they came.
class ListReader {
public:
  List read(const std::string& file) {
    std::ifstream input(file);
    list_.is_whole = input.good();
    for (std::string line; std::getline(input, line);)
      read_line(nlohmann::json::parse(line, nullptr, false));
    return std::move(list_);
  }

private:
  /// A line: how a file was used, and which it was.
  struct Use {
    std::string how, id, path;
    bool is_cache = false; ///< of Python's, whose source is what counts
  };

  void read_line(const nlohmann::json& json) {
    if (!json.is_object() || json.value("how", "") == "more") {
      list_.is_whole = false;
      return;
    }
    Use use{json.value("how", ""), json.value("id", ""), json.value("path", "")};
    use.path = fs::path(use.path).lexically_normal().string();
    while (use.path.size() > 1 && use.path.ends_with('/'))
      use.path.pop_back();
    const std::string source = source_of_cache(use.path);
    use.is_cache = source != use.path || use.path.ends_with(".pyc");
    if (use.is_cache && use.how != "read")
      return;
    add(use, list_.files[source]);
  }

  void add(const Use& use, Uses& uses) {
    if (bool Uses::*const plain = plain_use(use.how); plain != nullptr)
      uses.*plain = true;
    else if (use.how == "written" || use.how == "changed")
      add_write(use, uses);
    else if (!own_.contains(use.id))
      add_look(use, uses);
  }

  /// The uses that depend on no other.
  static bool Uses::*plain_use(std::string_view how) {
    constexpr std::pair<std::string_view, bool Uses::*> plain[] = {
        {"listed", &Uses::listed},           {"folder", &Uses::all},
        {"absent_more", &Uses::absent_more}, {"link", &Uses::link},
        {"attributes", &Uses::attributes},
    };
    const auto* const row =
        std::ranges::find(plain, how, &std::pair<std::string_view, bool Uses::*>::first);
    return row == std::end(plain) ? nullptr : row->second;
  }

  void add_write(const Use& use, Uses& uses) {
    if (use.how == "written" && !use.id.empty())
      own_.insert(use.id);
    const auto folder = list_.files.find(fs::path(use.path).parent_path());
    const bool is_in_known = folder != list_.files.end();
    uses.listed_first |= !uses.written && is_in_known && folder->second.listed;
    uses.looked_first |= !uses.written && is_in_known && folder->second.absent_more;
    uses.written = true;
    uses.written_first |= !uses.read;
  }

  void add_look(const Use& use, Uses& uses) {
    if (use.how == "read" && !uses.read) {
      uses.read = true;
      uses.id = use.is_cache ? "" : use.id;
      return;
    }
    uses.status |= use.how == "status";
    uses.looked_first |= use.how != "read" && !uses.written;
  }

  List list_;
  std::set<std::string> own_; ///< files that the run wrote, whatever their names are later
};

List read_list(const std::string& file) { return ListReader().read(file); }

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
  if (static_cast<std::uintmax_t>(state.st_size) > most_hashed)
    return {size_and_time(state), ""};
  Known known = hash_of_file(path, most_hashed);
  if (known.problem.empty())
    known.text = "contents " + known.text + ", " + mode_of(state);
  return known;
}

/// The entries of a folder, but what the run wrote and what detshim keeps there.
Known names_in(const std::string& folder, bool with_times,
               const std::map<std::string, Uses>& files) {
  std::error_code error;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "__pycache__" || name.starts_with("detshim-"))
      continue;
    const auto uses = files.find(entry.path().string());
    struct stat state;
    if ((uses != files.end() && uses->second.written) || ::stat(entry.path().c_str(), &state) != 0)
      continue;
    names.insert(with_times && S_ISREG(state.st_mode) ? name + ' ' + size_and_time(state) : name);
  }
  if (error)
    return {"", "it cannot be read any more"};
  std::string all;
  for (const std::string& name : names)
    all += name + '\n';
  return {counted(names.size(), "name") + (with_times ? ", sizes and times " : ", hash ") +
              hash_text(all),
          ""};
}

/// Where a link leads that was there before the run.
Known target_of(const std::string& link, std::int64_t began) {
  struct stat state;
  std::error_code error;
  if (::lstat(link.c_str(), &state) != 0 || !S_ISLNK(state.st_mode) ||
      was_changed_since(state, began))
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

/// True if the uses say nothing of the state before the run. Three cases: the file was never read,
/// it is the run's own output, or it is a temporary file that is gone.
bool tells_nothing(const std::string& path, const Uses& uses, bool is_there) {
  if (!uses.read && !uses.status)
    return true;
  if (!is_there)
    return !uses.read || is_temporary(path);
  return !uses.read && uses.written;
}

/// What is known of a file in the state before the run; neither a text nor a problem for what
/// tells nothing.
Known fact_of(const std::string& path, const Uses& uses, std::int64_t began) {
  struct stat state;
  const bool is_there = ::stat(path.c_str(), &state) == 0;
  if (tells_nothing(path, uses, is_there))
    return {};
  if (!is_there)
    return {"", "the run used it, and it is gone"};
  if (!S_ISREG(state.st_mode))
    return {};
  // What it left of the old contents is in the new ones too.
  if (uses.read && uses.written_first)
    return contents_of(path, state);
  const std::string id = hexadecimal(state.st_dev) + ':' + hexadecimal(state.st_ino);
  const bool is_other = !uses.id.empty() && uses.id != id;
  if (is_other || was_changed_since(state, began))
    return {"", "it was changed since the run began"};
  return uses.read ? contents_of(path, state) : Known{size_and_time(state), ""};
}

/// True for a folder that is gone, or in which the run wrote something that is: Java keeps a file
/// for each of its processes there.
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

const Subject all_files = {SubjectKind::file, ""};

/// A fact of the start's stands.
void put(CapturedSection& section, const Subject& subject, const Known& known) {
  const bool is_nothing = known.text.empty() && known.problem.empty();
  if (!is_nothing && section.fact(subject) == nullptr)
    section.set(subject, known);
}

/// "data/a.csv" for what lies below the folder that the run began in: another checkout has the
/// same.
std::string name_of(const std::string& path, const std::string& folder) {
  const bool is_below = !folder.empty() && path.starts_with(folder + '/');
  return is_below ? path.substr(folder.size() + 1) : path;
}

/// Many files of one folder become one fact: a reader has no use for a thousand.
void fold(CapturedSection& section) {
  std::map<std::string, std::vector<Subject>> by_folder;
  for (const auto& [subject, value] : section.values)
    if (subject.kind == SubjectKind::file && value.is_fact())
      by_folder[fs::path(subject.name).parent_path()].push_back(subject);
  for (const auto& [folder, files] : by_folder) {
    if (files.size() <= most_of_folder)
      continue;
    std::string all;
    for (const Subject& file : files)
      all += subject_text(file) + ' ' + section.values.extract(file).mapped().text + '\n';
    section.set_fact({SubjectKind::files_in_folder, folder.empty() ? "." : folder},
                     counted(files.size(), "file") + ", contents " + hash_text(all));
  }
}

/// What can be told from outside of a program that no hook sees: its words that are files, and the
/// files of the folder that it begins in.
std::set<std::string> likely_files(const std::vector<std::string>& words, bool with_folder) {
  std::set<std::string> files;
  std::error_code error;
  for (const std::string& word : words)
    if (fs::is_regular_file(word, error))
      files.insert(fs::absolute(word, error).lexically_normal());
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
    return ::fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev &&
           stream.st_ino == file.st_ino;
  });
}

/// What a run has written and left.
class WrittenSearch {
public:
  WrittenSearch(const std::string& log, std::int64_t began)
      : log_(log), own_folder_(fs::path(log).parent_path().parent_path().string() + '/'),
        began_(began) {
    std::error_code error;
    here_ = fs::current_path(error).string() + '/';
  }

  WrittenFiles run() {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(log_, error))
      if (entry.path().extension() == ".files")
        add_list(read_list(entry.path()));
    return std::move(written_);
  }

private:
  void add_list(const List& list) {
    written_.are_all &= list.is_whole;
    for (const auto& [path, uses] : list.files) {
      const bool is_elsewhere = is_temporary(path) && !path.starts_with(here_);
      if (uses.written && !is_elsewhere && !add(path))
        add_renamed(path);
    }
  }

  /// False if there is nothing of that name.
  bool add(const std::string& path) {
    struct stat state;
    if (::lstat(path.c_str(), &state) != 0)
      return false;
    if (!is_output(path, state))
      return true;
    written_.contents[path] = contents_text(path, state);
    if (S_ISLNK(state.st_mode))
      written_.links.insert(path);
    return true;
  }

  bool is_output(const std::string& path, const struct stat& state) const {
    if (!S_ISLNK(state.st_mode) && !S_ISREG(state.st_mode))
      return false;
    return was_changed_since(state, began_) && !path.starts_with(own_folder_) &&
           !is_in_cache_of_kernels(path) && !is_own_stream(state);
  }

  static std::string contents_text(const std::string& path, const struct stat& state) {
    std::error_code error;
    if (S_ISLNK(state.st_mode))
      return "leads to " + fs::read_symlink(path, error).string() + ", " + mode_of(state);
    const Known known = hash_of_file(path);
    return known.problem.empty() ? known.text + ", " + mode_of(state) : size_and_time(state);
  }

  /// Of a file that is gone, the folder may have got another name: what is as deep in the nearest
  /// folder that is there.
  void add_renamed(const std::string& path) {
    std::error_code error;
    fs::path folder = fs::path(path).parent_path();
    int depth = 0;
    for (; !fs::is_directory(folder, error) && folder.has_relative_path(); ++depth)
      folder = folder.parent_path();
    std::size_t left = 1000;
    for (fs::recursive_directory_iterator at(folder, error), end; at != end && left-- > 0;
         at.increment(error)) {
      if (at.depth() >= depth)
        at.disable_recursion_pending();
      add(at->path());
    }
  }

  std::string log_;
  std::string here_, own_folder_; ///< each ends in a slash
  std::int64_t began_;
  WrittenFiles written_;
};

/// The files of a run's list, as facts of its environment.
class UsedFiles {
public:
  UsedFiles(const List& list, Environment& to)
      : list_(list), to_(to), section_(to.of(EnvironmentSection::code)) {}

  /// All but those that are known by their builds.
  void add_all(const std::set<std::string>& mapped) {
    for (const auto& [path, uses] : list_.files)
      if (!mapped.contains(path))
        add(path, uses);
  }

  /// Those that the run read as they were before and then changed, a line each.
  const std::string& carried() const { return carried_; }

private:
  void add(const std::string& path, const Uses& uses) {
    const std::string name = name_of(path, to_.place("folder"));
    put(section_, {SubjectKind::file, name}, fact_of(path, uses, to_.began));
    if (uses.link)
      put(section_, {SubjectKind::link, name}, target_of(path, to_.began));
    if (uses.attributes)
      put(section_, {SubjectKind::attributes, name}, attributes_of(path));
    if (is_carried(path, uses))
      carried_ += name + '\n';
    if ((uses.listed || uses.all) && !(is_temporary(path) && is_scratch(path, list_)))
      put(section_, {SubjectKind::file, name + '/'}, names_in(path, uses.all, list_.files));
  }

  bool is_carried(const std::string& path, const Uses& uses) const {
    if (!uses.written || !was_met(path, uses))
      return false;
    if (path.find("/.git/") != path.npos)
      return false; // git keeps files' times there, for the same answers
    struct stat state;
    return ::stat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode) &&
           was_changed_since(state, to_.began);
  }

  /// True if the run could know what was there, or that nothing was.
  bool was_met(const std::string& path, const Uses& uses) const {
    const bool is_new_name = uses.listed_first && was_made_since(path, to_.began);
    return uses.read || uses.looked_first || is_new_name;
  }

  const List& list_;
  Environment& to_;
  CapturedSection& section_;
  std::string carried_;
};

} // namespace

void capture_likely_files(const std::vector<std::string>& words, bool with_folder,
                          Environment& to) {
  for (const std::string& file : likely_files(words, with_folder)) {
    struct stat state;
    if (is_seen_in_log(file) || ::stat(file.c_str(), &state) != 0)
      continue;
    put(to.of(EnvironmentSection::code), {SubjectKind::file, name_of(file, to.place("folder"))},
        contents_of(file, state));
  }
}

std::set<std::string> files_read(const Log& log, const std::string& name) {
  std::set<std::string> found;
  for (const auto& [path, uses] : read_list(log.folder + '/' + log.run + ".files").files)
    if (uses.read && base_name(path) == name)
      found.insert(path);
  return found;
}

namespace {

bool spans_machines(const Log& log) {
  return std::ranges::any_of(log.marks, [&](const RankMark& mark) {
    return mark.node != log.marks.front().node;
  });
}

} // namespace

WrittenFiles written_files(const std::string& log, std::int64_t began) {
  return WrittenSearch(log, began).run();
}

void capture_used_files(const Log& log, bool is_here, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::code);
  std::erase_if(section.values, [](const auto& row) {
    return row.first.kind == SubjectKind::file && !row.second.is_fact();
  });
  if (is_unreached(log))
    return; // which named the likely ones as it began
  const List list = read_list(log.folder + '/' + log.run + ".files");
  UsedFiles used(list, to);
  if (!list.is_whole)
    section.set_unknown(all_files, "which files the run used was not kept, or not all of it");
  else if (spans_machines(log))
    section.set_unknown(all_files, "ranks on other machines used files that are not known here");
  else if (!is_here)
    section.set_unknown(all_files, "this is another machine than the run's, or another container");
  else
    used.add_all(mapped_files(log));
  fold(section);
  to.places.erase(carried_state);
  if (!used.carried().empty())
    to.places[carried_state] = used.carried();
}

} // namespace detshim
