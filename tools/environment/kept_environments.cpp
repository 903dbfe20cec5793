#include "environment/kept_environments.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

constexpr const char* usual_name = "environment.json";

bool is_name_of_one(const std::string& name) {
  return name.starts_with("environment.") && name.ends_with(".json");
}

std::string as_part_of_a_name(std::string text) {
  std::ranges::replace(text, '/', '_');
  return text;
}

} // namespace

KeptEnvironments kept_environments(const std::string& folder, const std::string& run) {
  constexpr std::size_t most = 10'000; // files: a stranger's folder must not keep the command busy
  KeptEnvironments kept;
  std::vector<std::string> files;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator() && files.size() < most; entry.increment(error))
    if (is_name_of_one(entry->path().filename())) files.push_back(entry->path());
  std::ranges::sort(files);
  std::string newest;
  for (const std::string& file : files) {
    const std::string name = fs::path(file).filename();
    // One of another run, by its name, is left alone.
    if (!run.empty() && name != usual_name && !name.starts_with("environment." + run + ".")) continue;
    try {
      kept.all.push_back({file, read_environment_file(file)});
      newest = std::max(newest, kept.all.back().environment.run);
    } catch (const UsageError& problem) {
      kept.problems.emplace_back(problem.what());
    }
  }
  std::erase_if(kept.all, [&](const KeptEnvironment& one) {
    return one.environment.run != (run.empty() ? newest : run);
  });
  std::ranges::stable_sort(kept.all, {}, [](const KeptEnvironment& one) { return one.environment.host; });
  return kept;
}

Environment read_environment(const std::string& place) {
  std::error_code error;
  if (!fs::is_directory(place, error)) return read_environment_file(place);
  const KeptEnvironments kept = kept_environments(place, "");
  if (kept.all.empty() && !kept.problems.empty()) throw UsageError(kept.problems.front());
  if (kept.all.empty())
    throw UsageError("no environment in '" + printable(place) + "': `detshim env capture` makes one");
  if (kept.all.size() > 1)
    throw UsageError("several machines have an environment in '" + printable(place) +
                     "': name one of the files, as '" + printable(kept.all.front().file) + "'");
  return kept.all.front().environment;
}

std::string place_to_keep(const std::string& folder, const Environment& environment) {
  for (const KeptEnvironment& one : kept_environments(folder, environment.run).all)
    if (one.environment.host == environment.host) return one.file;
  const fs::path usual = fs::path(folder) / usual_name;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(usual, error))) return usual;
  return fs::path(folder) / ("environment." + as_part_of_a_name(environment.run) + "." +
                             as_part_of_a_name(environment.host) + ".json");
}

void write_whole(const std::string& file, const std::string& text) {
  std::error_code error;
  const fs::file_status there = fs::symlink_status(file, error);
  const bool is_replaced = !fs::exists(there) || fs::is_regular_file(there);
  std::string part = file + ".XXXXXX";
  const int output = is_replaced ? ::mkstemp(part.data()) : ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  std::size_t written = 0;
  while (output >= 0 && written < text.size()) {
    const ssize_t size = ::write(output, text.data() + written, text.size() - written);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    written += static_cast<std::size_t>(size);
  }
  const bool is_whole = output >= 0 && ::close(output) == 0 && written == text.size();
  if (is_whole && (!is_replaced || ::rename(part.c_str(), file.c_str()) == 0)) return;
  const int why = errno;
  if (output >= 0 && is_replaced) ::unlink(part.c_str());
  throw UsageError("cannot write '" + printable(file) + "': " + std::generic_category().message(why));
}

} // namespace detshim
