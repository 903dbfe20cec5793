// Which hooks and settings a program needs to be repeatable: the smallest set that keeps it so.
#pragma once

#include "verify/verify.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

/// What of libdetshim.so a program used, in parts that can be left out one by one.
struct UsedPart {
  std::string name;        ///< "getrandom", "env:PYTHONHASHSEED", "address-space layout"
  std::string disables;    ///< as DETSHIM_DISABLE takes it; empty for the layout, which has an option
  std::uint64_t calls = 0; ///< of a hook, in the run that was looked at
  bool is_unread = false;  ///< a variable that nobody was seen to ask for
};

/// The hooks that changed what a call gave in the runs of that log folder by name; then the
/// variables, those that were asked for first; then the layout, where it was fixed. `variables`: those that
/// the library may set.
std::vector<UsedPart> used_parts(const std::string& folder, const std::vector<std::string>& variables);

struct BisectPlan {
  VerifyPlan verify;                  ///< one trial: its runs, and what is compared
  std::vector<std::string> variables; ///< that the library may set
  std::size_t most_runs = 0;          ///< of all trials together
  std::size_t confirming_runs = 0;    ///< of the set that was found
  std::vector<std::string>
      compared; ///< the options that decide a trial's answer: a search goes on with the same
};

/// The program's runs with some of the parts.
struct Trial {
  std::vector<bool> kept; ///< of each part
  std::size_t first_run = 0, runs = 0;
  std::size_t differing = 0; ///< runs that differ from the first of them
  std::string problem;       ///< why they are no equal runs though nothing differs; not safe to print
  std::string log_problem;   ///< what the verdict of their logs leaves open; not safe to print
  std::string folder;
  double seconds = 0;

  bool is_equal() const { return differing == 0 && problem.empty(); }
};

struct Bisection {
  Answer answer = Answer::unverified;
  std::string why;                           ///< in words; not safe to print
  std::vector<UsedPart> parts;               ///< that were used
  std::vector<bool> needed;                  ///< of each part
  std::vector<Trial> trials;                 ///< in order
  std::optional<Trial> confirmed;            ///< the set that was found, once more
  std::vector<std::optional<Trial>> without; ///< of each needed part: the set without it
  std::size_t runs = 0;
  double seconds = 0; ///< that these took
  bool is_out_of_runs = false;
};

/// What DETSHIM_DISABLE has to be, besides what the user left alone, for the parts that are not kept.
std::string disabled_parts(const std::vector<UsedPart>& parts, const std::vector<bool>& kept);

/// Called as each trial begins, and as it has ended.
struct BisectProgress {
  void (*began)(const Bisection& so_far, const std::vector<bool>& kept, std::size_t runs, std::size_t most);
  void (*ended)(const Bisection& so_far, const Trial& trial);
};

/// In the folder of a search: a line of JSON for it, and one for each trial that has ended, by which the same
/// command goes on where it was.
inline constexpr const char* search_file = "search.jsonl";

/// Throws UsageError, or Interrupted; outputs are as they were then.
Bisection bisect_program(const BisectPlan& plan, const BisectProgress& progress);

/// "all", "none", "getrandom, env:A and 2 more"; safe to print.
std::string describe_kept(const std::vector<UsedPart>& parts, const std::vector<bool>& kept);

/// The closing line: "equal with getrandom alone - 5 runs"; safe to print.
std::string describe_bisection(const Bisection& result);

/// What DETSHIM_DISABLE has to be for the set that was found: with what the user left alone, as in the runs.
std::string disable_list(const BisectPlan& plan, const Bisection& result);

/// True if the set that was found goes without the fixed layout of the address space.
bool leaves_layout_random(const Bisection& result);

/// For programs: docs/schemas/bisect.schema.json.
void print_bisect_json(const BisectPlan& plan, const Bisection& result, std::ostream& out);

void print_bisect_text(const BisectPlan& plan, const Bisection& result);

} // namespace detshim
