// Decides which files of a folder are environments of a run: first by their names, then by the run
// that each document names. Where no run is asked for, the latest name counts. A file that cannot
// be read as an environment is a problem, and not passed over in silence.
//
// It cannot know whether a document tells the truth: the folder may be a stranger's. So links are
// refused, and the number of files and of their bytes has a limit.
#include "environment/kept_environments.h"

#include "support/exit_status.h"
#include "support/files.h"
#include "support/wording.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

constexpr const char* usual_name = "environment.json";

/// Of "environment.<run>.<host>.json"; empty for the usual name. Runs' names sort by time.
std::string run_in_name(const std::string& name) {
  if (name == usual_name)
    return {};
  const std::size_t begin = name.find('.') + 1;
  return name.substr(begin, name.find('.', begin) - begin);
}

[[noreturn]] void cannot_write(const std::string& file, const std::string& why) {
  throw UsageError("cannot write " + in_quotes(file) + ": " + why);
}

std::string system_message(int error) { return std::generic_category().message(error); }

/// The names of files in a folder that may hold environments, in their order.
std::vector<std::string> environment_names(const std::string& folder) {
  constexpr std::size_t most = 10'000; // files: a stranger's folder must not keep the command busy
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator() && names.size() < most; entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with("environment.") && name.ends_with(".json"))
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// The newest run in those names; empty where no name has one.
std::string newest_run(const std::vector<std::string>& names) {
  std::string newest;
  for (const std::string& name : names)
    newest = std::max(newest, run_in_name(name));
  return newest;
}

/// Leaves alone what is of another run, by its name.
bool may_be_of_run(const std::string& name, const std::string& run) {
  return name == usual_name || (!run.empty() && name.starts_with("environment." + run + "."));
}

/// Reads files until they are too many bytes.
class EnvironmentReader {
public:
  explicit EnvironmentReader(std::string folder) : folder_(std::move(folder)) {}

  bool is_full() const { return bytes_ > most_bytes; }

  void read(const std::string& name, KeptEnvironments& to) {
    const std::string file = fs::path(folder_) / name;
    count_bytes(file);
    try {
      if (is_full())
        throw UsageError("too many environments in " + in_quotes(folder_) + ": of " +
                         in_quotes(name) + " and the next ones nothing is known");
      to.all.push_back({file, read_environment_file(file, Links::refused)});
    } catch (const UsageError& problem) {
      to.problems.emplace_back(problem.what());
    }
  }

private:
  static constexpr std::size_t most_bytes = 64 << 20;

  /// A file that is too large by itself is refused as it is read.
  void count_bytes(const std::string& file) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (!error && size <= most_bytes)
      bytes_ += size;
  }

  std::string folder_;
  std::size_t bytes_ = 0;
};

} // namespace

KeptEnvironments kept_environments(const std::string& folder, const std::string& run) {
  KeptEnvironments kept;
  const std::vector<std::string> names = environment_names(folder);
  const std::string run_of_names = run.empty() ? newest_run(names) : run;
  EnvironmentReader reader(folder);
  for (const std::string& name : names)
    if (!reader.is_full() && may_be_of_run(name, run_of_names))
      reader.read(name, kept);
  std::string newest;
  for (const KeptEnvironment& read : kept.all)
    newest = std::max(newest, read.environment.run);
  std::erase_if(kept.all, [&](const KeptEnvironment& read) {
    return read.environment.run != (run.empty() ? newest : run);
  });
  std::ranges::stable_sort(kept.all, {}, [](const KeptEnvironment& read) {
    return read.environment.host;
  });
  return kept;
}

std::string place_to_keep(const std::string& folder, const Environment& environment) {
  for (const KeptEnvironment& one : kept_environments(folder, environment.run).all)
    if (one.environment.host == environment.host)
      return one.file;
  const fs::path usual = fs::path(folder) / usual_name;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(usual, error)))
    return usual;
  std::string name = "environment." + environment.run + "." + environment.host + ".json";
  std::ranges::replace(name, '/', '_');
  return fs::path(folder) / name;
}

void write_whole(const std::string& file, const std::string& text) {
  const fs::path path = file;
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  const OwnedDescriptor folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder)
    cannot_write(file, system_message(errno));
  const std::string name = path.filename();
  struct stat there;
  if (::fstatat(folder.number(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
      (!S_ISREG(there.st_mode) || there.st_uid != ::geteuid()))
    cannot_write(file,
                 S_ISREG(there.st_mode) ? "it is another user's" : "what is there is no file");
  if (const int error = replace_file(folder.number(), name, text, S_IRUSR | S_IWUSR); error != 0)
    cannot_write(file, system_message(error));
}

void write_where_asked(const std::string& file, const std::string& text, mode_t mode) {
  if (const int error = put_where_asked(file, text, mode); error != 0)
    cannot_write(file, system_message(error));
}

} // namespace detshim
