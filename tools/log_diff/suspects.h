// What may make two runs differ although their records agree: what leaves no record of its own
// result.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace detshim {

/// The likeliest first.
enum class SuspectKind {
  variable,
  nondeterministic,
  threads,
  forks,
  clock,
  folder,
  input,
  memory, ///< shown by a perturbation, as the next one is
  address,
};
/// By kind, in documents.
inline constexpr auto suspect_kind_names =
    std::to_array<const char*>({"variable", "nondeterministic", "threads", "forks", "clock",
                                "folder", "input", "memory", "address"});
inline constexpr std::size_t suspect_kinds = suspect_kind_names.size();

struct Suspect {
  SuspectKind kind;
  std::string text; ///< for people, with the line of source; safe to print
};

struct SuspectLog {
  std::string folder;
  std::string run; ///< of several in the folder; empty: all that is there
};

/// Of two logs whose runs differ: variables that the two did not have alike; calls that can give
/// another result each time; where the user's code starts threads or children, or reads a clock, if
/// the line is known; and where folders are read, whose order is not the same in both if it was
/// turned round. The likeliest first.
std::vector<Suspect> find_suspects(const SuspectLog& log, const SuspectLog& other);

} // namespace detshim
