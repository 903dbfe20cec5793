// The name of a process that the library is not in, and what its environment asks for. The same rules as the
// library's own (shim/core/identity/process.cpp, policy/options.cpp), read from outside.
#pragma once

#include "common/modes.h"
#include "common/run_variable.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace detshim {

/// An environment, by names.
using Variables = std::map<std::string, std::string, std::less<>>;

/// The mode of that name.
std::optional<Mode> read_mode(std::string_view text);

/// What a launcher says (common/launch.h). `value` gives a variable's value or nullptr.
Launch read_launch(const std::function<const char*(const char*)>& value, std::uint64_t stale);

/// Who a process is and what holds for it.
struct NamedProcess {
  std::uint64_t key = 0; ///< names its streams
  PathText path = {};
  std::string job; ///< of the job, where a run has several
  std::uint64_t rank = 0;
  Mode mode = Mode::off;
  SeedPolicy policy = SeedPolicy::fixed;
  std::uint64_t seed = 0;
  bool seed_drawn = false;
  bool quiet = false;
  bool is_of_secret_script = false;
  std::string run, log_folder;
  std::uint64_t begun = 0; ///< as in RunVariable
  bool log_is_default = false;
  std::string disabled, keep_entropy;

  bool pins() const { return mode != Mode::observe && mode != Mode::off; }
};

/// Names processes. Those that their parent had no name for (a static program's children, which see its own
/// environment) are told apart by their command lines, and where these are equal by the order in which they
/// come here. Not by the order alone: every program with a static glibc draws once as it starts (malloc
/// does), so the two ends of a pipe would race for their names.
class Namer {
public:
  /// `first` is the run's first process, whose variable holds for those that have lost theirs (env -i). What
  /// it points to must stay.
  explicit Namer(const RunVariable& first) : first_(first) {}

  /// Names the process that knows itself as `pid`. `command` is its arguments, as the kernel shows them. What
  /// another user's process says of the run and its log is not believed: the supervisor may have more rights.
  NamedProcess name(const Variables& environment, const std::string& command, int pid, bool is_same_user);

private:
  RunVariable first_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> given_; // run and key: how often
};

} // namespace detshim
