// Environments in files beside a log: `environment.json`, or `environment.<run>.<host>.json` where
// a folder has several runs, or a run several machines.
#pragma once

#include "environment/environment.h"

#include <string>
#include <vector>

#include <sys/stat.h>

namespace detshim {

struct KeptEnvironment {
  std::string file; ///< its path
  Environment environment;
};

struct KeptEnvironments {
  std::vector<KeptEnvironment> all;  ///< by host
  std::vector<std::string> problems; ///< files that cannot be read as one; safe to print
};

/// Those of that run in a folder, or with an empty `run` of the newest that is there.
KeptEnvironments kept_environments(const std::string& folder, const std::string& run);

/// Where the environment of a run on one host is to be kept, beside what is there.
std::string place_to_keep(const std::string& folder, const Environment& environment);

/// Writes a file of that name whole, or leaves what was there. What is there and is no file, or
/// another user's, stays: a folder that a stranger has made holds links. For its owner alone: it
/// says much of a machine. Throws UsageError.
void write_whole(const std::string& file, const std::string& text);

/// The same for a path that the user has named: put_where_asked().
void write_where_asked(const std::string& file, const std::string& text,
                       mode_t mode = S_IRUSR | S_IWUSR);

/// True for one that was captured as its run began; else it is put together from the log alone.
inline bool was_captured_at_start(const Environment& environment) {
  return environment.places.contains("machine");
}

} // namespace detshim
