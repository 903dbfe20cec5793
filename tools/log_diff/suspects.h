// What may make two runs differ although their records agree: what leaves no record of its own result.
#pragma once

#include <string>
#include <vector>

namespace detshim {

struct Suspect {
  const char* kind; ///< "variable", "unfixed", "threads", "forks", "clock" or "folder"
  std::string text; ///< for people, with the line of source; safe to print
};

/// Of two log folders whose runs differ: variables that the two did not have alike; calls that can give
/// another result each time; where the user's code starts threads or children, or reads a clock, if the line
/// is known; and where folders are read, whose order is not the same in both if it was turned round. The
/// likeliest first.
std::vector<Suspect> find_suspects(const std::string& folder, const std::string& other_folder);

} // namespace detshim
