#include "log_diff/place_keys.h"

#include "log_reader/python_files.h"
#include "support/wording.h"

#include <cstddef>

namespace detshim {

PlaceKeys::PlaceKeys(const LoggedRun& mine, const LoggedRun& other) : mine_(mine) {
  for (const auto& [file, builds] : other.builds) {
    other_names_.insert(base_name(file));
    other_builds_.insert(builds.begin(), builds.end());
  }
}

const PlaceKeys::FileKey& PlaceKeys::file_key(std::string_view path) {
  if (const auto known = files_.find(path); known != files_.end()) return known->second;
  const std::string file(path);
  const auto builds = mine_.builds.find(file);
  FileKey key{base_name(file), false};
  if (builds != mine_.builds.end() && builds->second.size() == 1) {
    if (const std::string& build = *builds->second.begin(); other_builds_.contains(build))
      key = {build, true};
  } else {
    key.has_offsets = builds == mine_.builds.end() && !other_names_.contains(key.name);
  }
  return files_.emplace(file, key).first->second;
}

void PlaceKeys::add_place(Digest& digest, std::string_view place) {
  const std::size_t plus = place.rfind("+0x");
  const FileKey& key = file_key(place.substr(0, plus));
  digest.add(key.name);
  if (key.has_offsets && plus != place.npos) digest.add(place.substr(plus));
}

std::uint64_t PlaceKeys::key_of(const Call& call, const std::string& script_folder) {
  Digest digest;
  digest.add(call.library);
  digest.add(call.function);
  add_place(digest, call.at);
  for (const std::string& frame : call.frames) add_place(digest, frame);
  for (const std::string& frame : call.python.frames) digest.add(portable_frame(frame, script_folder));
  return digest.key();
}

} // namespace detshim
