// What a run was made of, so far as it decides its results: two runs of one state are the same
// program, and what a comparison of one has shown holds for the other.
#pragma once

#include "environment/environment.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace detshim {

struct ProgramState {
  std::string command; ///< "python3 train.py", without what may be a secret
  std::string seed;
  /// Hashes by section and subject: "code: file train.py", "libraries: libz.so.1".
  std::map<std::string, std::string> parts;
  std::set<std::string> libraries; ///< which of the parts are some
  std::set<std::string> seldom;    ///< and which of these not every compared run has named
  bool is_captured = false;        ///< as the run began: else nothing is known of what it was
  std::vector<std::string>
      unknown; ///< what could have changed unseen: then nothing holds; not safe to print
};

/// Left out: what no result hangs on (limits, git's own state, packages by name, PATH), and the
/// caches, which a first run fills.
ProgramState state_of(const Environment& environment);

/// That of runs. A part that was another in some is any; in each of three or more equal ones it is
/// the runs' own output that they left. One that differs in some is named in `remark`, but for a
/// library that some have not named.
ProgramState common_state(const std::vector<ProgramState>& states, std::string& remark);

/// The parts in which a run differs from those that the evidence is of.
std::vector<std::string> changed_parts(const ProgramState& evidence, const ProgramState& run);

} // namespace detshim
